import { expect, it } from "vitest";
import { blockedReply } from "../../src/tools/replies.ts";

it("a payout that is stopped for now tells the model why, and that it may ask later", () => {
  const reply = blockedReply("payouts_stopped");
  expect(reply).toMatchObject({ status: "denied", data: { reason: "payouts_stopped" } });
  expect(reply.error?.message).toMatch(/call it anew when the client asks again later/);
});

it("a payout that an operator declined stays a no", () => {
  const reply = blockedReply("rejected_before");
  expect(reply).not.toHaveProperty("data");
  expect(reply.error?.message).toMatch(/do not ask again/);
});
