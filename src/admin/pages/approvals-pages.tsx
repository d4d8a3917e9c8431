/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { Hono } from "hono";
import type { Refusal } from "./api-client.ts";
import { ApprovalBody, type ShownApproval } from "./approval-page.tsx";
import { formField, settle } from "./change-form.ts";
import type { Guards } from "./guard.ts";
import { renderPage } from "./layout.tsx";
import type { Page, PagesContext, PagesEnv } from "./page-context.ts";
import { linkTo, More, Named, Table, Tag, Time } from "./parts.tsx";
import { staffNames } from "./staff-names.ts";
import { riskTone, stateTone } from "./tones.ts";

const STATUSES = [
  "pending",
  "frozen",
  "approved",
  "rejected",
  "expired",
  "superseded",
  "cancelled",
] as const;

/** What waits for people, and one request with all that is decided on. */
export function approvalPages(guards: Guards) {
  const routes = new Hono<PagesEnv>();
  routes.get("/", list);
  routes.get("/:id", (c) => showOne(c, { error: null, reason: "" }));
  routes.post("/:id", async (c) => {
    const form = await c.req.parseBody();
    const [reason, digest] = [formField(form, "reason"), formField(form, "digest")];
    const path = `/approvals/${encodeURIComponent(c.req.param("id"))}`;
    const edit = editOf(form);
    const answer = await c.get("page").api.send<{ message: string }>("POST", `${path}/decision`, {
      decision: formField(form, "decision"),
      digest,
      ...(reason.trim() === "" ? {} : { reason: reason.trim() }),
      ...(edit && formField(form, "decision") === "approve" ? { edit } : {}),
    });
    return settle(c, guards, {
      answer,
      done: { path: `/admin${path}`, notice: answer.ok ? answer.body.message : "" },
      again: (error) => showOne(c, { error, reason, edit }),
    });
  });
  return routes;
}

/** Fields that differ from what they were when the page was shown. */
function editOf(form: Record<string, unknown>): Record<string, string> | undefined {
  const changed = Object.keys(form)
    .filter((name) => name.startsWith("edit."))
    .map((name) => name.slice("edit.".length))
    .filter((name) => formField(form, `edit.${name}`) !== formField(form, `was.${name}`))
    .map((name) => [name, formField(form, `edit.${name}`)] as const);
  return changed.length > 0 ? Object.fromEntries(changed) : undefined;
}

async function list(c: PagesContext) {
  const page = c.get("page");
  const { api, t } = page;
  const status = c.req.query("status") ?? "pending";
  const query = { status: status === "all" ? "" : status, cursor: c.req.query("cursor") };
  const { items, next_cursor } = await api.get<{
    items: ShownApproval[];
    next_cursor: string | null;
  }>("/approvals", query);
  const body = (
    <>
      <nav class="filters" aria-label={t("approvals.byStatus")}>
        {[...STATUSES, "all"].map((one) => (
          <a
            class="chip"
            href={linkTo("/admin/approvals", { status: one })}
            aria-current={one === status ? "page" : undefined}
          >
            {t.word("approval", one)}
          </a>
        ))}
      </nav>
      <Table
        caption={t("nav.approvals")}
        heads={[
          t("approvals.request"),
          t("approvals.what"),
          t("approvals.status"),
          t("approvals.asked"),
          t("approvals.expires"),
          t("approvals.digest"),
        ]}
        rows={items.map((one) => approvalRow(page, one))}
        empty={t("list.empty")}
      />
      <More
        path="/admin/approvals"
        query={{ status }}
        cursor={next_cursor}
        label={t("list.more")}
      />
    </>
  );
  return c.html(renderPage(page, t("nav.approvals"), body));
}

function approvalRow({ t }: Page, one: ShownApproval) {
  return [
    <>
      <a href={`/admin/approvals/A-${one.number}`}>A-{one.number}</a>
      <br />
      <code>{one.tool_name}</code>{" "}
      <Tag tone={riskTone(one.risk_level)}>{t.word("risk", one.risk_level)}</Tag>
    </>,
    <ul class="material">
      {one.material_json.map(({ label, value }) => (
        <li>
          <small>{label}:</small> <Named text={value} />
        </li>
      ))}
    </ul>,
    <Tag tone={stateTone(one.status)}>{t.word("approval", one.status)}</Tag>,
    <Time at={one.created_at} />,
    one.expires_at ? <Time at={one.expires_at} /> : t("approvals.never"),
    <code>{one.action_digest.slice(0, 8)}</code>,
  ];
}

async function showOne(
  c: PagesContext,
  typed: { error: Refusal | null; reason: string; edit?: Record<string, string> | undefined },
) {
  const page = c.get("page");
  const approval = await page.api.get<ShownApproval>(
    `/approvals/${encodeURIComponent(c.req.param("id") ?? "")}`,
  );
  const names = await staffNames(page.api);
  const body = <ApprovalBody page={page} approval={approval} names={names} typed={typed} />;
  return c.html(renderPage(page, page.t("approvals.one", { n: approval.number }), body));
}
