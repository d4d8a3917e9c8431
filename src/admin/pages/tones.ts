import type { Tone } from "./parts.tsx";

const RISKS: Record<string, Tone> = {
  read_only: "ok",
  draft_only: "ok",
  write_internal: "wait",
  send_message: "wait",
};

/** Of a risk class: money, rights and deletion stand out. */
export function riskTone(risk: string): Tone {
  return RISKS[risk] ?? "no";
}

const STATES: Record<string, Tone> = {
  pending: "wait",
  frozen: "wait",
  queued: "wait",
  running: "wait",
  waiting_retry: "wait",
  waiting_approval: "wait",
  retry_scheduled: "wait",
  approval: "wait",
  proposed: "wait",
  approved: "ok",
  applied: "ok",
  active: "ok",
  completed: "ok",
  executed: "ok",
  allow: "ok",
  approve: "ok",
  sent: "ok",
  ok: "ok",
  kept: "ok",
  unknown: "unknown",
  uncertain: "unknown",
  superseded: "plain",
  cancelled: "plain",
  dismissed: "plain",
  archived: "plain",
};

/** Of a row's status; what is not known to be good or open looks refused. */
export function stateTone(state: string): Tone {
  return STATES[state] ?? "no";
}
