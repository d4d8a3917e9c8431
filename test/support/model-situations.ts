import { answerByRules } from "../../src/sandbox/model/rules.ts";
import type { ChatMessage, ChatRequest } from "../../src/sandbox/model/wire.ts";
import { EXCHANGE_TOOLS, ok } from "./model-chat.ts";

const DESK_TOOLS = ["send_email", "update_crm_field", "create_task_draft", "read_customer_profile"];

export type Situation = "new" | "quoted" | "ordered" | "requisites" | "paid" | "fiat" | "kyc";

/** What the built-in model answers to one more message in a known situation. */
export function answerIn(situation: Situation, text: string) {
  const messages = [...SITUATIONS[situation], { role: "user" as const, content: text }];
  const answer = answerByRules(requestOf(messages));
  return {
    tools: answer.calls?.map((call) => call.name) ?? [],
    args: answer.calls?.[0]?.arguments,
    text: answer.content ?? "",
  };
}

export function requestOf(messages: ChatMessage[]): ChatRequest {
  return {
    model: "sandbox-rules",
    messages,
    tools: [...EXCHANGE_TOOLS, ...DESK_TOOLS].map((name) => ({
      type: "function",
      function: { name },
    })),
  };
}

/** A call, its answer and a reply, as the history has them. */
export function turn(
  said: string,
  call: { name: string; args?: object; result: object },
): ChatMessage[] {
  const id = `call_${call.name}`;
  return [
    { role: "user", content: said },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        {
          id,
          type: "function",
          function: { name: call.name, arguments: JSON.stringify(call.args ?? {}) },
        },
      ],
    },
    { role: "tool", tool_call_id: id, content: JSON.stringify(call.result) },
    { role: "assistant", content: "…" },
  ];
}

const quoted = turn("2000 USDT TRC20, офис", {
  name: "compute_exchange_quote",
  args: { asset: "USDT", amount: "2000", amountMode: "source_amount", network: "TRC20" },
  result: ok({ asset: "USDT", amountFrom: "2000", amountTo: "62600", quoteAsset: "THB" }),
});
const ordered = [
  ...quoted,
  ...turn("да", {
    name: "create_exchange_order",
    result: ok({ orderId: "EX-1", amountFrom: "2000", amountTo: "62600" }),
  }),
];
const requisites = [
  ...ordered,
  ...turn("куда платить", {
    name: "fetch_exchange_requisites",
    result: ok({ orderId: "EX-1", address: "TJtc7HX9ttjj26qEk6LjNtwDcu7eokALUA", ttlMin: 15 }),
  }),
];
const roubles = turn("10000 бат за рубли, СБП", {
  name: "compute_exchange_quote",
  args: { asset: "RUB", amount: "10000", amountMode: "target_amount" },
  result: ok({ asset: "RUB", amountFrom: "24800", amountTo: "10000", quoteAsset: "THB" }),
});

const SITUATIONS: Record<Situation, ChatMessage[]> = {
  new: [],
  quoted,
  ordered,
  requisites,
  paid: [
    ...requisites,
    ...turn("ab".repeat(32), {
      name: "verify_exchange_payment",
      result: ok({ amountReceived: "2000" }),
    }),
  ],
  fiat: [
    ...roubles,
    ...turn("да", {
      name: "create_exchange_order",
      result: ok({ orderId: "EX-2", amountFrom: "24800", amountTo: "10000" }),
    }),
    ...turn("куда платить", {
      name: "fetch_exchange_requisites",
      result: ok({ orderId: "EX-2", paymentUrl: "https://pay.example.test", ttlMin: 20 }),
    }),
  ],
  kyc: [
    ...roubles,
    ...turn("да, куда платить", {
      name: "create_exchange_order",
      result: { ok: false, status: "denied", data: { needsVerification: true, status: "missing" } },
    }),
  ],
};
