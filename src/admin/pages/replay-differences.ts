import { canonicalJson } from "../../domain/json.ts";
import type { JudgedCall } from "../../domain/quality.ts";

/** How a call differs from the one it stands for; `gone`, `new`: there is no other one. */
export type CallMark = "gone" | "new" | "args" | "policy" | "reason";

export interface MarkedCall {
  call: JudgedCall;
  marks: CallMark[];
}

/** Each call of one side stands for at most one of the other: the same one, else of the same tool. */
export function markCalls(
  recorded: readonly JudgedCall[],
  replayed: readonly JudgedCall[],
): { recorded: MarkedCall[]; replayed: MarkedCall[] } {
  const pairs = new Map<JudgedCall, JudgedCall>();
  const taken = new Set<JudgedCall>();
  for (const isPair of [isSame, isOfSameTool])
    for (const now of replayed) {
      if (pairs.has(now)) continue;
      const before = recorded.find((one) => !taken.has(one) && isPair(one, now));
      if (!before) continue;
      pairs.set(now, before);
      taken.add(before);
    }
  return {
    recorded: recorded.map((call) => ({ call, marks: taken.has(call) ? [] : ["gone"] })),
    replayed: replayed.map((call) => ({ call, marks: marksOf(pairs.get(call), call) })),
  };
}

function isSame(before: JudgedCall, now: JudgedCall): boolean {
  return isOfSameTool(before, now) && marksOf(before, now).every((mark) => mark === "reason");
}

function isOfSameTool(before: JudgedCall, now: JudgedCall): boolean {
  return before.toolName === now.toolName;
}

function marksOf(before: JudgedCall | undefined, now: JudgedCall): CallMark[] {
  if (!before) return ["new"];
  const marks: CallMark[] = [];
  if (canonicalJson(before.args) !== canonicalJson(now.args)) marks.push("args");
  if (before.policyResult !== now.policyResult) marks.push("policy");
  else if (before.reason !== now.reason) marks.push("reason");
  return marks;
}
