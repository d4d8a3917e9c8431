import { type OrderStatus, STAGES, type Stage } from "../../domain/deal.ts";
import { isStage, readStage } from "./stages.ts";

const ALLOWED = {
  compute_exchange_quote: [
    "exchange_request",
    "quote_calculated",
    "kyc_collection",
    "order_created",
    "requisites_sent",
  ],
  check_exchange_verification: [
    "quote_calculated",
    "verification_check",
    "kyc_collection",
    "risk_review",
    "order_created",
  ],
  create_exchange_order: ["quote_calculated", "verification_check", "risk_review", "order_created"],
  cancel_exchange_order: STAGES,
  fetch_exchange_requisites: ["order_created", "requisites_sent"],
  verify_exchange_payment: ["requisites_sent", "payment_proof_waiting"],
  change_payout_destination: [
    "order_created",
    "requisites_sent",
    "payment_proof_waiting",
    "payment_verified",
    "payout_or_completion",
  ],
  issue_exchange_payout: ["payment_verified"],
  get_exchange_business_info: STAGES,
} as const satisfies Record<string, readonly Stage[]>;

/** Tools that the stage of a deal permits or forbids; all others run at any stage. */
export type ExchangeTool = keyof typeof ALLOWED;

/**
 * Goes to the model as it stands: which tools would run now. Field names are part of that contract.
 */
export interface StageRefusal {
  ok: false;
  needsOperator: true;
  reason: "action_not_allowed_for_stage";
  toolName: ExchangeTool;
  stageSlug: string;
  allowedTools: ExchangeTool[];
  note: string;
}

/** Tools that work on what is left of an expired order: revive it, or tell of money sent too late. */
const ON_EXPIRED: readonly ExchangeTool[] = [
  "fetch_exchange_requisites",
  "verify_exchange_payment",
];

/** By own keys only: a tool of another name has no stages. */
export function isExchangeTool(name: string): name is ExchangeTool {
  return Object.hasOwn(ALLOWED, name);
}

/** False for a stage that is not known, whatever the tool. */
export function stageAllows(tool: ExchangeTool, stage: string): boolean {
  const stages: readonly Stage[] = ALLOWED[tool];
  return isStage(stage) && stages.includes(stage);
}

/** Empty for a stage that is not known. */
export function toolsOfStage(stage: string): ExchangeTool[] {
  return Object.keys(ALLOWED)
    .filter(isExchangeTool)
    .filter((tool) => stageAllows(tool, stage));
}

/** The stage a tool is judged by: the deal's own for tools on an expired order, else as it is read. */
export function stageForTool(
  tool: ExchangeTool,
  stage: string,
  lastOrder: OrderStatus | null,
): string {
  if (lastOrder === "expired" && ON_EXPIRED.includes(tool)) return stage;
  return readStage(stage, lastOrder);
}

/** What the model is told when a call comes at the wrong time; null when it does not. */
export function stageRefusal(tool: ExchangeTool, stage: string): StageRefusal | null {
  if (stageAllows(tool, stage)) return null;
  const allowedTools = toolsOfStage(stage);
  const known = allowedTools.length > 0;
  return {
    ok: false,
    needsOperator: true,
    reason: "action_not_allowed_for_stage",
    toolName: tool,
    stageSlug: stage,
    allowedTools,
    note: known
      ? `${tool} does not run at stage ${stage}. Tools that do: ${allowedTools.join(", ")}.`
      : `Stage ${stage} is not known, so no exchange tool runs. An operator has to look.`,
  };
}
