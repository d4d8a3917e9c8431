/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import type { Page } from "./page-context.ts";
import { numbersIn } from "./page-numbers.ts";
import type { Figures } from "./usage-answer.ts";
import { onDays, type UsageProps } from "./usage-charts.tsx";

/** What is dearer and what is slower, model or tool, with the figures that say so. */
export function UsageVerdict({ page: { t, language }, usage }: Omit<UsageProps, "days">) {
  const { model, tool } = usage.compared;
  const { money, time } = numbersIn(language);
  const dearer = sayWhich(usage.dearer, [model.cost_usd, tool.cost_usd]);
  const slower = sayWhich(usage.slower, [model.latency_avg_ms, tool.latency_avg_ms]);
  const ofMoney = (decimal: string | null) => (decimal === null ? "—" : money(decimal));
  const ofTime = (ms: number | null) => (ms === null ? "—" : time(ms));
  return (
    <div class="card verdict">
      <p>
        {t(`usage.dearer.${dearer}`, {
          ...{ model: ofMoney(model.cost_usd), tool: ofMoney(tool.cost_usd) },
        })}
      </p>
      <p>
        {t(`usage.slower.${slower}`, {
          ...{ model: ofTime(model.latency_avg_ms), tool: ofTime(tool.latency_avg_ms) },
        })}
      </p>
    </div>
  );
}

/** Which sentence holds, by what is known of model and tool. */
export function sayWhich(
  heavier: "model" | "tool" | null,
  [model, tool]: [model: unknown, tool: unknown],
): "model" | "tool" | "same" | "onlyModel" | "onlyTool" | "none" {
  if (model === null && tool === null) return "none";
  if (tool === null) return "onlyModel";
  if (model === null) return "onlyTool";
  return heavier ?? "same";
}

/** Today, yesterday and the whole period beside each other: what it costs, and whether that is usual. */
export function UsageGlance({ page, usage, days }: UsageProps) {
  const { t } = page;
  const [yesterday, today] = onDays(usage.by_day, days.slice(-2));
  if (!yesterday || !today) return null;
  return (
    <section aria-labelledby="glance">
      <h2 id="glance">{t("usage.glance")}</h2>
      <dl class="glance">
        <Glance page={page} title={t("usage.today")} figures={today} />
        <Glance page={page} title={t("usage.yesterday")} figures={yesterday} />
        <Glance page={page} title={t("usage.whole", { n: days.length })} figures={usage.total} />
      </dl>
    </section>
  );
}

function Glance(props: { page: Page; title: string; figures: Figures }) {
  const { page, title, figures } = props;
  const { t, language } = page;
  const { count, money, time } = numbersIn(language);
  return (
    <div class="card">
      <dt>{title}</dt>
      <dd class="large">{figures.cost_usd === null ? "—" : money(figures.cost_usd)}</dd>
      <dd>
        {t("usage.calls")}: {count(figures.calls)}
        {figures.failed > 0 && (
          <span class="bad">
            , {t("usage.failed")}: {count(figures.failed)}
          </span>
        )}
      </dd>
      {figures.latency_p95_ms !== null && (
        <dd class="muted">{t("usage.most", { time: time(figures.latency_p95_ms) })}</dd>
      )}
    </div>
  );
}
