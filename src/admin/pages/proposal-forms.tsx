/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { ARTIFACT_KINDS } from "../../domain/quality.ts";
import { ChangeForm, may, NotYours, type Sends } from "./may.tsx";
import type { Page } from "./page-context.ts";
import type { Proposal } from "./shown-proposal.ts";

const PATH = "/admin/quality/proposals";
const [CASE, APPLY, DISMISS] = [
  "POST /quality/proposals/:id/case",
  "POST /quality/proposals/:id/apply",
  "POST /quality/proposals/:id/dismiss",
] as const;
const ANSWERS: readonly Sends[] = [CASE, APPLY, DISMISS];
const POLICY_RESULTS = ["", "allow", "approval", "deny", "schema_failed"];

interface Props {
  page: Page;
  proposal: Pick<Proposal, "id" | "number" | "evidence">;
  /** What was typed and refused. */
  typed: Record<string, string>;
}

/** The three answers to an open proposal. */
export function ProposalForms(props: Props) {
  if (!ANSWERS.some((sends) => may(props.page.me, sends))) return <NotYours page={props.page} />;
  return (
    <div class="answers">
      <CaseForm {...props} />
      <ApplyForm {...props} />
      <DismissForm {...props} />
    </div>
  );
}

function CaseForm({ page, proposal, typed }: Props) {
  const { t } = page;
  const field = fieldsOf(page, typed);
  return (
    <details open={typed.act === "case"}>
      <summary>{t("quality.makeCase")}</summary>
      <ChangeForm page={page} sends={CASE} action={PATH} class="grid" label={t("quality.makeCase")}>
        <input type="hidden" name="id" value={proposal.id} />
        {field("title")}
        {field("behavior")}
        <label class="field">
          <span>{t("case.tool_call_id")}</span>
          <select name="tool_call_id">
            <option value="">{t("case.newestCall")}</option>
            {proposal.evidence
              .filter(({ tool_call_id }) => tool_call_id)
              .map(({ tool_call_id, tool_call_number }) => (
                <option value={tool_call_id ?? ""} selected={typed.tool_call_id === tool_call_id}>
                  #{tool_call_number}
                </option>
              ))}
          </select>
        </label>
        {field("expected_tool")}
        <label class="field">
          <span>{t("case.expected_policy_result")}</span>
          <select name="expected_policy_result">
            {POLICY_RESULTS.map((result) => (
              <option value={result} selected={result === (typed.expected_policy_result ?? "")}>
                {result === "" ? "—" : t.word("policy", result)}
              </option>
            ))}
          </select>
        </label>
        {field("forbidden_tools")}
        {area(page, typed, "expected_args")}
        {area(page, typed, "action_items")}
        {field("note")}
        <div class="buttons">
          <button type="submit" name="act" value="case" class="primary">
            {t("quality.makeCase")}
          </button>
        </div>
      </ChangeForm>
    </details>
  );
}

function ApplyForm({ page, proposal, typed }: Props) {
  const { t } = page;
  const field = fieldsOf(page, typed);
  return (
    <details open={typed.act === "apply"}>
      <summary>{t("quality.apply")}</summary>
      <ChangeForm page={page} sends={APPLY} action={PATH} class="grid" label={t("quality.apply")}>
        <input type="hidden" name="id" value={proposal.id} />
        <label class="field">
          <span>{t("case.ref_kind")}</span>
          <select name="ref_kind">
            {ARTIFACT_KINDS.map((kind) => (
              <option value={kind} selected={kind === typed.ref_kind}>
                {t.word("artifact", kind)}
              </option>
            ))}
          </select>
        </label>
        {field("ref_value")}
        {field("note")}
        <div class="buttons">
          <button type="submit" name="act" value="apply" class="primary">
            {t("quality.apply")}
          </button>
        </div>
      </ChangeForm>
    </details>
  );
}

function DismissForm({ page, proposal, typed }: Props) {
  const { t } = page;
  return (
    <details open={typed.act === "dismiss"}>
      <summary>{t("quality.dismiss")}</summary>
      <ChangeForm
        page={page}
        sends={DISMISS}
        action={PATH}
        class="grid"
        label={t("quality.dismiss")}
      >
        <input type="hidden" name="id" value={proposal.id} />
        {fieldsOf(page, typed)("note")}
        <div class="buttons">
          <button type="submit" name="act" value="dismiss">
            {t("quality.dismiss")}
          </button>
        </div>
      </ChangeForm>
    </details>
  );
}

/** Text fields by name; their labels are the texts `case.<name>`. */
function fieldsOf({ t }: Page, typed: Record<string, string>) {
  return (name: string) => (
    <label class="field">
      <span>{t.word("case", name)}</span>
      <input type="text" name={name} value={typed[name] ?? ""} autocomplete="off" />
    </label>
  );
}

function area({ t }: Page, typed: Record<string, string>, name: string) {
  return (
    <label class="field wide">
      <span>{t.word("case", name)}</span>
      <textarea name={name} rows={3} spellcheck={false}>
        {typed[name] ?? ""}
      </textarea>
    </label>
  );
}
