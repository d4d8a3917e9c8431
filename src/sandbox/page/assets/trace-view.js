import { el, icon } from "./dom.js";
import { t, timeOf, told } from "./texts.js";
import { briefOf, chip, dataView } from "./trace-parts.js";
import { stepView } from "./trace-steps.js";

/** One run: what was asked, which calls the model proposed and what became of them, the answer. */
export function turnView(turn) {
  return el(
    "article",
    { class: `turn ${turn.kind}`, data: { turn: turn.id } },
    headOf(turn),
    turn.asked.map(askedView),
    turn.calls.map(callView),
    turn.calls.length === 0 && turn.replies.length > 0
      ? el("p", { class: "no-calls" }, t("no_calls"))
      : null,
    turn.guard
      ? el("p", { class: "guard" }, icon("operators"), t("guard_found", { what: turn.guard }))
      : null,
    turn.replies.map((reply) => replyView(turn, reply)),
    modelLine(turn),
  );
}

function headOf({ kind, approval, status, at }) {
  const title =
    kind === "continuation" ? t("turn_continuation", { name: approval ?? "" }) : t(`turn_${kind}`);
  return el(
    "header",
    {},
    el("b", {}, title),
    status === "completed" ? null : chip(RUN_LOOKS[status] ?? "wait", told(status)),
    el("time", {}, timeOf(Date.parse(at))),
  );
}

function askedView({ text, media }) {
  const files = media.map((kind) => el("span", { class: "asked-file" }, t(`media_${kind}`)));
  return el("p", { class: "asked" }, files, text);
}

const RUN_LOOKS = { failed: "no", exhausted: "no", cancelled: "no", superseded: "plain" };

const CALL_LOOKS = {
  executed: "ok",
  failed: "no",
  schema_failed: "no",
  blocked_by_policy: "no",
  waiting_approval: "wait",
  queued: "wait",
};

function callView(call) {
  return el(
    "section",
    { class: "call", data: { call: call.id, tool: call.tool, status: call.status } },
    el(
      "header",
      {},
      el("code", { class: "tool" }, call.tool),
      call.risk
        ? el("span", { class: `risk ${call.risk}`, title: t("risk") }, told(call.risk))
        : null,
      chip(callLook(call), told(callStatus(call))),
    ),
    el("p", { class: "brief" }, briefOf(call.arguments)),
    el("ol", { class: "steps" }, call.steps.map(stepView)),
    el(
      "div",
      { class: "data-row" },
      dataView(t("arguments"), call.arguments),
      dataView(t("policy_facts"), factsOf(call)),
      dataView(t("result"), call.result),
    ),
  );
}

/** What the policy was asked about; facts that nobody knew decide nothing and are left out. */
function factsOf({ steps }) {
  const policy = steps.find(({ kind }) => kind === "policy");
  if (!policy) return null;
  return Object.fromEntries(Object.entries(policy.facts).filter(([, value]) => value !== null));
}

/** More exact than the row: what people decided, and that nobody knows yet whether it happened. */
function callStatus({ status, steps }) {
  const last = steps.at(-1);
  if (status === "failed" && last?.kind === "approval") return last.status;
  return status === "queued" && last?.state === "unknown" ? "unknown" : status;
}

function callLook(call) {
  return callStatus(call) === "unknown" ? "unknown" : (CALL_LOOKS[call.status] ?? "plain");
}

function replyView({ origin }, { text, status }) {
  return el(
    "div",
    { class: `reply ${status}` },
    el("p", {}, text),
    el(
      "p",
      { class: "reply-notes" },
      origin && status !== "superseded" ? chip("plain", told(`origin_${origin}`)) : null,
      chip(status === "sent" ? "ok" : (REPLY_LOOKS[status] ?? "plain"), told(status)),
    ),
  );
}

const REPLY_LOOKS = { pending: "wait", sending: "wait", uncertain: "unknown", failed: "no" };

function modelLine({ models }) {
  if (models.length === 0) return null;
  const [first] = models;
  const tokens = models.reduce((sum, one) => sum + one.tokens, 0);
  const failed = models.filter(({ status }) => status !== "ok").length;
  return el(
    "p",
    { class: "model-line" },
    t("model_line", { name: first.name, calls: models.length, tokens }),
    failed > 0 ? chip("no", t("model_failed", { count: failed })) : null,
  );
}
