import type { Admin } from "./admin/app.ts";
import type { Principal } from "./admin/context.ts";
import { toRequest } from "./admin/desk-requests.ts";
import { presentAll } from "./admin/present.ts";
import { presentTrace } from "./admin/routes/conversations.ts";
import { DEFAULT_TENANT } from "./bootstrap.ts";
import type { Language } from "./domain/language.ts";
import type { ProductView } from "./domain/product-view.ts";
import type { Clock } from "./lib/clock.ts";
import { listConversations } from "./store/admin-reads.ts";
import { conversationTrace } from "./store/conversation-trace.ts";
import { type Db, withTenant } from "./store/db.ts";
import { findOpenWork } from "./store/due-work.ts";
import { eligibleApprovers, listStaff } from "./store/staff.ts";

/** Work due within this much product time keeps the product from being idle. */
const SOON_MS = 5_000;
/** A played desk has few clients; older ones can still be asked for by id. */
const MOST_CONVERSATIONS = 200;

/** What the sandbox sees of the product beside it. */
export function createProductView(deps: {
  db: Db;
  clock: Clock;
  admin: Admin;
  onChange(listener: () => void): () => void;
  clockMoved(): Promise<void>;
  reset(): Promise<void>;
}): ProductView {
  const { db, clock } = deps;
  return {
    pending: () => findOpenWork(db, clock.now() + SOON_MS),
    trace: (conversationId) =>
      withTenant(db, DEFAULT_TENANT, async (tx) => {
        const of = { tenantId: DEFAULT_TENANT, conversationId };
        const trace = await conversationTrace(tx, of);
        if (trace === null) return null;
        const staff = await listStaff(tx, DEFAULT_TENANT);
        return {
          ...presentTrace(trace),
          staff: presentAll(staff.map(({ id, name, role }) => ({ id, name, role }))),
        };
      }),
    conversations: () =>
      withTenant(db, DEFAULT_TENANT, async (tx) => {
        const page = { tenantId: DEFAULT_TENANT, limit: MOST_CONVERSATIONS, after: null };
        const rows = await listConversations(tx, page);
        return rows.map(({ id, messenger, chatId }) => ({ id, messenger, chatId }));
      }),
    speak: (language) => speak(deps, language),
    onChange: deps.onChange,
    clockMoved: deps.clockMoved,
    reset: deps.reset,
  };
}

/** By the request that an owner sends, as the desk's admin, or as its set-up while there is none. */
async function speak({ db, admin }: { db: Db; admin: Admin }, language: Language): Promise<void> {
  const tenantId = DEFAULT_TENANT;
  const [person] = await withTenant(db, tenantId, (tx) => eligibleApprovers(tx, tenantId, "admin"));
  const principal: Principal = person
    ? { kind: "personal", tenantId, staffId: person.id, role: "admin" }
    : { kind: "setup" };
  const path = `/api/admin/tenants/${tenantId}`;
  const request = toRequest({ method: "PATCH", path, body: { language } });
  const answer = await admin.handleAs(principal, request);
  if (!answer.ok) throw new Error(`the staff's language was not changed: ${await answer.text()}`);
}
