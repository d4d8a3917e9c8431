/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { amount, compareAmounts } from "../../domain/money.ts";
import { Chart, type Series } from "./chart.tsx";
import { ChartPatterns, lookOf } from "./chart-marks.tsx";
import { scaleUpTo } from "./chart-scale.ts";
import type { Page } from "./page-context.ts";
import { numbersIn } from "./page-numbers.ts";
import { type Figures, NO_FIGURES, nameOfModel, type OfModel, type Usage } from "./usage-answer.ts";
import { visibleText } from "./visible-text.ts";

/** `days`: oldest first, also those without a call. */
export interface UsageProps {
  page: Page;
  usage: Usage;
  days: string[];
}

/** Money, calls and time by day. */
export function UsageCharts(props: UsageProps) {
  return (
    <div class="charts">
      <ChartPatterns />
      <CostChart {...props} />
      <CallsChart {...props} />
      <LatencyChart {...props} />
    </div>
  );
}

function CostChart({ page, usage, days }: UsageProps) {
  const { t, language } = page;
  const numbers = numbersIn(language);
  const { cost_usd: sum, calls, unpriced } = usage.total;
  if (sum === null) return <Missing title={t("usage.costByDay")} text={t("usage.noCost")} />;
  const perDay = onDays(usage.by_day, days);
  const [dearest] = days
    .map((day, index) => ({ day, cost: perDay[index]?.cost_usd ?? "0" }))
    .sort((one, other) => compareAmounts(other.cost, one.cost));
  const values = {
    ...{ sum: numbers.money(sum), day: numbers.day(dearest?.day ?? "") },
    most: numbers.money(dearest?.cost ?? "0"),
  };
  return (
    <Chart
      {...{ id: "cost", title: t("usage.costByDay"), summary: t("usage.costSummary", values) }}
      as="bars"
      series={seriesByModel(usage, days, ({ cost_usd }) => onScreen(cost_usd))}
      scale={scaleUpTo(onScreen(dearest?.cost ?? null) ?? 0, { least: 0.0001 })}
      across={{ name: t("usage.dayAxis"), days, brief: numbers.brief.day }}
      up={{ name: t("usage.costUp"), brief: numbers.brief.money }}
      told={toldByModel({ page, usage, days }, ({ cost_usd }) =>
        cost_usd === null ? null : numbers.money(cost_usd),
      )}
    >
      {unpriced > 0 && (
        <p class="wait">
          {t("usage.unpriced", {
            ...{ n: numbers.count(unpriced), share: numbers.share(unpriced / calls) },
          })}
        </p>
      )}
    </Chart>
  );
}

function CallsChart({ page: { t, language }, usage, days }: UsageProps) {
  const numbers = numbersIn(language);
  const perDay = onDays(usage.by_day, days);
  const answered = ({ calls, failed, superseded }: Figures) => calls - failed - superseded;
  const all: Series[] = [
    { name: t("usage.ok"), look: "ok", values: perDay.map(answered) },
    { name: t("usage.failed"), look: "bad", values: perDay.map(({ failed }) => failed) },
    { name: t("usage.gone"), look: "gone", values: perDay.map(({ superseded }) => superseded) },
  ];
  const series = all.filter(({ look }) => look !== "gone" || usage.total.superseded > 0);
  const { calls, failed } = usage.total;
  const values = {
    ...{ n: numbers.count(calls), failed: numbers.count(failed) },
    share: numbers.share(calls > 0 ? failed / calls : 0),
  };
  return (
    <Chart
      {...{ id: "calls", title: t("usage.callsByDay"), summary: t("usage.callsSummary", values) }}
      as="bars"
      series={series}
      scale={scaleUpTo(Math.max(0, ...perDay.map((one) => one.calls)), { least: 1 })}
      across={{ name: t("usage.dayAxis"), days, brief: numbers.brief.day }}
      up={{ name: t("usage.callsUp"), brief: numbers.brief.count }}
      told={days.map((day, index) =>
        toldOf(
          numbers.day(day),
          series.map((one) => [one.name, numbers.count(one.values[index] ?? 0)]),
        ),
      )}
    />
  );
}

function LatencyChart({ page, usage, days }: UsageProps) {
  const { t, language } = page;
  const numbers = numbersIn(language);
  const { latency_avg_ms: average, latency_p95_ms: p95 } = usage.total;
  if (average === null || p95 === null)
    return <Missing title={t("usage.latencyByDay")} text={t("usage.noLatency")} />;
  const series = seriesByModel(usage, days, ({ latency_p95_ms }) => latency_p95_ms);
  const summary = t("usage.latencySummary", {
    ...{ p95: numbers.time(p95), average: numbers.time(average) },
  });
  return (
    <Chart
      {...{ id: "latency", title: t("usage.latencyByDay"), summary, series }}
      as="lines"
      scale={scaleUpTo(Math.max(0, ...series.flatMap(({ values }) => values.map(Number))), {
        least: 1,
      })}
      across={{ name: t("usage.dayAxis"), days, brief: numbers.brief.day }}
      up={{ name: t("usage.latencyUp"), brief: numbers.brief.time }}
      told={toldByModel({ page, usage, days }, ({ latency_p95_ms: ms }) =>
        ms === null ? null : numbers.time(ms),
      )}
    />
  );
}

function Missing({ title, text }: { title: string; text: string }) {
  return (
    <section class="card chart">
      <h2>{title}</h2>
      <p class="empty">{text}</p>
    </section>
  );
}

/** The figures of each day, empty ones where nothing was asked. */
export function onDays(rows: Usage["by_day"], days: readonly string[]): Figures[] {
  const byDay = new Map(rows.map((row) => [row.day, row]));
  return days.map((day) => byDay.get(day) ?? NO_FIGURES);
}

/** The dearest first, then those that are asked most: a model looks the same in every chart. */
function modelsInOrder(usage: Usage): Usage["by_model"] {
  return [...usage.by_model].sort(
    (one, other) =>
      compareAmounts(other.cost_usd ?? "0", one.cost_usd ?? "0") || other.calls - one.calls,
  );
}

/** A model without any value is left out. */
function seriesByModel(
  usage: Usage,
  days: readonly string[],
  pick: (figures: Figures) => number | null,
): Series[] {
  return modelsInOrder(usage)
    .map((model, index) => {
      const byDay = new Map(rowsOf(usage, model).map((row) => [row.day, pick(row)]));
      const values = days.map((day) => byDay.get(day) ?? null);
      return { name: nameOfModel(model), look: lookOf(index), values };
    })
    .filter(({ values }) => values.some((value) => value !== null));
}

function rowsOf(usage: Usage, model: OfModel): Usage["by_model_and_day"] {
  return usage.by_model_and_day.filter(
    (row) => row.llm_name === model.llm_name && row.model_id === model.model_id,
  );
}

function toldByModel(
  { page: { language }, usage, days }: UsageProps,
  say: (figures: Figures) => string | null,
): string[] {
  return days.map((day) =>
    toldOf(
      numbersIn(language).day(day),
      modelsInOrder(usage).flatMap((model): [string, string][] => {
        const row = rowsOf(usage, model).find((one) => one.day === day);
        const said = row ? say(row) : null;
        return said === null ? [] : [[nameOfModel(model), said]];
      }),
    ),
  );
}

function toldOf(day: string, items: [name: string, value: string][]): string {
  const said = items.map(([name, value]) => `${visibleText(name)}: ${value}`);
  return [day, said.join(" · ") || "—"].join(" — ");
}

/** A place on the screen needs no exact sum. */
function onScreen(decimal: string | null): number | null {
  return decimal === null ? null : amount(decimal).toNumber();
}
