/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { CaseNames } from "./coach-shadow.tsx";
import { renderPage } from "./layout.tsx";
import type { Page, PagesContext } from "./page-context.ts";
import { Facts, Folded, LongText, More, Named, Table, Tag, Time } from "./parts.tsx";
import { QualityTabs } from "./quality-tabs.tsx";
import { type Compared, EVALS_PATH, type EvalRun, type EvalRuns } from "./shown-evals.ts";

/** The most that a page of the API holds. */
const RESULTS = 200;

/** One run: what failed and why, then what passed. */
export async function showBatch(c: PagesContext) {
  const page = c.get("page");
  const { api, t } = page;
  const batch = c.req.param("batch") ?? "";
  const query = { batch, limit: RESULTS, cursor: c.req.query("cursor") };
  const { items, next_cursor } = await api.get<EvalRuns>("/quality/evals/runs", query);
  const [first] = items;
  if (!first) return c.notFound();
  const failed = items.filter(({ passed }) => !passed);
  const passed = items.filter((one) => one.passed);
  const path = `${EVALS_PATH}/runs/${encodeURIComponent(batch)}`;
  const body = (
    <>
      <QualityTabs page={page} />
      <section class="card" aria-label={t("evals.run")}>
        <Facts
          items={[
            [t("audit.when"), <Time at={first.created_at} />],
            [t("usage.model"), <Named text={first.model_id || "—"} />],
            [t("evals.version"), <Named text={first.agent_version || "—"} />],
          ]}
        />
        <p>
          <a href={EVALS_PATH}>{t("evals.allRuns")}</a>
        </p>
      </section>
      <Results page={page} id="failed" title={t("evals.failed")} runs={failed} />
      <Results page={page} id="passed" title={t("evals.passed")} runs={passed} />
      <More path={path} query={{}} cursor={next_cursor} label={t("evals.more")} />
    </>
  );
  return c.html(renderPage(page, t("evals.one"), body));
}

interface ResultsProps {
  page: Page;
  id: "failed" | "passed";
  title: string;
  runs: EvalRun[];
}

function Results({ page, id, title, runs }: ResultsProps) {
  const { t } = page;
  const isFailed = id === "failed";
  const why = isFailed ? [t("evals.why")] : [];
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        {title}: {runs.length}
      </h2>
      <Table
        caption={title}
        heads={[t("evals.case"), ...why, t("evals.called"), t("tools.policy")]}
        rows={runs.map((one) => [
          <Named text={one.case_name ?? t("evals.notRun")} />,
          ...(isFailed
            ? [<LongText text={one.failure_reason ?? "—"} more={t("list.whole")} />]
            : []),
          <Called page={page} run={one} />,
          one.policy_result ? t.word("policy", one.policy_result) : "—",
        ])}
        empty={t(isFailed ? "evals.noneFailed" : "list.empty")}
      />
    </section>
  );
}

function Called({ page: { t }, run }: { page: Page; run: EvalRun }) {
  if (run.actual_tool === null) return <>{t("evals.noTool")}</>;
  return (
    <>
      <code>
        <Named text={run.actual_tool} />
      </code>
      <Folded title={t("quality.args")} value={run.actual_arguments_json} />
    </>
  );
}

/** What one run passed and another did not. */
export async function showComparison(c: PagesContext) {
  const page = c.get("page");
  const { api, t } = page;
  const { before, after } = c.req.query();
  const compared = await api.get<Compared>("/quality/evals/compare", { before, after });
  const { fixed, broken, same, added, removed } = compared;
  const body = (
    <>
      <QualityTabs page={page} />
      <p class="tags">
        <RunLink batch={before ?? ""} text={t("evals.earlier")} />
        <RunLink batch={after ?? ""} text={t("evals.later")} />
        <a href={EVALS_PATH}>{t("evals.allRuns")}</a>
      </p>
      <section aria-labelledby="broken">
        <h2 id="broken">
          {t("evals.broken")}: {broken.length}
        </h2>
        <Table
          caption={t("evals.broken")}
          heads={[t("evals.case"), t("evals.why")]}
          rows={broken.map(({ case_name, failure_reason }) => [
            <Named text={case_name} />,
            <LongText text={failure_reason ?? "—"} more={t("list.whole")} />,
          ])}
          empty={t("list.empty")}
        />
      </section>
      <section class="card" aria-labelledby="fixed">
        <h2 id="fixed">
          {t("evals.fixed")}: <Tag tone="ok">{fixed.length}</Tag>
        </h2>
        <CaseNames names={fixed} none={t("coach.none")} />
        <p>{t("evals.same", same)}</p>
        <Facts
          items={[
            [t("evals.added"), <CaseNames names={added} none={t("coach.none")} />],
            [t("evals.removed"), <CaseNames names={removed} none={t("coach.none")} />],
          ]}
        />
      </section>
    </>
  );
  return c.html(renderPage(page, t("evals.compare"), body));
}

function RunLink({ batch, text }: { batch: string; text: string }) {
  return <a href={`${EVALS_PATH}/runs/${encodeURIComponent(batch)}`}>{text}</a>;
}
