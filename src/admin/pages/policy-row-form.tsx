/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import type { PolicyRow } from "../../domain/policy-row.ts";
import { ChangeForm, may, NotYours } from "./may.tsx";
import type { Page } from "./page-context.ts";
import { POLICY_DEEDS } from "./policy-deeds.ts";

const BLANK: PolicyRow = {
  id: "",
  tool_name: "",
  role: "*",
  condition_json: {},
  allow_call: true,
  requires_approval: true,
  approvals_required: 1,
  approver_role: "operator",
  approval_ttl_s: null,
  max_calls_per_run: 3,
  max_payload_size: 8192,
  is_active: true,
};

/** One rule by its fields; null: a new one. Simulating it leads to the whole list with this row in it. */
export function RowForm(props: { page: Page; row: PolicyRow | null; tool: string }) {
  const { page, tool } = props;
  const { t } = page;
  const row = props.row ?? { ...BLANK, tool_name: tool };
  return (
    <section class="card" aria-labelledby="edit-row">
      <h2 id="edit-row">{props.row ? t("policies.editOne", { id: row.id }) : t("policies.add")}</h2>
      <ChangeForm page={page} sends={POLICY_DEEDS} action="/admin/policies" class="grid">
        <input type="hidden" name="form" value="row" />
        <input type="hidden" name="was" value={props.row?.id ?? ""} />
        <Text name="id" value={row.id} label={t("policies.id")} />
        <Text name="tool_name" value={row.tool_name} label={t("tools.tool")} />
        <Text name="role" value={row.role} label={t("policies.role")} />
        <label class="field wide">
          <span>{t("policies.condition")}</span>
          <textarea name="condition_json" rows={4} class="code" spellcheck={false}>
            {JSON.stringify(row.condition_json, null, 2)}
          </textarea>
        </label>
        <Check name="allow_call" isOn={row.allow_call} label={t("policies.allowCall")} />
        <Check
          name="requires_approval"
          isOn={row.requires_approval}
          label={t("policies.requiresApproval")}
        />
        <Check name="is_active" isOn={row.is_active} label={t("policies.active")} />
        <Text
          name="approvals_required"
          value={row.approvals_required}
          label={t("policies.approvals")}
        />
        <label class="field">
          <span>{t("policies.approver")}</span>
          <select name="approver_role">
            {["operator", "admin"].map((role) => (
              <option value={role} selected={role === row.approver_role}>
                {t.word("role", role)}
              </option>
            ))}
          </select>
        </label>
        <Text name="approval_ttl_s" value={row.approval_ttl_s ?? ""} label={t("policies.ttl")} />
        <Text
          name="max_calls_per_run"
          value={row.max_calls_per_run}
          label={t("policies.maxCalls")}
        />
        <Text
          name="max_payload_size"
          value={row.max_payload_size}
          label={t("policies.maxPayload")}
        />
        <PolicyButtons page={page} />
      </ChangeForm>
    </section>
  );
}

/** Who may not save may still see what it would change. */
export function PolicyButtons({ page }: { page: Page }) {
  const { t, me } = page;
  const [simulate, save] = POLICY_DEEDS;
  return (
    <>
      <div class="buttons">
        {may(me, simulate) && (
          <button type="submit" name="act" value="simulate" class="primary">
            {t("policies.simulate")}
          </button>
        )}
        {may(me, save) && (
          <button type="submit" name="act" value="save">
            {t("policies.save")}
          </button>
        )}
      </div>
      {!may(me, save) && <NotYours page={page} />}
    </>
  );
}

function Text({ name, value, label }: { name: string; value: string | number; label: string }) {
  return (
    <label class="field">
      <span>{label}</span>
      <input type="text" name={name} value={String(value)} autocomplete="off" />
    </label>
  );
}

function Check({ name, isOn, label }: { name: string; isOn: boolean; label: string }) {
  return (
    <label class="check">
      <input type="checkbox" name={name} checked={isOn} />
      <span>{label}</span>
    </label>
  );
}
