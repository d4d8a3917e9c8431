/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { Hono } from "hono";
import { ApiRefusal, type Refusal } from "./api-client.ts";
import { renderPage } from "./layout.tsx";
import type { Page, PagesContext, PagesEnv } from "./page-context.ts";
import { Folded, LongText, More, Named, Refused, Table, Time } from "./parts.tsx";
import { type NameOf, staffNames } from "./staff-names.ts";

/** Query fields of GET /audit that people fill in. */
const FILTERS = [
  "event_type",
  "tool",
  "user",
  "conversation",
  "run",
  "approval",
  "candidate",
  "execution",
  "order",
  "since",
  "until",
] as const;

/** Times are typed without seconds or zone: they are UTC here. */
const TIMES: ReadonlySet<string> = new Set(["since", "until"]);

interface Line {
  id: string;
  run_id: string | null;
  conversation_id: string | null;
  candidate_id: string | null;
  user_id: string | null;
  event_type: string;
  tool_name: string | null;
  decision: string | null;
  summary: string;
  refs: Record<string, unknown>;
  seal_number: number | null;
  created_at: string;
}

interface Found {
  items: Line[];
  next_cursor: string | null;
  /** The whole way of calls that were asked for by name. */
  calls?: object[];
}

/** The trail, newest first. */
export function auditPages() {
  const routes = new Hono<PagesEnv>();
  routes.get("/", async (c) => {
    const page = c.get("page");
    const { api, t } = page;
    const typed = Object.fromEntries(FILTERS.map((name) => [name, c.req.query(name) ?? ""]));
    const { found, error } = await find(c, typed);
    const names = await staffNames(api);
    const body = (
      <>
        <Refused error={error} title={t("refused.title")} />
        <Filters page={page} typed={typed} />
        {found.calls?.map((call) => (
          <Folded title={t("audit.wholeWay")} value={call} />
        ))}
        <Table
          caption={t("nav.audit")}
          heads={[
            t("audit.when"),
            t("audit.event"),
            t("audit.who"),
            t("audit.what"),
            t("audit.refs"),
          ]}
          rows={found.items.map((line) => auditRow(page, line, names))}
          empty={t("list.empty")}
        />
        <More path="/admin/audit" query={typed} cursor={found.next_cursor} label={t("list.more")} />
      </>
    );
    return c.html(renderPage(page, t("nav.audit"), body));
  });
  return routes;
}

/** A filter that the API does not take is told above the form, which keeps what was typed. */
async function find(
  c: PagesContext,
  typed: Record<string, string>,
): Promise<{ found: Found; error: Refusal | null }> {
  const query = Object.fromEntries(
    Object.entries(typed).map(([name, value]) => [
      name,
      TIMES.has(name) ? timeOf(value) : value.trim(),
    ]),
  );
  try {
    const found = await c
      .get("page")
      .api.get<Found>("/audit", { ...query, cursor: c.req.query("cursor") });
    return { found, error: null };
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.status >= 500) throw error;
    const { code, message } = error;
    return { found: { items: [], next_cursor: null }, error: { code, message } };
  }
}

function timeOf(typed: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(typed) ? `${typed}Z` : typed;
}

function Filters({ page: { t }, typed }: { page: Page; typed: Record<string, string> }) {
  const isOpen = Object.values(typed).some((value) => value !== "");
  return (
    <details class="card" open={isOpen}>
      <summary>{t("audit.filters")}</summary>
      <form method="get" action="/admin/audit" class="grid">
        {FILTERS.map((name) => (
          <label class="field">
            <span>{t.word("filter", name)}</span>
            <input
              type={TIMES.has(name) ? "datetime-local" : "text"}
              name={name}
              value={typed[name]}
              step={TIMES.has(name) ? "1" : undefined}
              autocomplete="off"
            />
          </label>
        ))}
        <div class="buttons">
          <button type="submit" class="primary">
            {t("audit.find")}
          </button>
          <a class="button" href="/admin/audit">
            {t("audit.clear")}
          </a>
        </div>
      </form>
    </details>
  );
}

function auditRow({ t }: Page, line: Line, names: NameOf) {
  const { id: _id, created_at: _at, summary: _summary, ...rest } = line;
  return [
    <Time at={line.created_at} />,
    <>
      <code>{line.event_type}</code>
      {line.tool_name && (
        <>
          <br />
          <small>{line.tool_name}</small>
        </>
      )}
    </>,
    <Named text={names(line.user_id)} />,
    <LongText text={line.summary} more={t("list.whole")} />,
    <>
      {line.conversation_id && (
        <a href={`/admin/conversations/${line.conversation_id}`}>{t("audit.conversation")}</a>
      )}
      <Folded title={t("audit.row")} value={rest} />
    </>,
  ];
}
