import { z } from "zod";
import type { PolicyRow } from "../src/domain/policy-row.ts";
import type { AnyTool, RagTool, ToolDescription } from "../src/tools/contract.ts";
import { success } from "../src/tools/results.ts";

export const LOOK_UP = "look_up_item";
export const SEND = "send_parcel";

const parameters = z.strictObject({ item: z.string().min(1).max(100) });
type Args = z.infer<typeof parameters>;

/** As small as tools can be: what is measured is everything around them. */
export const BENCH_TOOLS = [lookUpItem(), sendParcel()] as AnyTool[]; // lists hold tools of every argument type

function lookUpItem(): RagTool<Args> {
  return {
    ...shape(LOOK_UP, "Look an item up", "Looks an item up."),
    risk: "read_only",
    sideEffectType: "none",
    run: async (call) => ({
      kind: "result",
      result: success({ type: "item", summary: "found" }, { item: call.action.item ?? null }),
    }),
  };
}

function sendParcel(): RagTool<Args> {
  return {
    ...shape(SEND, "Send a parcel", "Sends a parcel with an item."),
    risk: "external_write",
    sideEffectType: "external_api",
    prepare: async (_tx, args, scope) => ({
      kind: "action",
      action: { item: args.item, conversation: scope.conversationId },
      businessKey: `parcel:${scope.conversationId}:${args.item}`,
      material: [{ label: "Item", value: args.item }],
    }),
    run: async (call) => ({
      kind: "result",
      result: success({ type: "parcel", id: "P-1", summary: "sent" }, call.action),
    }),
  };
}

function shape(name: string, title: string, does: string) {
  return {
    ...{ name, title, parameters, output: z.looseObject({}), offered: true, staged: false },
    description: describe(does),
    isAvailable: () => true,
  };
}

function describe(does: string): ToolDescription {
  return {
    does,
    when: "when the client names an item.",
    whenNot: "when no item was named.",
    needs: "item.",
    limits: "one item a call.",
    returns: "the item.",
  };
}

export function benchRules(): PolicyRow[] {
  const base = {
    ...{ role: "*", condition_json: {}, allow_call: true, approvals_required: 1 },
    ...{ approver_role: "operator" as const, approval_ttl_s: null, max_calls_per_run: 100 },
    ...{ max_payload_size: 10_000, is_active: true },
  };
  return [
    { ...base, id: "bench-look-up", tool_name: LOOK_UP, requires_approval: false },
    { ...base, id: "bench-send", tool_name: SEND, requires_approval: true },
  ];
}
