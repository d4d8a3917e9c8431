/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import { UserError } from "../../domain/errors.ts";
import { type Access, allowAccess } from "../access.ts";
import { actOf } from "../authenticate.ts";
import type { Me, Page } from "./page-context.ts";
import { PostForm } from "./parts.tsx";

/** A request to the API, below `/api/admin`: `POST /quality/proposals/:id/dismiss`. */
export type Sends = `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /${string}`;

/** Would the API take it from this person? By the very rule that the API itself goes by. */
export function may(me: Me, sends: Sends): boolean {
  const [method = "", path = ""] = sends.split(" ");
  try {
    allowAccess({
      principal: principalOf(me),
      tenant: { id: me.tenant_id, state: me.tenant_state },
      act: actOf(method, `/api/admin${path}`),
    });
    return true;
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}

function principalOf({ kind, tenant_id: tenantId, staff_id, role }: Me): Access["principal"] {
  if (kind === "setup" || staff_id === null || role === null) return { kind: "setup" };
  return { kind: "personal", tenantId, staffId: staff_id, role };
}

/** A form that has the API change something; who may not send it sees `otherwise` instead. */
export function ChangeForm(props: {
  page: Page;
  /** What its buttons send; with several, each button is shown by `may` on its own. */
  sends: Sends | readonly Sends[];
  action: string;
  class?: string;
  label?: string;
  otherwise?: Child;
  children: Child;
}) {
  const { page, sends, otherwise = null, children, ...form } = props;
  if (![sends].flat().some((one) => may(page.me, one as Sends))) return <>{otherwise}</>;
  return (
    <PostForm frame={page} {...form}>
      {children}
    </PostForm>
  );
}

/** Instead of controls: who could use them. */
export function NotYours({ page: { t, me } }: { page: Page }) {
  return <p class="muted">{t(me.kind === "setup" ? "may.person" : "may.admin")}</p>;
}
