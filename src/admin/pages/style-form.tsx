/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import type { StyleSkill } from "../../domain/style.ts";
import { AreaField, CheckField, TextField } from "./fields.tsx";
import { ChangeForm } from "./may.tsx";
import type { Page } from "./page-context.ts";
import { exampleRows, type StyleFields } from "./style-fields.ts";

const PATH = "/admin/styles";
const GUIDANCE_ROWS = 8;

interface Props {
  page: Page;
  fields: StyleFields;
  skills: StyleSkill[];
  /** A new one is given its id. */
  isNew: boolean;
}

/** A style to be written; saving other words makes a further version. */
export function StyleForm({ page, fields, skills, isNew }: Props) {
  const { t } = page;
  const { id, name, guidance, examples, is_active } = fields;
  return (
    <ChangeForm
      page={page}
      sends="PUT /quality/styles/:id"
      action={PATH}
      label={isNew ? t("style.add") : t("style.one", { id })}
    >
      <input type="hidden" name="form" value={isNew ? "add" : "edit"} />
      {isNew ? (
        <TextField name="id" value={id} label={t("style.id")} isNeeded />
      ) : (
        <input type="hidden" name="id" value={id} />
      )}
      <TextField name="name" value={name} label={t("style.name")} isNeeded />
      <AreaField
        name="guidance"
        value={guidance}
        label={t("style.guidance")}
        rows={GUIDANCE_ROWS}
      />
      <p class="muted">{t("style.exampleNote")}</p>
      {exampleRows(examples).map(({ client, answer }, n) => (
        <div class="sides">
          <AreaField
            name={`example_client_${n}`}
            value={client}
            label={t("style.client", { n: n + 1 })}
          />
          <AreaField
            name={`example_answer_${n}`}
            value={answer}
            label={t("style.answer", { n: n + 1 })}
          />
        </div>
      ))}
      <Attached page={page} fields={fields} skills={skills} />
      <CheckField name="is_active" isOn={is_active} label={t("style.active")} />
      <div class="buttons">
        <button type="submit" name="act" value="save" class="primary">
          {t("style.save")}
        </button>
      </div>
    </ChangeForm>
  );
}

function Attached({ page: { t }, fields, skills }: Omit<Props, "isNew">) {
  if (skills.length === 0) return null;
  return (
    <fieldset class="choices">
      <legend>{t("style.skills")}</legend>
      {skills.map(({ id }) => (
        <CheckField name={`skill_${id}`} isOn={fields.skills.includes(id)} label={id} />
      ))}
    </fieldset>
  );
}
