/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { Hono } from "hono";
import { FEEDBACK_LABELS } from "../../domain/feedback.ts";
import type { Refusal } from "./api-client.ts";
import { formField, settle } from "./change-form.ts";
import type { Guards } from "./guard.ts";
import { renderPage } from "./layout.tsx";
import { ChangeForm, may } from "./may.tsx";
import type { Page, PagesContext, PagesEnv } from "./page-context.ts";
import { Folded, linkTo, More, Named, Refused, Table, Tag, Time } from "./parts.tsx";
import { QualityTabs } from "./quality-tabs.tsx";
import { type NameOf, staffNames } from "./staff-names.ts";

const PATH = "/admin/quality";

interface ToolCall {
  id: string;
  number: number;
  conversation_id: string;
  tool_name: string;
  args: unknown;
  result: unknown;
  is_error: boolean;
  source: string;
  latency_ms: number | null;
  created_at: string;
  feedback: { id: string; label: string; note: string | null; source: string; staff_id: string }[];
}

interface Summary {
  counts: Record<string, number>;
  top_failing_tools: { tool_name: string; actionable: number; errors: number; calls: number }[];
}

/** What was typed for one call and refused. */
interface Attempt {
  error: Refusal;
  id: string;
  note: string;
}

/** Tool calls that nobody has judged yet, newest first; the judged ones on demand. */
export function reviewPages(guards: Guards) {
  const routes = new Hono<PagesEnv>();
  routes.get("/", (c) => show(c, null));
  routes.post("/", async (c) => {
    const { api, t } = c.get("page");
    const form = await c.req.parseBody();
    const [id, note, label] = ["id", "note", "label"].map((name) => formField(form, name)) as [
      string,
      string,
      string,
    ]; // one for each name
    const path = `/quality/tool-calls/${encodeURIComponent(id)}/feedback`;
    const body = { label, ...(note.trim() === "" ? {} : { note: note.trim() }) };
    const answer = await api.send("POST", path, body);
    const notice = t("quality.labelled", { label: t.word("label", label) });
    return settle(c, guards, {
      answer,
      done: { path: `${PATH}#next`, notice },
      again: (error) => show(c, { error, id, note }),
    });
  });
  return routes;
}

async function show(c: PagesContext, attempt: Attempt | null) {
  const page = c.get("page");
  const { api, t } = page;
  const isJudged = c.req.query("show") === "labelled";
  const query = {
    tool: c.req.query("tool"),
    cursor: c.req.query("cursor"),
    label: isJudged ? "any" : "none",
  };
  const { items, next_cursor } = await api.get<{ items: ToolCall[]; next_cursor: string | null }>(
    "/quality/tool-calls",
    query,
  );
  const summary = await api.get<Summary>("/quality/tool-call-feedback/summary");
  const names = await staffNames(api);
  const body = (
    <>
      <QualityTabs page={page} />
      <Refused error={attempt?.error ?? null} title={t("refused.title")} />
      <nav class="filters" aria-label={t("quality.which")}>
        <a class="chip" href={PATH} aria-current={isJudged ? undefined : "page"}>
          {t("quality.unjudged")}
        </a>
        <a
          class="chip"
          href={linkTo(PATH, { show: "labelled" })}
          aria-current={isJudged ? "page" : undefined}
        >
          {t("quality.judged")}
        </a>
      </nav>
      {may(page.me, "POST /quality/tool-calls/:id/feedback") && (
        <p class="muted">{t("quality.keys")}</p>
      )}
      <section aria-label={t("quality.review")}>
        {items.length === 0 && <p class="empty">{t("list.empty")}</p>}
        {items.map((call) => (
          <CallCard page={page} call={call} names={names} attempt={attempt} />
        ))}
      </section>
      <More
        path={PATH}
        query={{ tool: query.tool, show: isJudged ? "labelled" : undefined }}
        cursor={next_cursor}
        label={t("list.more")}
      />
      <SummaryPart page={page} summary={summary} />
    </>
  );
  return c.html(renderPage(page, t("nav.quality"), body));
}

interface CardProps {
  page: Page;
  call: ToolCall;
  names: NameOf;
  attempt: Attempt | null;
}

function CallCard({ page, call, names, attempt }: CardProps) {
  const { t } = page;
  const heading = `call-${call.number}`;
  return (
    <article class="card call" aria-labelledby={heading} data-call={call.number}>
      <h2 id={heading}>
        #{call.number} <code>{call.tool_name}</code>
      </h2>
      <p class="tags">
        <Tag tone={call.is_error ? "no" : "ok"}>
          {call.is_error ? t("quality.failed") : t("quality.worked")}
        </Tag>
        <Time at={call.created_at} />
        <a href={`/admin/conversations/${call.conversation_id}`}>
          {t("audit.conversation")}
          <span class="hidden"> #{call.number}</span>
        </a>
      </p>
      <Folded title={t("quality.args")} value={call.args} />
      <Folded title={t("quality.result")} value={call.result} />
      {call.feedback.map(({ label, note, staff_id, source }) => (
        <p>
          <Tag tone={label === "good_reply" ? "ok" : "no"}>{t.word("label", label)}</Tag>{" "}
          <Named text={names(staff_id)} /> <small>{source}</small> {note && <Named text={note} />}
        </p>
      ))}
      <LabelForm page={page} call={call} note={attempt?.id === call.id ? attempt.note : ""} />
    </article>
  );
}

function LabelForm({ page, call, note }: { page: Page; call: ToolCall; note: string }) {
  const { t } = page;
  return (
    <ChangeForm
      page={page}
      sends="POST /quality/tool-calls/:id/feedback"
      action={PATH}
      label={t("quality.judge", { n: call.number })}
    >
      <input type="hidden" name="id" value={call.id} />
      <label class="field">
        <span>{t("quality.note")}</span>
        <input type="text" name="note" value={note} maxlength={1000} autocomplete="off" />
      </label>
      <div class="buttons labels">
        {FEEDBACK_LABELS.map((label, index) => (
          <button type="submit" name="label" value={label} class="small">
            <kbd>{index + 1}</kbd> {t.word("label", label)}
          </button>
        ))}
      </div>
    </ChangeForm>
  );
}

function SummaryPart({ page, summary }: { page: Page; summary: Summary }) {
  const { t } = page;
  return (
    <section aria-labelledby="summary">
      <h2 id="summary">{t("quality.summary")}</h2>
      <ul class="tags">
        {FEEDBACK_LABELS.map((label) => (
          <li>
            <Tag tone="plain">{`${t.word("label", label)}: ${summary.counts[label] ?? 0}`}</Tag>
          </li>
        ))}
      </ul>
      <Table
        caption={t("quality.failing")}
        heads={[t("tools.tool"), t("quality.actionable"), t("quality.errors"), t("usage.calls")]}
        rows={summary.top_failing_tools.map((one) => [
          <a href={linkTo(PATH, { tool: one.tool_name })}>{one.tool_name}</a>,
          one.actionable,
          one.errors,
          one.calls,
        ])}
        empty={t("quality.noneFailing")}
      />
      {may(page.me, "GET /quality/tool-call-feedback/export.jsonl") && (
        <p>
          <a class="button" href="/admin/quality/labels.jsonl">
            {t("quality.exportLabels")}
          </a>
        </p>
      )}
    </section>
  );
}
