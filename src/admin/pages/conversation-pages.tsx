/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { Hono } from "hono";
import { renderPage } from "./layout.tsx";
import { Mark } from "./mark.tsx";
import type { Page, PagesContext, PagesEnv } from "./page-context.ts";
import { Facts, Folded, LongText, linkTo, More, Named, Table, Tag, Time } from "./parts.tsx";
import { ReplayForm } from "./replay-form.tsx";
import type { ShownTrace } from "./shown-trace.ts";
import { staffNames } from "./staff-names.ts";
import { type Group, timelineOf } from "./timeline.ts";
import { ENTRY_KINDS, type Entry } from "./timeline-entry.ts";

interface Listed {
  id: string;
  contact_name: string;
  messenger: string;
  stage: string;
  mode: string;
  updated_at: string;
}

/** Conversations, and one of them with everything the bot did about it. */
export function conversationPages() {
  const routes = new Hono<PagesEnv>();
  routes.get("/", list);
  routes.get("/:id", showOne);
  return routes;
}

async function list(c: PagesContext) {
  const page = c.get("page");
  const { api, t } = page;
  const { items, next_cursor } = await api.get<{ items: Listed[]; next_cursor: string | null }>(
    "/conversations",
    { cursor: c.req.query("cursor") },
  );
  const body = (
    <>
      <Table
        caption={t("nav.conversations")}
        heads={[
          t("conversations.client"),
          t("conversations.messenger"),
          t("conversations.stage"),
          t("conversations.mode"),
          t("conversations.last"),
        ]}
        rows={items.map((one) => [
          <a href={`/admin/conversations/${one.id}`}>
            <Named text={one.contact_name || "—"} />
          </a>,
          one.messenger,
          one.stage,
          <Tag tone={one.mode === "bot" ? "ok" : "wait"}>{t.word("mode", one.mode)}</Tag>,
          <Time at={one.updated_at} />,
        ])}
        empty={t("list.empty")}
      />
      <More path="/admin/conversations" query={{}} cursor={next_cursor} label={t("list.more")} />
    </>
  );
  return c.html(renderPage(page, t("nav.conversations"), body));
}

/** Kinds that tell the decision; the rest is there on demand. */
const IN_SHORT: ReadonlySet<string> = new Set([
  ...["lead", "reply", "staff", "event", "candidate", "gate", "approval", "vote", "execution"],
  ...["retry", "result", "error", "feedback", "deal", "handoff"],
]);

async function showOne(c: PagesContext) {
  const page = c.get("page");
  const { t, api } = page;
  const trace = await api.get<ShownTrace>(
    `/conversations/${encodeURIComponent(c.req.param("id") ?? "")}`,
  );
  const names = await staffNames(api);
  const isShort = c.req.query("show") === "short";
  const groups = timelineOf(trace, { t, names });
  const { conversation, contact } = trace;
  const path = `/admin/conversations/${conversation.id}`;
  const body = (
    <>
      <section class="card" aria-labelledby="about">
        <h2 id="about">{t("conversations.about")}</h2>
        <Facts
          items={[
            [t("conversations.client"), <Named text={contact?.name ?? "—"} />],
            [t("conversations.messenger"), conversation.messenger],
            [t("conversations.stage"), conversation.stage],
            [t("conversations.mode"), t.word("mode", conversation.mode)],
            [t("conversations.language"), conversation.language],
          ]}
        />
      </section>
      <nav class="filters" aria-label={t("conversations.show")}>
        <a class="chip" href={path} aria-current={isShort ? undefined : "page"}>
          {t("conversations.whole")}
        </a>
        <a
          class="chip"
          href={linkTo(path, { show: "short" })}
          aria-current={isShort ? "page" : undefined}
        >
          {t("conversations.short")}
        </a>
      </nav>
      <ReplayForm
        page={page}
        conversationId={conversation.id}
        title={t("replay.form")}
        typed={null}
      />
      <Legend page={page} />
      {groups.map((group, index) => (
        <RunGroup page={page} group={group} index={index} isShort={isShort} />
      ))}
    </>
  );
  return c.html(renderPage(page, t("conversations.one", { name: contact?.name ?? "" }), body));
}

function Legend({ page: { t } }: { page: Page }) {
  return (
    <details class="legend">
      <summary>{t("conversations.legend")}</summary>
      <ul>
        {ENTRY_KINDS.map((kind) => (
          <li>
            <Mark kind={kind} /> {t.word("entry", kind)}
          </li>
        ))}
      </ul>
    </details>
  );
}

interface GroupProps {
  page: Page;
  group: Group;
  index: number;
  isShort: boolean;
}

function RunGroup({ page, group, index, isShort }: GroupProps) {
  const { t } = page;
  const shown = group.entries.filter(({ kind }) => !isShort || IN_SHORT.has(kind));
  if (shown.length === 0) return null;
  const title = group.run ? t.word("run", group.run.kind) : t("conversations.apart");
  return (
    <section class="run" aria-labelledby={`run-${index}`}>
      <h2 id={`run-${index}`}>
        {title} <Time at={group.at} />
      </h2>
      <ol class="timeline">
        {shown.map((entry) => (
          <EntryLine page={page} entry={entry} />
        ))}
      </ol>
    </section>
  );
}

function EntryLine({ page: { t }, entry }: { page: Page; entry: Entry }) {
  const { kind, tone, line, said, href, facts, row, at } = entry;
  return (
    <li class={`entry of-${kind}`} data-kind={kind}>
      <Mark kind={kind} />
      <div class="told">
        <p class={`line ${tone}`}>
          {href ? <a href={href}>{line}</a> : <Named text={line} />} <Time at={at} />
        </p>
        {said && (
          <div class="said">
            <LongText text={said} more={t("list.whole")} />
          </div>
        )}
        {facts && <Folded title={t("conversations.facts")} value={facts} />}
        <Folded title={t("conversations.row")} value={row} />
      </div>
    </li>
  );
}
