import { el } from "./dom.js";
import { language, t, told } from "./texts.js";
import { stateIcon } from "./trace-parts.js";

/** One step of a call: where it stood, and who or which rule decided. */
export function stepView(step) {
  const { title, note, more } = SHOWN[step.kind](step);
  return el(
    "li",
    { class: `step ${step.state}`, data: { step: step.kind } },
    stateIcon(step.state),
    el(
      "div",
      {},
      el("span", { class: "step-title" }, title),
      note ? el("span", { class: "step-note" }, note) : null,
      more,
    ),
  );
}

const SHOWN = {
  proposed: ({ source }) => ({ title: t("step_proposed"), note: t(`source_${source}`) }),
  schema: ({ version, errors, state }) => ({
    title: t("step_schema"),
    note: state === "ok" ? t("schema_ok", { version: version ?? "" }) : errors.join("; "),
  }),
  policy: ({ result, rule, reason }) => ({
    title: t("step_policy"),
    note: [t(`policy_${result}`), reason ? told(reason) : null].filter(Boolean).join(": "),
    more: rule ? el("code", { class: "rule", title: t("rule") }, rule) : null,
  }),
  approval: ({ name, status, required, people }) => ({
    title: t("step_approval", { name }),
    note: people.length > 0 ? people.map(personNote).join("; ") : approvalNote(status, required),
  }),
  refused: ({ who, reason }) => ({
    title: t("step_refused"),
    note: t("refused_note", { who: who ?? t("a_stranger"), why: told(reason) }),
  }),
  executed: ({ status, summary, tries }) => ({
    title: t("step_executed"),
    // the summary is the model's, in English; it stands whole under what the model was told
    note: language === "en" && summary ? summary : told(status),
    more: triesNote(tries, status),
  }),
};

function personNote({ who, decision, via, reason }) {
  const words = t(`vote_${decision}`, { who, via: told(via) });
  return decision === "reject" && reason ? `${words}: “${reason}”` : words;
}

function approvalNote(status, required) {
  return status === "pending" ? t("approval_waits", { required }) : told(status);
}

function triesNote({ attempts, wasUnknown, lookUps, resent, key }, status) {
  const notes = [
    wasUnknown ? t("was_unknown") : null,
    attempts > 1 ? t("attempts", { count: attempts }) : null,
    lookUps > 0 ? t("look_ups", { count: lookUps }) : null,
    resent ? t("resent") : null,
    key && status !== "queued" ? t("only_once", { key }) : null,
  ].filter(Boolean);
  return notes.length > 0 ? el("span", { class: "step-note tries" }, notes.join(" · ")) : null;
}
