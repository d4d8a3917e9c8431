import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDesk } from "../support/desk.ts";
import type { Desk, Lead } from "../support/desk-people.ts";
import { forEachEngine } from "../support/engines.ts";
import type { Played } from "../support/played-world.ts";

forEachEngine((engine) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(engine);
  });
  afterAll(() => desk.close());
  const execution = async (lead: Lead) => (await lead.trace()).executions.at(-1);

  describe("S4: the gateway takes the payout, and then the socket dies", () => {
    it("is unknown: not sent again, a second one is blocked, and the key tells how it ended", async () => {
      const lena = desk.lead();
      await lena.reachesPayout();
      await lena.hears();
      await desk.fault({ service: "payout", kind: "drop_response_after_effect", count: 1 });
      await desk.fault({ service: "payout", kind: "down", count: 1000 });
      await desk.operator("U0ALICE").presses("Approve", await lena.card());
      await desk.advance(1);
      expect(await desk.payoutsOf(lena)).toHaveLength(1);
      const lost = await execution(lena);
      expect(lost).toMatchObject({ status: "unknown", attempts: 1 });

      await desk.script([
        { tool_calls: [{ name: "issue_exchange_payout", arguments: "{}" }] },
        { content: "Выплата проверяется, я напишу, как только будет ответ." },
      ]);
      await lena.says("Пришлите деньги ещё раз, пожалуйста");
      const { candidates, approvals, executions } = await lena.trace();
      expect(candidates.at(-1)).toMatchObject({
        ...{ tool_name: "issue_exchange_payout", status: "blocked_by_policy" },
        code: "outcome_unknown",
      });
      const payouts = ({ tool_name }: Played) => tool_name === "issue_exchange_payout";
      expect(approvals.filter(payouts)).toHaveLength(1);
      expect(executions.filter(payouts)).toHaveLength(1);

      await desk.fault({ service: "payout", kind: "down", count: 0 });
      await desk.advance(5);
      await desk.advance(30);
      expect(await execution(lena)).toMatchObject({
        ...{ id: lost.id, status: "completed", attempts: 1, resent: false },
      });
      expect(await desk.payoutsOf(lena)).toHaveLength(1);
      expect(await lena.hears()).toMatch(/выда|выплат/i);
    });

    it("leaves the whole path: the request without an answer, the questions, and what they found", async () => {
      const oleg = desk.lead();
      await oleg.reachesPayout();
      await oleg.hears();
      await desk.fault({ service: "payout", kind: "drop_response_after_effect", count: 1 });
      await desk.operator("U0ALICE").presses("Approve", await oleg.card());
      await desk.advance(5);
      const { id } = await execution(oleg);
      const trace = await oleg.trace();
      const ofIt = (rows: Played[]) =>
        rows.filter(({ execution_id }: Played) => execution_id === id);
      const requests = ofIt(trace.outside_calls);
      expect(requests[0]).toMatchObject({
        ...{ provider: "payout_gateway", method: "POST", endpoint: "/payouts" },
        response_status: null,
      });
      expect(requests.at(-1)).toMatchObject({
        ...{ method: "GET", endpoint: "/payouts/by-key/{key}", response_status: 200 },
      });
      const [key] = (await desk.payoutsOf(oleg)).map((payout: Played) => payout.key);
      expect(JSON.stringify(requests)).not.toContain(key);
      expect(ofIt(trace.errors)[0]).toMatchObject({ error_code: "OUTCOME_UNKNOWN", attempt: 1 });
      expect(ofIt(trace.results).at(-1)).toMatchObject({ status: "completed" });
    });
  });
});
