/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { Hono } from "hono";
import type { Refusal } from "./api-client.ts";
import { formField, settle } from "./change-form.ts";
import { showBatch, showComparison } from "./evals-results.tsx";
import { TextField } from "./fields.tsx";
import type { Guards } from "./guard.ts";
import { renderPage } from "./layout.tsx";
import { ChangeForm, NotYours } from "./may.tsx";
import type { Page, PagesContext, PagesEnv } from "./page-context.ts";
import { Folded, More, Named, Refused, Table, Tag, Time } from "./parts.tsx";
import { QualityTabs } from "./quality-tabs.tsx";
import { EVALS_PATH, type EvalBatch, type EvalCase, type EvalRuns } from "./shown-evals.ts";

/** What was refused, with what was typed. */
interface Typed {
  error: Refusal;
  model: string;
}

/** Scenarios that a model is tried on, and how the runs ended. */
export function evalPages(guards: Guards) {
  const routes = new Hono<PagesEnv>();
  routes.get("/", (c) => showRuns(c, null));
  routes.post("/", async (c) => {
    const { api, t } = c.get("page");
    const model = formField(await c.req.parseBody(), "model").trim();
    const answer = await api.send("POST", "/quality/evals/runs", model === "" ? {} : { model });
    return settle(c, guards, {
      answer,
      done: { path: EVALS_PATH, notice: t("evals.started") },
      again: (error) => showRuns(c, { error, model }),
    });
  });
  routes.get("/cases", showCases);
  routes.get("/compare", showComparison);
  routes.get("/runs/:batch", showBatch);
  return routes;
}

async function showRuns(c: PagesContext, typed: Typed | null) {
  const page = c.get("page");
  const { api, t } = page;
  const query = { cursor: c.req.query("cursor") };
  const { items, next_cursor } = await api.get<{ items: EvalBatch[]; next_cursor: string | null }>(
    "/quality/evals/batches",
    query,
  );
  const { running } = await api.get<EvalRuns>("/quality/evals/runs", { limit: 1 });
  const body = (
    <>
      <QualityTabs page={page} />
      <Refused error={typed?.error ?? null} title={t("refused.title")} />
      <Parts page={page} />
      <StartForm page={page} running={running} model={typed?.model ?? ""} />
      <Table
        caption={t("evals.runs")}
        heads={[
          t("evals.run"),
          t("usage.model"),
          t("evals.version"),
          t("evals.total"),
          t("evals.passed"),
          t("evals.failed"),
        ]}
        rows={items.map((one) => batchRow(page, one))}
        empty={t("evals.noRuns")}
      />
      <More path={EVALS_PATH} query={{}} cursor={next_cursor} label={t("list.more")} />
      {items.length > 1 && <CompareForm page={page} batches={items} />}
    </>
  );
  return c.html(renderPage(page, t("evals.tab"), body));
}

function batchRow({ t }: Page, one: EvalBatch) {
  return [
    <a href={`${EVALS_PATH}/runs/${encodeURIComponent(one.batch_id)}`}>
      <Time at={one.created_at} />
    </a>,
    one.model_id ? <Named text={one.model_id} /> : "—",
    one.agent_version ? <Named text={one.agent_version} /> : "—",
    one.total,
    one.passed,
    one.error === null ? (
      <Tag tone={one.failed > 0 ? "no" : "ok"}>{one.failed}</Tag>
    ) : (
      <>
        <Tag tone="no">{t("evals.notRun")}</Tag> <Named text={one.error} />
      </>
    ),
  ];
}

function Parts({ page: { t, path } }: { page: Page }) {
  const parts = [
    [EVALS_PATH, t("evals.runs")],
    [`${EVALS_PATH}/cases`, t("evals.cases")],
  ] as const;
  return (
    <nav class="filters" aria-label={t("evals.parts")}>
      {parts.map(([href, text]) => (
        <a class="chip" href={href} aria-current={href === path ? "page" : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}

function StartForm(props: { page: Page; running: EvalRuns["running"]; model: string }) {
  const { page, running, model } = props;
  const { t } = page;
  if (running)
    return (
      <p class="card" role="status">
        <Tag tone="wait">{t("shadow.running")}</Tag> {t("evals.running")}{" "}
        <Time at={running.started_at} /> {running.model && <Named text={running.model} />}{" "}
        <a href={EVALS_PATH}>{t("coach.refresh")}</a>
      </p>
    );
  return (
    <section class="card" aria-label={t("evals.now")}>
      <p class="muted">{t("evals.nowNote")}</p>
      <ChangeForm
        page={page}
        sends="POST /quality/evals/runs"
        action={EVALS_PATH}
        label={t("evals.now")}
        otherwise={<NotYours page={page} />}
      >
        <TextField name="model" value={model} label={t("evals.model")} />
        <div class="buttons">
          <button type="submit" class="primary">
            {t("evals.now")}
          </button>
        </div>
      </ChangeForm>
    </section>
  );
}

function CompareForm({ page: { t }, batches }: { page: Page; batches: EvalBatch[] }) {
  const played = batches.filter(({ error }) => error === null);
  const pick = (name: string, label: string, chosen: number) => (
    <label class="field grow">
      <span>{label}</span>
      <select name={name}>
        {played.map((one, index) => (
          <option value={one.batch_id} selected={index === chosen}>
            {`${one.created_at.slice(0, 19).replace("T", " ")} · ${one.model_id} · ${one.passed}/${one.total}`}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <section class="card" aria-labelledby="compare">
      <h2 id="compare">{t("evals.compare")}</h2>
      <form class="inline" action={`${EVALS_PATH}/compare`} aria-labelledby="compare">
        {pick("before", t("evals.earlier"), 1)}
        {pick("after", t("evals.later"), 0)}
        <button type="submit">{t("evals.compareThem")}</button>
      </form>
    </section>
  );
}

async function showCases(c: PagesContext) {
  const page = c.get("page");
  const { api, t } = page;
  const path = `${EVALS_PATH}/cases`;
  const { items, next_cursor } = await api.get<{ items: EvalCase[]; next_cursor: string | null }>(
    "/quality/evals/cases",
    { cursor: c.req.query("cursor"), limit: 100 },
  );
  const body = (
    <>
      <QualityTabs page={page} />
      <Parts page={page} />
      <Table
        caption={t("evals.cases")}
        heads={[
          t("evals.case"),
          t("evals.expected"),
          t("evals.policy"),
          t("evals.source"),
          t("evals.active"),
        ]}
        rows={items.map((one) => caseRow(page, one))}
        empty={t("evals.noCases")}
      />
      <More path={path} query={{}} cursor={next_cursor} label={t("evals.more")} />
    </>
  );
  return c.html(renderPage(page, t("evals.cases"), body));
}

function caseRow({ t }: Page, one: EvalCase) {
  const { expected_tool: tool, expected_policy_result: policy } = one;
  return [
    <>
      <strong>
        <Named text={one.case_name} />
      </strong>
      <Folded title={t("evals.whole")} value={one} />
    </>,
    tool ? <code>{tool}</code> : t(tool === null ? "evals.noTool" : "evals.anyTool"),
    policy ? t.word("policy", policy) : "—",
    <Named text={one.source || "—"} />,
    <Tag tone={one.is_active ? "ok" : "plain"}>
      {t(one.is_active ? "evals.isActive" : "evals.isInactive")}
    </Tag>,
  ];
}
