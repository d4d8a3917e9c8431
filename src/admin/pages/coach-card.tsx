/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */

import { CoachShadow } from "./coach-shadow.tsx";
import { ChangeForm, may, NotYours, type Sends } from "./may.tsx";
import type { Page } from "./page-context.ts";
import { Named, Tag, Time, type Tone } from "./parts.tsx";
import { COACH_PATH, type CoachProposal, guidanceBefore, whyNotAccepted } from "./shown-coach.ts";
import type { ShownStyle } from "./shown-style.ts";
import type { NameOf } from "./staff-names.ts";
import { Examples } from "./style-parts.tsx";

const DISMISS: Sends = "POST /quality/coach/proposals/:id/dismiss";
const TONES: Record<CoachProposal["status"], Tone> = {
  pending: "wait",
  accepted: "ok",
  dismissed: "plain",
};

interface Props {
  page: Page;
  proposal: CoachProposal;
  style: ShownStyle | undefined;
}

/** One suggestion: why, what it would change, how the evals went, and the answers to it. */
export function CoachCard({ page, proposal, style, names }: Props & { names: NameOf }) {
  const { t } = page;
  const { number, status, suggestion_json: suggestion, base_version: base } = proposal;
  const heading = `coach-${number}`;
  return (
    <article class="card" aria-labelledby={heading}>
      <h2 id={heading}>
        {t("coach.one", { n: number })}: <code>{proposal.style_id}</code>
      </h2>
      <p class="tags">
        <Tag tone={TONES[status]}>{t.word("coachStatus", status)}</Tag>
        <Tag tone="plain">{t("coach.defects", { n: proposal.feedback_ids.length })}</Tag>
        <span>{base === 0 ? t("coach.madeOnNothing") : t("coach.madeOn", { n: base })}</span>
        <Named text={proposal.model_id} />
        <Named text={names(proposal.created_by)} />
        <Time at={proposal.created_at} />
      </p>
      <h3>{t("coach.why")}</h3>
      <p class="said">
        <Named text={suggestion.rationale} />
      </p>
      <h3>{t("coach.change")}</h3>
      <Changes page={page} proposal={proposal} style={style} />
      <CoachShadow page={page} proposal={proposal} />
      {status === "pending" ? (
        <Answers page={page} proposal={proposal} style={style} />
      ) : (
        <p>
          {t("approvals.decided")}: <Named text={names(proposal.decided_by)} />{" "}
          <Time at={proposal.decided_at} />
        </p>
      )}
    </article>
  );
}

function Changes({ page, proposal, style }: Props) {
  const { t } = page;
  const { guidance, addExamples, attachSkills, detachSkills } = proposal.suggestion_json;
  return (
    <>
      {guidance === null ? (
        <p class="muted">{t("coach.sameGuidance")}</p>
      ) : (
        <div class="sides">
          <Guidance
            title={t("coach.before")}
            text={guidanceBefore(proposal, style) ?? t("coach.unknownBefore")}
            none={t("coach.empty")}
          />
          <Guidance title={t("coach.after")} text={guidance} none={t("coach.empty")} />
        </div>
      )}
      {addExamples.length > 0 && (
        <div>
          <p>{t("coach.added")}</p>
          <Examples page={page} examples={addExamples} />
        </div>
      )}
      <SkillNames title={t("coach.attached")} ids={attachSkills} />
      <SkillNames title={t("coach.detached")} ids={detachSkills} />
    </>
  );
}

function Guidance({ title, text, none }: { title: string; text: string; none: string }) {
  return (
    <div class="side">
      <h4>{title}</h4>
      {text === "" ? (
        <p class="muted">{none}</p>
      ) : (
        <p class="said">
          <Named text={text} />
        </p>
      )}
    </div>
  );
}

function SkillNames({ title, ids }: { title: string; ids: string[] }) {
  if (ids.length === 0) return null;
  return (
    <p>
      {title}: <Named text={ids.join(", ")} />
    </p>
  );
}

function Answers({ page, proposal, style }: Props) {
  const { t } = page;
  const { number } = proposal;
  if (!may(page.me, DISMISS)) return <NotYours page={page} />;
  const why = whyNotAccepted(proposal, style);
  const whyId = `why-${number}`;
  return (
    <div class="answers">
      <ChangeForm
        page={page}
        sends="POST /quality/coach/proposals/:id/accept"
        action={COACH_PATH}
        label={`${t("coach.accept")} ${number}`}
      >
        <input type="hidden" name="number" value={String(number)} />
        {why && (
          <p class="muted" id={whyId}>
            {t(why)}
          </p>
        )}
        <div class="buttons">
          <button
            type="submit"
            name="act"
            value="accept"
            class="primary"
            disabled={why !== null}
            aria-describedby={why ? whyId : undefined}
          >
            {t("coach.accept")}
          </button>
        </div>
      </ChangeForm>
      <ChangeForm
        page={page}
        sends={DISMISS}
        action={COACH_PATH}
        class="inline"
        label={`${t("coach.dismiss")} ${number}`}
      >
        <input type="hidden" name="number" value={String(number)} />
        <label class="field grow">
          <span>{t("coach.note")}</span>
          <input type="text" name="note" maxlength={1000} autocomplete="off" />
        </label>
        <button type="submit" name="act" value="dismiss">
          {t("coach.dismiss")}
        </button>
      </ChangeForm>
    </div>
  );
}
