/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { Hono } from "hono";
import { renderPage } from "./layout.tsx";
import type { Page, PagesEnv } from "./page-context.ts";
import { linkTo, Table } from "./parts.tsx";

/** GET /usage */
interface Usage {
  since: string;
  model: {
    model_id: string;
    operation: string;
    day: string;
    calls: number;
    failed: number;
    input_tokens: number | null;
    output_tokens: number | null;
    /** Decimal; null: no price is known. */
    cost_usd: string | null;
    latency_avg_ms: number | null;
    latency_p95_ms: number | null;
  }[];
  tools: {
    tool_name: string;
    day: string;
    calls: number;
    failed: number;
    latency_avg_ms: number | null;
    latency_p95_ms: number | null;
    cost_usd: string | null;
  }[];
  costs: { cost_type: string; currency: string; amount: string }[];
  latencies: { component: string; avg_ms: number | null; p95_ms: number | null }[];
  dearer: "model" | "tool" | null;
  slower: "model" | "tool" | null;
}

const PERIODS_DAYS = [1, 7, 30, 90];
const DEFAULT_DAYS = 7;
const DAY_MS = 86_400_000;

/** What models and tools cost and how long they took. `now`: product time. */
export function usagePages({ clock }: { clock: { now(): number } }) {
  const routes = new Hono<PagesEnv>();
  routes.get("/", async (c) => {
    const page = c.get("page");
    const { api, t } = page;
    const asked = Number(c.req.query("days"));
    const days = PERIODS_DAYS.includes(asked) ? asked : DEFAULT_DAYS;
    const since = new Date(clock.now() - days * DAY_MS).toISOString();
    const usage = await api.get<Usage>("/usage", { since });
    const body = (
      <>
        <nav class="filters" aria-label={t("usage.period")}>
          {PERIODS_DAYS.map((one) => (
            <a
              class="chip"
              href={linkTo("/admin/usage", { days: String(one) })}
              aria-current={one === days ? "page" : undefined}
            >
              {t("usage.days", { n: one })}
            </a>
          ))}
        </nav>
        <Verdict page={page} usage={usage} />
        <ModelTable page={page} usage={usage} />
        <ToolTable page={page} usage={usage} />
        <Totals page={page} usage={usage} />
      </>
    );
    return c.html(renderPage(page, t("nav.usage"), body));
  });
  return routes;
}

interface Props {
  page: Page;
  usage: Usage;
}

function Verdict({ page: { t }, usage: { dearer, slower } }: Props) {
  return (
    <p class="card verdict">
      {t(`usage.dearer.${dearer ?? "none"}`)} {t(`usage.slower.${slower ?? "none"}`)}
    </p>
  );
}

function ModelTable({ page: { t }, usage: { model } }: Props) {
  const most = Math.max(0, ...model.map(({ latency_avg_ms: ms }) => ms ?? 0));
  return (
    <section aria-labelledby="models">
      <h2 id="models">{t("usage.models")}</h2>
      <Table
        caption={t("usage.models")}
        heads={[
          t("usage.day"),
          t("usage.model"),
          t("usage.calls"),
          t("usage.tokens"),
          t("usage.cost"),
          t("usage.latency"),
        ]}
        rows={model.map((row) => [
          row.day.slice(0, 10),
          <>
            {row.model_id} <small>{row.operation}</small>
          </>,
          <Calls calls={row.calls} failed={row.failed} failedWord={t("usage.failed")} />,
          `${row.input_tokens ?? "—"} / ${row.output_tokens ?? "—"}`,
          row.cost_usd === null ? "—" : `${row.cost_usd} USD`,
          <Latency row={row} most={most} />,
        ])}
        empty={t("list.empty")}
      />
    </section>
  );
}

function ToolTable({ page: { t }, usage: { tools } }: Props) {
  const most = Math.max(0, ...tools.map(({ latency_avg_ms: ms }) => ms ?? 0));
  return (
    <section aria-labelledby="tools">
      <h2 id="tools">{t("usage.tools")}</h2>
      <Table
        caption={t("usage.tools")}
        heads={[
          t("usage.day"),
          t("tools.tool"),
          t("usage.calls"),
          t("usage.cost"),
          t("usage.latency"),
        ]}
        rows={tools.map((row) => [
          row.day.slice(0, 10),
          <code>{row.tool_name}</code>,
          <Calls calls={row.calls} failed={row.failed} failedWord={t("usage.failed")} />,
          row.cost_usd === null ? "—" : `${row.cost_usd} USD`,
          <Latency row={row} most={most} />,
        ])}
        empty={t("list.empty")}
      />
    </section>
  );
}

function Totals({ page: { t }, usage: { costs, latencies } }: Props) {
  const most = Math.max(0, ...latencies.map(({ avg_ms: ms }) => ms ?? 0));
  return (
    <section aria-labelledby="totals">
      <h2 id="totals">{t("usage.totals")}</h2>
      <Table
        caption={t("usage.costs")}
        heads={[t("usage.kind"), t("usage.cost")]}
        rows={costs.map((row) => [t.word("cost", row.cost_type), `${row.amount} ${row.currency}`])}
        empty={t("usage.noCosts")}
      />
      <Table
        caption={t("usage.latencies")}
        heads={[t("usage.component"), t("usage.latency")]}
        rows={latencies.map((row) => [
          t.word("component", row.component),
          <Latency row={{ latency_avg_ms: row.avg_ms, latency_p95_ms: row.p95_ms }} most={most} />,
        ])}
        empty={t("list.empty")}
      />
    </section>
  );
}

function Calls(props: { calls: number; failed: number; failedWord: string }) {
  return (
    <>
      {props.calls}
      {props.failed > 0 && (
        <small class="bad">
          {" "}
          {props.failedWord}: {props.failed}
        </small>
      )}
    </>
  );
}

/** The numbers stand beside the bar, which only helps to compare. */
function Latency(props: {
  row: { latency_avg_ms: number | null; latency_p95_ms: number | null };
  most: number;
}) {
  const { latency_avg_ms: average, latency_p95_ms: p95 } = props.row;
  if (average === null) return <>—</>;
  const width = props.most > 0 ? Math.round((average / props.most) * 100) : 0;
  return (
    <span class="measured">
      <svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect class="ground" width="100" height="8" />
        <rect class="value" width={width} height="8" />
      </svg>
      {Math.round(average)} ms <small>p95 {p95 === null ? "—" : Math.round(p95)} ms</small>
    </span>
  );
}
