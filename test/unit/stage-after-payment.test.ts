import { expect, it } from "vitest";
import type { RoundFacts } from "../../src/store/gate-facts.ts";
import type { AnyTool } from "../../src/tools/contract.ts";
import { stageRefusalData } from "../../src/tools/gate-input.ts";

type Order = NonNullable<RoundFacts["order"]>;

const ORDER: Order = {
  number: 20418,
  status: "awaiting_payment",
  amountFrom: "450",
  amountTo: "14040",
  quoteAsset: "THB",
  proofReceived: true,
};

function refused(name: string, stage: string, order: Partial<Order> = {}) {
  const round = { stage, order: { ...ORDER, ...order } } as RoundFacts; // all that is read of it
  const tool = { name, staged: true } as AnyTool; // likewise
  return stageRefusalData(round, tool);
}

it.each([
  ["payment_proof_waiting", {}],
  ["payment_verified", { status: "paid", proofReceived: false }],
  ["payout_or_completion", { status: "payout" }],
])("a change of terms at %s is refused because of the payment", (stage, order) => {
  expect(refused("compute_exchange_quote", stage, order)).toMatchObject({
    ok: false,
    needsOperator: true,
    blockedByPayment: true,
    orderId: "EX-20418",
  });
});

it("a stage that is wrong without any payment names none", () => {
  const order = { status: "awaiting_payment", proofReceived: false };
  expect(refused("compute_exchange_quote", "verification_check", order)).not.toHaveProperty(
    "blockedByPayment",
  );
});

it("a tool that ends no order is refused for its stage alone", () => {
  expect(refused("fetch_exchange_requisites", "payment_verified")).not.toHaveProperty(
    "blockedByPayment",
  );
});
