import { z } from "zod";
import type { JsonObject } from "../../src/domain/json.ts";
import { canonicalDecimal } from "../../src/domain/money.ts";
import { contactKyc } from "../../src/store/kyc.ts";
import type {
  AnyTool,
  FoundWork,
  LookUp,
  PreparedAction,
  RagTool,
  ToolCall,
  ToolWork,
} from "../../src/tools/contract.ts";
import { decimalText, success } from "../../src/tools/results.ts";
import { failure } from "../../src/tools/runner.ts";
import { SMALL_TOOL } from "./small-tool.ts";

/** What the outside of the payout tool does next, and what it has seen. */
export interface Cashier {
  /** Ends of the next payments, in order; paid when none is left. */
  next: ("result" | "retry" | "unknown" | "fails" | "throws")[];
  /** Answers to the next look-ups, in order; by its book when none is left. */
  lookUps: LookUp["kind"][];
  paid: { key: string | null; action: JsonObject }[];
  asked: number;
}

export function createCashier(): Cashier {
  return { next: [], lookUps: [], paid: [], asked: 0 };
}

/** Small tools of every kind that matters to the gate; what they do is counted. */
export function createOfficeTools(cashier: Cashier, ran: string[]): AnyTool[] {
  return [
    plain("read_price", "read_only", ran),
    plain("keep_draft", "draft_only", ran),
    plain("wipe_everything", "delete", ran, "wipe"),
    payoutTool(cashier, ran),
  ] as AnyTool[]; // lists hold tools of every argument type
}

const priceArgs = z.strictObject({ item: z.string().max(80_000), count: z.int().optional() });

function plain(
  name: string,
  risk: RagTool["risk"],
  ran: string[],
  key: string | null = null,
): RagTool<z.infer<typeof priceArgs>> {
  return {
    ...shape(name, risk),
    parameters: priceArgs,
    ...(key === null
      ? {}
      : { prepare: async (_tx, args) => action({ ...args }, { key, material: [] }) }),
    async run(call) {
      ran.push(name);
      return { kind: "result", result: success({ type: "price", summary: "priced" }, call.action) };
    },
  };
}

const payoutArgs = z.strictObject({ amount: decimalText, order: z.string() });

/** The name has the exchange's stage rules; the destination comes from the contact's own row. */
function payoutTool(cashier: Cashier, ran: string[]): RagTool<z.infer<typeof payoutArgs>> {
  return {
    ...shape("issue_exchange_payout", "payment"),
    parameters: payoutArgs,
    staged: true,
    idempotentByKey: true,
    check: ({ amount }) => (Number(amount) === 0 ? "amount: must be above zero" : null),
    async prepare(tx, args, scope) {
      const client = await contactKyc(tx, scope);
      const payout = {
        order: args.order,
        amount: canonicalDecimal(args.amount),
        destination: client?.name ?? "",
      };
      const material = [{ label: "Amount", value: payout.amount }];
      return action(payout, { key: `payout:${args.order}`, material });
    },
    async run(call) {
      ran.push("issue_exchange_payout");
      return pay(cashier, call);
    },
    lookUp: async (call) => lookUp(cashier, call),
  };
}

function shape(name: string, risk: RagTool["risk"]) {
  return {
    name,
    risk,
    title: name.replaceAll("_", " "),
    description: SMALL_TOOL,
    sideEffectType: "none" as const,
    output: z.looseObject({}),
    offered: true,
    staged: false,
    isAvailable: () => true,
  };
}

function action(
  fields: JsonObject,
  more: { key: string; material: PreparedAction["material"] },
): PreparedAction {
  return { kind: "action", action: fields, businessKey: more.key, material: more.material };
}

function pay(cashier: Cashier, call: ToolCall): ToolWork {
  const end = cashier.next.shift() ?? "result";
  if (end === "throws") throw new Error("the line went dead");
  if (end === "retry")
    return { kind: "retry", code: "RATE_LIMITED", message: "busy", afterMs: 3000 };
  if (end === "fails")
    return { kind: "result", result: failure("PROVIDER_ERROR", "the account is closed") };
  if (end === "unknown") return { kind: "unknown", message: "no answer" };
  cashier.paid.push({ key: call.idempotencyKey, action: call.action });
  return paidWork(call);
}

function paidWork(call: ToolCall): FoundWork {
  const of = { type: "payout", id: "P-1", summary: "paid" };
  return { kind: "result", result: success(of, { amount: call.action.amount ?? null }) };
}

function lookUp(cashier: Cashier, call: ToolCall): LookUp {
  cashier.asked += 1;
  const paid = cashier.paid.some(({ key }) => key === call.idempotencyKey);
  switch (cashier.lookUps.shift() ?? (paid ? "found" : "absent")) {
    case "found":
      return { kind: "found", work: paidWork(call) };
    case "unreachable":
      return { kind: "unreachable", message: "no answer" };
    default:
      return { kind: "absent" };
  }
}
