import type { RiskClass } from "../domain/tool.ts";

/** `deny`: no policy can allow it. */
export type Floor = "allow" | "approval" | "deny";

const FLOORS: Record<RiskClass, Floor> = {
  read_only: "allow",
  draft_only: "allow",
  write_internal: "approval",
  external_write: "approval",
  send_message: "approval",
  payment: "approval",
  permission_change: "approval",
  delete: "deny",
};

/** The least strict answer that data can give for a class; policy rows only raise it. */
export function riskFloor(risk: RiskClass): Floor {
  return FLOORS[risk];
}

/** Reads and drafts (our own reversible rows) may run in the run itself and be run again. */
export function hasSideEffect(risk: RiskClass): boolean {
  return risk !== "read_only" && risk !== "draft_only";
}
