/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { Hono } from "hono";
import { renderPage } from "./layout.tsx";
import type { Page, PagesEnv } from "./page-context.ts";
import { linkTo } from "./parts.tsx";
import type { Usage } from "./usage-answer.ts";
import { UsageCharts } from "./usage-charts.tsx";
import { daysUntil } from "./usage-days.ts";
import { UsageTables } from "./usage-tables.tsx";
import { UsageGlance, UsageVerdict } from "./usage-verdict.tsx";

const PERIODS_DAYS = [7, 30, 90];
const DEFAULT_DAYS = 7;

/** What models and tools cost and how long they took. `now`: product time. */
export function usagePages({ clock }: { clock: { now(): number } }) {
  const routes = new Hono<PagesEnv>();
  routes.get("/", async (c) => {
    const page = c.get("page");
    const { api, t } = page;
    const asked = Number(c.req.query("days"));
    const count = PERIODS_DAYS.includes(asked) ? asked : DEFAULT_DAYS;
    const days = daysUntil(clock.now(), count);
    const usage = await api.get<Usage>("/usage", { since: `${days[0]}T00:00:00Z` });
    const isEmpty = usage.total.calls === 0 && usage.by_tool.length === 0;
    const body = (
      <>
        <Periods page={page} chosen={count} />
        {isEmpty ? (
          <NothingUsed page={page} count={count} />
        ) : (
          <>
            <UsageVerdict page={page} usage={usage} />
            <UsageGlance {...{ page, usage, days }} />
            <UsageCharts {...{ page, usage, days }} />
            <UsageTables {...{ page, usage, days }} />
          </>
        )}
      </>
    );
    return c.html(renderPage(page, t("nav.usage"), body));
  });
  return routes;
}

function Periods({ page: { t }, chosen }: { page: Page; chosen: number }) {
  return (
    <nav class="filters" aria-label={t("usage.period")}>
      {PERIODS_DAYS.map((one) => (
        <a
          class="chip"
          href={linkTo("/admin/usage", { days: String(one) })}
          aria-current={one === chosen ? "page" : undefined}
        >
          {t("usage.days", { n: one })}
        </a>
      ))}
    </nav>
  );
}

function NothingUsed({ page: { t, playground }, count }: { page: Page; count: number }) {
  const longer = PERIODS_DAYS.find((one) => one > count);
  return (
    <div class="card">
      <p>{t("usage.empty", { n: count })}</p>
      <p class="muted">{t("usage.start")}</p>
      <p class="buttons">
        {playground && (
          <a class="button" href="/sandbox">
            {t("usage.play")}
          </a>
        )}
        {longer && (
          <a class="button" href={linkTo("/admin/usage", { days: String(longer) })}>
            {t("usage.longer", { n: longer })}
          </a>
        )}
      </p>
    </div>
  );
}
