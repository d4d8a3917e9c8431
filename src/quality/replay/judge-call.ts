import type { OrderStatus } from "../../domain/deal.ts";
import type { Json } from "../../domain/json.ts";
import type { PolicyRow } from "../../domain/policy-row.ts";
import type { JudgedCall } from "../../domain/quality.ts";
import { type GateFacts, simulate } from "../../policy/evaluate.ts";
import { hasSideEffect } from "../../policy/risk.ts";
import { checkArguments } from "../../tools/check-arguments.ts";
import type { AnyTool } from "../../tools/contract.ts";
import { isExchangeTool, stageAllows, stageForTool } from "../../tools/exchange/stage-tools.ts";
import type { Registry } from "../../tools/registry.ts";

/** Schemas and rules as they stand now. */
export interface Rules {
  registry: Registry;
  policies: readonly PolicyRow[];
  /** Tools that the tenant has switched on; null: all. */
  activeTools: ReadonlySet<string> | null;
}

/** As a model writes it. */
export interface RawCall {
  name: string;
  arguments: string;
}

/**
 * What schemas and rules say of a call, on the facts that a gate once had. Pure: looks up nothing,
 * so that an argument which names somebody else's record is told only by `facts`.
 */
export function judgeCall(rules: Rules, call: RawCall, facts: GateFacts | null): JudgedCall {
  const registered = rules.registry.find(call.name);
  const toolName = call.name;
  if (!registered)
    return { toolName, args: jsonOf(call.arguments), policyResult: null, reason: "unknown_tool" };
  const { tool } = registered;
  const checked = checkArguments(tool, call);
  if (!checked.ok) {
    const problems = checked.errors.map(({ path, message }) =>
      path ? `${path}: ${message}` : message,
    );
    const reason = `schema_failed (${problems.join("; ")})`;
    return { toolName, args: checked.args, policyResult: null, reason };
  }
  if (!facts) return { toolName, args: checked.args, policyResult: null, reason: "facts_unknown" };
  const decision = simulate(factsOf(rules, tool, call, facts), rules.policies);
  return {
    toolName,
    args: checked.args,
    policyResult: decision.kind,
    reason: decision.kind === "deny" ? decision.reason : null,
  };
}

/** False: fields that the schema wants are not among the arguments, which name only some of them. */
export function isWholeCall({ registry }: Rules, call: RawCall): boolean {
  const registered = registry.find(call.name);
  if (!registered) return true;
  const checked = checkArguments(registered.tool, call);
  return checked.ok || checked.errors.every(({ rule }) => rule !== "required");
}

/** Of another tool than the recorded one, what depends on the tool is told anew. */
function factsOf(rules: Rules, tool: AnyTool, call: RawCall, facts: GateFacts): GateFacts {
  const isSame = facts.tool.name === tool.name;
  const isActive = rules.activeTools ? rules.activeTools.has(tool.name) : true;
  return {
    ...facts,
    tool: {
      ...{ name: tool.name, risk: tool.risk, isActive },
      stageAllowed: isSame ? facts.tool.stageAllowed : isAtStage(tool, facts),
    },
    payloadBytes: Buffer.byteLength(call.arguments),
    ...(isSame ? {} : { callsInRun: 0, rejectedBefore: false, toolWithdrawn: false }),
    hasBusinessKey: isSame ? facts.hasBusinessKey : hasSideEffect(tool.risk),
  };
}

function isAtStage(tool: AnyTool, { known }: GateFacts): boolean {
  if (!tool.staged || !isExchangeTool(tool.name)) return true;
  const { stage, order_status } = known;
  const at = stageForTool(tool.name, String(stage), (order_status ?? null) as OrderStatus | null); // a row's word
  return stageAllows(tool.name, at);
}

/** As it stands where it is no JSON. */
export function jsonOf(text: string): Json {
  try {
    return JSON.parse(text) as Json; // JSON is Json
  } catch {
    return text;
  }
}
