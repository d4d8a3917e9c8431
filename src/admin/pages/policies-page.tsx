/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { Hono } from "hono";
import type { PolicyRow } from "../../domain/policy-row.ts";
import type { Refusal } from "./api-client.ts";
import { formField, settle } from "./change-form.ts";
import type { Guards } from "./guard.ts";
import { renderPage } from "./layout.tsx";
import { ChangeForm } from "./may.tsx";
import type { Page, PagesContext, PagesEnv } from "./page-context.ts";
import { linkTo, Refused, Table, Tag } from "./parts.tsx";
import { POLICY_DEEDS } from "./policy-deeds.ts";
import { readJsonText, rowOf, withRow } from "./policy-form.ts";
import { PolicyButtons, RowForm } from "./policy-row-form.tsx";
import { type Simulated, SimulationResult } from "./simulation.tsx";

const PATH = "/admin/policies";

/** What the page shows beside the rows: what was typed, and what came of it. */
interface State {
  /** The whole list as text; null: the rows in force. */
  text: string | null;
  error: Refusal | null;
  simulated: Simulated | null;
}

const AS_IT_IS: State = { text: null, error: null, simulated: null };

/** The rules, a form for one row, the list as JSON, and a trial on last week's calls. */
export function policyPages(guards: Guards) {
  const routes = new Hono<PagesEnv>();
  routes.get("/", (c) => show(c, AS_IT_IS));
  routes.post("/", async (c) => {
    const { api, t } = c.get("page");
    const form = await c.req.parseBody();
    const typed = await typedList(c, form);
    if (typed.error) {
      c.status(400);
      return show(c, { ...typed, simulated: null });
    }
    const { text, policies } = typed;
    if (formField(form, "act") !== "save") {
      const answer = await api.send<Simulated>("POST", "/policies/simulate", { policies });
      if (answer.ok) return show(c, { text, error: null, simulated: answer.body });
      return settle(c, guards, {
        answer,
        done: { path: PATH, notice: "" },
        again: (error) => show(c, { text, error, simulated: null }),
      });
    }
    const answer = await api.send<Saved>("PUT", "/policies", { policies });
    return settle(c, guards, {
      answer,
      done: { path: PATH, notice: answer.ok ? savedNotice(answer.body, t("policies.saved")) : "" },
      again: (error) => show(c, { text, error, simulated: null }),
    });
  });
  return routes;
}

interface Saved {
  /** Of a change that people have to approve. */
  message?: string;
  warnings?: string[];
}

function savedNotice({ message, warnings = [] }: Saved, saved: string): string {
  return [message ?? saved, ...warnings].join(" · ");
}

type Typed = { text: string; error: Refusal } | { text: string; error: null; policies: unknown };

/** The list as it was typed, or the list in force with the one row of the form. */
async function typedList(c: PagesContext, form: Record<string, unknown>): Promise<Typed> {
  const { api, t } = c.get("page");
  const refused = (text: string, message: string): Typed => ({
    text,
    error: { code: "invalid", message: `${t("policies.badJson")}: ${message}` },
  });
  if (formField(form, "form") === "list") {
    const text = formField(form, "policies");
    const read = readJsonText(text);
    return read.ok ? { text, error: null, policies: read.value } : refused(text, read.message);
  }
  const { policies } = await api.get<{ policies: PolicyRow[] }>("/policies");
  const condition = formField(form, "condition_json");
  const read = readJsonText(condition);
  const row = rowOf((name) => formField(form, name), read.ok ? read.value : condition);
  const list = withRow(policies, row, formField(form, "was"));
  const text = JSON.stringify(list, null, 2);
  return read.ok
    ? { text, error: null, policies: list }
    : refused(text, `condition_json: ${read.message}`);
}

async function show(c: PagesContext, state: State) {
  const page = c.get("page");
  const { api, t } = page;
  const { policies } = await api.get<{ policies: PolicyRow[] }>("/policies");
  const tool = c.req.query("tool") ?? "";
  const edited = c.req.query("edit");
  const row = policies.find(({ id }) => id === edited);
  const shown = policies.filter(({ tool_name }) => tool === "" || tool_name === tool);
  const body = (
    <>
      <Refused error={state.error} title={t("refused.title")} />
      {state.simulated && <SimulationResult page={page} simulated={state.simulated} />}
      {(row || c.req.query("edit") === "new") && state.text === null && (
        <RowForm page={page} row={row ?? null} tool={tool} />
      )}
      <section aria-labelledby="rows">
        <h2 id="rows">{tool ? t("policies.rowsOf", { tool }) : t("policies.rows")}</h2>
        {tool && (
          <p>
            <a href={PATH}>{t("policies.allRows")}</a>
          </p>
        )}
        <PolicyTable page={page} rows={shown} />
        <p>
          <a class="button" href={linkTo(PATH, { edit: "new", tool })}>
            {t("policies.add")}
          </a>
        </p>
      </section>
      <ListForm
        page={page}
        text={state.text ?? JSON.stringify(policies, null, 2)}
        isOpen={state.text !== null}
      />
    </>
  );
  return c.html(renderPage(page, t("nav.policies"), body));
}

function PolicyTable({ page: { t }, rows }: { page: Page; rows: PolicyRow[] }) {
  return (
    <Table
      caption={t("policies.rows")}
      heads={[
        t("policies.rule"),
        t("policies.role"),
        t("policies.condition"),
        t("policies.effect"),
        t("policies.limits"),
        t("policies.edit"),
      ]}
      rows={rows.map((row) => [
        <>
          <strong>{row.tool_name}</strong>
          <br />
          <code>{row.id}</code>
        </>,
        row.role,
        <code>{JSON.stringify(row.condition_json)}</code>,
        <Effect t={t} row={row} />,
        `${row.max_calls_per_run} / ${row.max_payload_size}`,
        <a href={linkTo(PATH, { edit: row.id })}>
          {t("policies.edit")}
          <span class="hidden"> {row.id}</span>
        </a>,
      ])}
      empty={t("list.empty")}
    />
  );
}

function Effect({ t, row }: { t: Page["t"]; row: PolicyRow }) {
  if (!row.is_active) return <Tag tone="plain">{t("policies.inactive")}</Tag>;
  if (!row.allow_call) return <Tag tone="no">{t.word("policy", "deny")}</Tag>;
  if (!row.requires_approval) return <Tag tone="ok">{t.word("policy", "allow")}</Tag>;
  return (
    <>
      <Tag tone="wait">{t.word("policy", "approval")}</Tag>{" "}
      <small>
        {row.approvals_required} × {t.word("role", row.approver_role)}
        {row.approval_ttl_s !== null && ` · ${row.approval_ttl_s} s`}
      </small>
    </>
  );
}

function ListForm({ page, text, isOpen }: { page: Page; text: string; isOpen: boolean }) {
  const { t } = page;
  return (
    <details class="card" open={isOpen}>
      <summary>{t("policies.asJson")}</summary>
      <ChangeForm page={page} sends={POLICY_DEEDS} action={PATH}>
        <input type="hidden" name="form" value="list" />
        <label class="field">
          <span>{t("policies.list")}</span>
          <textarea name="policies" rows={18} class="code" spellcheck={false}>
            {text}
          </textarea>
        </label>
        <PolicyButtons page={page} />
      </ChangeForm>
    </details>
  );
}
