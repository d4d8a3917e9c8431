/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { Hono } from "hono";
import type { Refusal } from "./api-client.ts";
import { formField, settle } from "./change-form.ts";
import type { Guards } from "./guard.ts";
import { renderPage } from "./layout.tsx";
import type { Page, PagesContext, PagesEnv } from "./page-context.ts";
import { linkTo, More, Named, Refused, Table, Tag, Time } from "./parts.tsx";
import { ProposalForms } from "./proposal-forms.tsx";
import { requestOf } from "./proposal-request.ts";
import { QualityTabs } from "./quality-tabs.tsx";
import type { Proposal } from "./shown-proposal.ts";
import { type NameOf, staffNames } from "./staff-names.ts";
import { stateTone } from "./tones.ts";

const PATH = "/admin/quality/proposals";
const STATUSES = ["pending", "applied", "dismissed"] as const;

/** What was typed for one proposal and refused. */
interface Typed {
  error: Refusal;
  fields: Record<string, string>;
}

/** What should change by people's labels, and how it was answered. */
export function proposalPages(guards: Guards) {
  const routes = new Hono<PagesEnv>();
  routes.get("/", (c) => show(c, null));
  routes.post("/", async (c) => {
    const { api, t } = c.get("page");
    const form = await c.req.parseBody();
    const fields = Object.fromEntries(
      Object.keys(form).map((name) => [name, formField(form, name)]),
    );
    const again = (error: Refusal) => show(c, { error, fields });
    const wanted = requestOf(fields);
    if ("refused" in wanted) {
      c.status(400);
      return again({ code: "bad_json", message: `expected_args: ${wanted.refused}` });
    }
    const path = `/quality/proposals/${encodeURIComponent(fields.id ?? "")}/${wanted.act}`;
    const answer = await api.send("POST", path, wanted.body);
    return settle(c, guards, {
      answer,
      done: { path: PATH, notice: t.word("proposalDone", wanted.act) },
      again,
    });
  });
  return routes;
}

async function show(c: PagesContext, typed: Typed | null) {
  const page = c.get("page");
  const { api, t } = page;
  const status = c.req.query("status") ?? "pending";
  const { items, next_cursor } = await api.get<{ items: Proposal[]; next_cursor: string | null }>(
    "/quality/tool-call-feedback/proposals",
    { status, cursor: c.req.query("cursor") },
  );
  const names = await staffNames(api);
  const body = (
    <>
      <QualityTabs page={page} />
      <Refused error={typed?.error ?? null} title={t("refused.title")} />
      <nav class="filters" aria-label={t("approvals.byStatus")}>
        {STATUSES.map((one) => (
          <a
            class="chip"
            href={linkTo(PATH, { status: one })}
            aria-current={one === status ? "page" : undefined}
          >
            {t.word("proposal", one)}
          </a>
        ))}
      </nav>
      {items.length === 0 && <p class="empty">{t("list.empty")}</p>}
      {items.map((one) => (
        <ProposalCard page={page} proposal={one} names={names} typed={typed} />
      ))}
      <More path={PATH} query={{ status }} cursor={next_cursor} label={t("list.more")} />
    </>
  );
  return c.html(renderPage(page, t("quality.proposals"), body));
}

interface CardProps {
  page: Page;
  proposal: Proposal;
  names: NameOf;
  typed: Typed | null;
}

function ProposalCard({ page, proposal, names, typed }: CardProps) {
  const { t } = page;
  const heading = `proposal-${proposal.number}`;
  return (
    <article class="card" aria-labelledby={heading}>
      <h2 id={heading}>
        {t("quality.proposal", { n: proposal.number })}: {t.word("kind", proposal.kind)}{" "}
        {proposal.tool_name && <code>{proposal.tool_name}</code>}
      </h2>
      <p class="tags">
        <Tag tone={stateTone(proposal.status)}>{t.word("proposal", proposal.status)}</Tag>
        <Tag tone="plain">{`${t.word("label", proposal.label)} × ${proposal.labels}`}</Tag>
        <Time at={proposal.last_labelled_at} />
      </p>
      <Evidence page={page} proposal={proposal} names={names} />
      {proposal.resolution && (
        <Resolution page={page} resolution={proposal.resolution} names={names} />
      )}
      {proposal.status === "pending" && (
        <ProposalForms
          page={page}
          proposal={proposal}
          typed={typed?.fields.id === proposal.id ? typed.fields : {}}
        />
      )}
    </article>
  );
}

function Evidence({ page: { t }, proposal, names }: Omit<CardProps, "typed">) {
  return (
    <details>
      <summary>{t("quality.evidence", { n: proposal.evidence.length })}</summary>
      <Table
        caption={t("quality.evidence", { n: proposal.evidence.length })}
        heads={[t("quality.call"), t("audit.who"), t("quality.note"), t("audit.when")]}
        rows={proposal.evidence.map((one) => [
          <a href={`/admin/conversations/${one.conversation_id}`}>
            {one.tool_call_number === null ? t("quality.noCall") : `#${one.tool_call_number}`}
          </a>,
          <Named text={names(one.staff_id)} />,
          one.note ? <Named text={one.note} /> : "—",
          <Time at={one.created_at} />,
        ])}
        empty={t("list.empty")}
      />
    </details>
  );
}

type ResolutionProps = {
  page: Page;
  resolution: NonNullable<Proposal["resolution"]>;
  names: NameOf;
};

function Resolution({ page: { t }, resolution, names }: ResolutionProps) {
  const { ref, note, by, at } = resolution;
  return (
    <p>
      <Named text={names(by)} /> <Time at={at} />{" "}
      {ref && (
        <>
          {t.word("artifact", ref.kind)}: <Named text={ref.value} />{" "}
        </>
      )}
      {note && <Named text={note} />}
    </p>
  );
}
