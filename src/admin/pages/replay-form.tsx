/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { AreaField, Choices, TextField } from "./fields.tsx";
import { ChangeForm, may, type Sends } from "./may.tsx";
import type { Page } from "./page-context.ts";

const REPLAY: Sends = "POST /quality/replays";

interface Props {
  page: Page;
  conversationId: string;
  title: string;
  /** What was typed and refused; null: nothing was. */
  typed: Record<string, string> | null;
}

/** Asks for a replay of one conversation; folded unless it has to be sent again. */
export function ReplayForm({ page, conversationId, title, typed }: Props) {
  const { t } = page;
  if (!may(page.me, REPLAY)) return null;
  const { rules = "in_force", policies = "", model = "none", model_name = "" } = typed ?? {};
  return (
    <details class="card" open={typed !== null}>
      <summary>{title}</summary>
      <ChangeForm page={page} sends={REPLAY} action="/admin/replays" label={title}>
        <p class="muted">{t("replay.what")}</p>
        <input type="hidden" name="conversation_id" value={conversationId} />
        <Choices
          name="rules"
          legend={t("replay.rules")}
          chosen={rules}
          choices={[
            ["in_force", t("replay.inForce")],
            ["given", t("replay.given")],
          ]}
        />
        <AreaField name="policies" value={policies} label={t("replay.list")} rows={6} isCode />
        <p>
          <a href="/admin/policies">{t("replay.listFrom")}</a>
        </p>
        <Choices
          name="model"
          legend={t("replay.model")}
          chosen={model}
          choices={[
            ["none", t("replay.noModel")],
            ["own", t("replay.ownModel")],
            ["other", t("replay.otherModel")],
          ]}
        />
        <TextField name="model_name" value={model_name} label={t("replay.modelName")} />
        <div class="buttons">
          <button type="submit" class="primary">
            {t("replay.form")}
          </button>
        </div>
      </ChangeForm>
    </details>
  );
}
