/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { Hono } from "hono";
import type { Refusal } from "./api-client.ts";
import { formField, settle } from "./change-form.ts";
import type { Guards } from "./guard.ts";
import { renderPage } from "./layout.tsx";
import { ChangeForm, may } from "./may.tsx";
import type { Page, PagesContext, PagesEnv } from "./page-context.ts";
import { Folded, linkTo, More, Named, Refused, Table, Tag, Time } from "./parts.tsx";
import { QualityTabs } from "./quality-tabs.tsx";
import { stateTone } from "./tones.ts";

const PATH = "/admin/quality/cases";
const STATUSES = ["active", "archived", "all"] as const;
const MS = 1000;

/** As the export has it; times in epoch seconds. */
interface RegressionCase {
  id: number;
  toolName: string;
  label: string;
  title: string;
  status: "active" | "archived";
  input: object;
  expected: { behavior?: string };
  context: object;
  createdAt: number;
}

/** Judged calls with what is expected instead. */
export function casePages(guards: Guards) {
  const routes = new Hono<PagesEnv>();
  routes.get("/", (c) => show(c, null));
  routes.post("/", async (c) => {
    const { api, t } = c.get("page");
    const form = await c.req.parseBody();
    const act = formField(form, "act") === "restore" ? "restore" : "archive";
    const id = encodeURIComponent(formField(form, "id"));
    const answer = await api.send("POST", `/quality/tool-call-regression-cases/${id}/${act}`);
    return settle(c, guards, {
      answer,
      done: { path: PATH, notice: t(`quality.${act}d`) },
      again: (error) => show(c, error),
    });
  });
  return routes;
}

async function show(c: PagesContext, error: Refusal | null) {
  const page = c.get("page");
  const { api, t } = page;
  const status = c.req.query("status") ?? "active";
  const { items, next_cursor } = await api.get<{
    items: RegressionCase[];
    next_cursor: string | null;
  }>("/quality/tool-call-regression-cases", { status, cursor: c.req.query("cursor") });
  const body = (
    <>
      <QualityTabs page={page} />
      <Refused error={error} title={t("refused.title")} />
      <nav class="filters" aria-label={t("approvals.byStatus")}>
        {STATUSES.map((one) => (
          <a
            class="chip"
            href={linkTo(PATH, { status: one })}
            aria-current={one === status ? "page" : undefined}
          >
            {t.word("case", one)}
          </a>
        ))}
      </nav>
      <Table
        caption={t("quality.cases")}
        heads={[
          t("quality.case"),
          t("case.title"),
          t("approvals.status"),
          t("audit.when"),
          t("quality.details"),
          t("quality.change"),
        ]}
        rows={items.map((one) => caseRow(page, one))}
        empty={t("list.empty")}
      />
      <More path={PATH} query={{ status }} cursor={next_cursor} label={t("list.more")} />
      {may(page.me, "GET /quality/tool-call-regression-cases/export.jsonl") && (
        <p class="buttons">
          {STATUSES.map((one) => (
            <a class="button" href={linkTo("/admin/quality/cases.jsonl", { status: one })}>
              {t("quality.download")}: {t.word("case", one)}
            </a>
          ))}
        </p>
      )}
    </>
  );
  return c.html(renderPage(page, t("quality.cases"), body));
}

function caseRow(page: Page, one: RegressionCase) {
  const { t } = page;
  const act = one.status === "active" ? "archive" : "restore";
  return [
    <>
      <strong>REG-{one.id}</strong>
      <br />
      <code>{one.toolName}</code> <small>{t.word("label", one.label)}</small>
    </>,
    <>
      <Named text={one.title} />
      {one.expected.behavior && (
        <>
          <br />
          <small>
            <Named text={one.expected.behavior} />
          </small>
        </>
      )}
    </>,
    <Tag tone={stateTone(one.status)}>{t.word("case", one.status)}</Tag>,
    <Time at={new Date(one.createdAt * MS).toISOString()} />,
    <>
      <Folded title={t("quality.input")} value={one.input} />
      <Folded title={t("quality.expected")} value={one.expected} />
      <Folded title={t("quality.context")} value={one.context} />
    </>,
    <ChangeForm
      page={page}
      sends={`POST /quality/tool-call-regression-cases/:id/${act}`}
      action={PATH}
      otherwise="—"
    >
      <input type="hidden" name="id" value={String(one.id)} />
      <button type="submit" name="act" value={act} class="small">
        {t(`quality.${act}`)}
        <span class="hidden"> REG-{one.id}</span>
      </button>
    </ChangeForm>,
  ];
}
