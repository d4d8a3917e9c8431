/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import type { Shadow } from "../../domain/quality.ts";
import { ChangeForm } from "./may.tsx";
import type { Page } from "./page-context.ts";
import { Facts, Named, Tag, Time, type Tone } from "./parts.tsx";
import { COACH_PATH, type CoachProposal } from "./shown-coach.ts";

const TONES: Record<Shadow["state"], Tone> = { running: "wait", done: "ok", failed: "no" };

/** How the scenarios go under the suggestion, and the button that has them played. */
export function CoachShadow({ page, proposal }: { page: Page; proposal: CoachProposal }) {
  const { t } = page;
  const { shadow_json: shadow, number, status, becomes } = proposal;
  return (
    <>
      <h3>{t("coach.shadow")}</h3>
      <p class="tags" role="status">
        <Tag tone={shadow ? TONES[shadow.state] : "plain"}>
          {shadow ? t(`shadow.${shadow.state}`) : t("coach.shadowNone")}
        </Tag>
        {shadow && <Time at={new Date(shadow.at).toISOString()} />}
        {shadow?.state === "running" && <a href={COACH_PATH}>{t("coach.refresh")}</a>}
      </p>
      {shadow?.state === "failed" && (
        <p class="bad">
          <Named text={shadow.error} />
        </p>
      )}
      {shadow?.state === "done" && <Results page={page} shadow={shadow} />}
      {status === "pending" && becomes && shadow?.state !== "running" && (
        <ChangeForm
          page={page}
          sends="POST /quality/coach/proposals/:id/shadow"
          action={COACH_PATH}
          label={`${t("coach.run")} ${number}`}
        >
          <p class="muted">{t("coach.shadowNote")}</p>
          <input type="hidden" name="number" value={String(number)} />
          <div class="buttons">
            <button type="submit" name="act" value="shadow">
              {t("coach.run")}
            </button>
          </div>
        </ChangeForm>
      )}
    </>
  );
}

type Done = Extract<Shadow, { state: "done" }>;

function Results({ page: { t }, shadow }: { page: Page; shadow: Done }) {
  const { total, passedBefore, passedAfter, broken, mended, modelId } = shadow;
  return (
    <Facts
      items={[
        [t("coach.passedBefore"), t("coach.of", { n: passedBefore, m: total })],
        [t("coach.passedAfter"), t("coach.of", { n: passedAfter, m: total })],
        [t("coach.broken"), <CaseNames names={broken} none={t("coach.none")} />],
        [t("coach.mended"), <CaseNames names={mended} none={t("coach.none")} />],
        [t("replay.asked"), <Named text={modelId} />],
      ]}
    />
  );
}

/** One a line. */
export function CaseNames({ names, none }: { names: string[]; none: string }) {
  if (names.length === 0) return <>{none}</>;
  return (
    <ul>
      {names.map((name) => (
        <li>
          <Named text={name} />
        </li>
      ))}
    </ul>
  );
}
