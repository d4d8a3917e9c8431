/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import type { Page } from "./page-context.ts";
import { numbersIn } from "./page-numbers.ts";
import { Named, Table } from "./parts.tsx";
import { type Figures, nameOfModel, type ToolFigures } from "./usage-answer.ts";
import { onDays, type UsageProps } from "./usage-charts.tsx";

/** The figures behind the charts; those of single days are folded. */
export function UsageTables(props: UsageProps) {
  const { page, usage, days } = props;
  const { t } = page;
  const perDay = onDays(usage.by_day, days);
  return (
    <div class="figures">
      <Open id="by-model" title={t("usage.byModel")}>
        <FiguresTable
          {...{ page, caption: t("usage.byModel"), heads: [t("usage.model")] }}
          rows={usage.by_model.map((row) => [[<Named text={nameOfModel(row)} />], row])}
        />
      </Open>
      <Open id="by-operation" title={t("usage.byOperation")}>
        <FiguresTable
          {...{ page, caption: t("usage.byOperation"), heads: [t("usage.operation")] }}
          rows={usage.by_operation.map((row) => [[<Named text={row.operation} />], row])}
        />
      </Open>
      <Open id="by-tool" title={t("usage.byTool")}>
        <ToolTable page={page} rows={usage.by_tool} />
      </Open>
      <Closed title={t("usage.byDay")}>
        <FiguresTable
          {...{ page, caption: t("usage.byDay"), heads: [t("usage.day")] }}
          rows={perDay
            .map((row, index): Row => [[<Day page={page} day={days[index] ?? ""} />], row])
            .reverse()}
        />
      </Closed>
      <Closed title={t("usage.byAll")}>
        <FiguresTable
          {...{ page, caption: t("usage.byAll") }}
          heads={[t("usage.day"), t("usage.model"), t("usage.operation")]}
          rows={usage.model.map((row) => [
            [
              <Day page={page} day={row.day} />,
              <Named text={nameOfModel(row)} />,
              <Named text={row.operation} />,
            ],
            row,
          ])}
        />
      </Closed>
      <Closed title={t("usage.byToolAndDay")}>
        <ToolTable page={page} rows={usage.tools} />
      </Closed>
      <Closed title={t("usage.runs")}>
        <RunTables {...props} />
      </Closed>
    </div>
  );
}

function Open(props: { id: string; title: string; children: Child }) {
  return (
    <section aria-labelledby={props.id}>
      <h2 id={props.id}>{props.title}</h2>
      {props.children}
    </section>
  );
}

function Closed({ title, children }: { title: string; children: Child }) {
  return (
    <details class="card">
      <summary>{title}</summary>
      {children}
    </details>
  );
}

type Row = [names: Child[], figures: Figures];

function FiguresTable(props: { page: Page; caption: string; heads: string[]; rows: Row[] }) {
  const { page, caption, heads, rows } = props;
  const { t, language } = page;
  const { count, money, share } = numbersIn(language);
  const most = Math.max(0, ...rows.map(([, { latency_avg_ms: ms }]) => ms ?? 0));
  const tokens = (value: number | null) => (value === null ? "—" : count(value));
  return (
    <Table
      caption={caption}
      heads={[
        ...heads,
        ...[t("usage.calls"), t("usage.toolCalling"), t("usage.tokens"), t("usage.cost")],
        ...[t("usage.latency"), t("usage.verdicts")],
      ]}
      rows={rows.map(([names, row]) => [
        ...names,
        <Calls page={page} figures={row} />,
        count(row.tool_calling),
        `${tokens(row.input_tokens)} / ${tokens(row.output_tokens)}`,
        row.cost_usd === null ? "—" : money(row.cost_usd),
        <Latency page={page} row={row} most={most} />,
        row.score_mean === null ? "—" : `${share(row.score_mean)} (${count(row.scored)})`,
      ])}
      empty={t("list.empty")}
    />
  );
}

/** With a column for the day where rows have one. */
function ToolTable({
  page,
  rows,
}: {
  page: Page;
  rows: readonly (ToolFigures & { day?: string })[];
}) {
  const { t, language } = page;
  const most = Math.max(0, ...rows.map(({ latency_avg_ms: ms }) => ms ?? 0));
  const isByDay = rows.some(({ day }) => day !== undefined);
  return (
    <Table
      caption={t(isByDay ? "usage.byToolAndDay" : "usage.byTool")}
      heads={[
        ...(isByDay ? [t("usage.day")] : []),
        ...[t("tools.tool"), t("usage.calls"), t("usage.cost"), t("usage.latency")],
      ]}
      rows={rows.map((row) => [
        ...(row.day === undefined ? [] : [<Day page={page} day={row.day} />]),
        <code>{row.tool_name}</code>,
        <Calls page={page} figures={{ ...row, superseded: 0 }} />,
        row.cost_usd === null ? "—" : numbersIn(language).money(row.cost_usd),
        <Latency page={page} row={row} most={most} />,
      ])}
      empty={t("list.empty")}
    />
  );
}

function RunTables({ page, usage: { costs, latencies } }: UsageProps) {
  const { t, language } = page;
  const most = Math.max(0, ...latencies.map(({ avg_ms: ms }) => ms ?? 0));
  const shown = (amount: string, currency: string) =>
    currency === "USD" ? numbersIn(language).money(amount) : `${amount} ${currency}`;
  return (
    <>
      <Table
        caption={t("usage.costs")}
        heads={[t("usage.kind"), t("usage.cost"), t("usage.failedRuns")]}
        rows={costs.map(({ cost_type, currency, amount, failed_runs }) => [
          t.word("cost", cost_type),
          shown(amount, currency),
          shown(failed_runs, currency),
        ])}
        empty={t("usage.noCosts")}
      />
      <Table
        caption={t("usage.latencies")}
        heads={[t("usage.component"), t("usage.latency")]}
        rows={latencies.map((row) => [
          t.word("component", row.component),
          <Latency
            page={page}
            row={{ latency_avg_ms: row.avg_ms, latency_p95_ms: row.p95_ms }}
            most={most}
          />,
        ])}
        empty={t("list.empty")}
      />
    </>
  );
}

function Day({ page: { language }, day }: { page: Page; day: string }) {
  return <time datetime={day}>{numbersIn(language).day(day)}</time>;
}

function Calls(props: { page: Page; figures: Pick<Figures, "calls" | "failed" | "superseded"> }) {
  const { t, language } = props.page;
  const { count } = numbersIn(language);
  const { calls, failed, superseded } = props.figures;
  return (
    <>
      {count(calls)}{" "}
      {failed > 0 && (
        <small class="bad">
          {t("usage.failed")}: {count(failed)}
        </small>
      )}{" "}
      {superseded > 0 && (
        <small>
          {t("usage.gone")}: {count(superseded)}
        </small>
      )}
    </>
  );
}

/** The numbers stand beside the bar, which only helps to compare. */
function Latency(props: {
  page: Page;
  row: Pick<Figures, "latency_avg_ms" | "latency_p95_ms">;
  most: number;
}) {
  const { t, language } = props.page;
  const { time } = numbersIn(language);
  const { latency_avg_ms: average, latency_p95_ms: p95 } = props.row;
  if (average === null) return <>—</>;
  const width = props.most > 0 ? Math.round((average / props.most) * 100) : 0;
  return (
    <span class="measured">
      <svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect class="ground" width="100" height="8" />
        <rect class="value" width={width} height="8" />
      </svg>
      <span>
        {time(average)} {p95 !== null && <small>{t("usage.most", { time: time(p95) })}</small>}
      </span>
    </span>
  );
}
