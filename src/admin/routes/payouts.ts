import { Hono } from "hono";
import { z } from "zod";
import { MOST_TO_CHECK } from "../../desk/resume-payouts.ts";
import { type ResumedDesk, resumeDesk } from "../../desk/stops.ts";
import { withTenant } from "../../store/db.ts";
import { type PayoutStop, payoutStopOf } from "../../store/payout-stop.ts";
import { type PayoutsToCheck, payoutsToCheck } from "../../store/payouts-to-check.ts";
import { change } from "../change.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { personOf, shownList } from "./stops.ts";

const stoppedAnswer = z.looseObject({ stopped: z.boolean() });
const resumedAnswer = z.looseObject({
  resumed: z.boolean(),
  stopped: z.boolean(),
  message: z.string(),
});
const resumeSchema = z.strictObject({
  reason: z.string().trim().min(1).max(300),
  confirmed: z.boolean().default(false),
});

/** Is money held back, and its end: by an admin's own token, after a look through what is open. */
export function payoutRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(
    routes,
    {
      method: "get",
      path: "/",
      summary: "Are payouts stopped, and what is open then",
      answer: stoppedAnswer,
    },
    async (c) => {
      const tenantId = c.get("tenantId");
      const answer = await withTenant(deps.db, tenantId, async (tx) => {
        const stop = await payoutStopOf(tx, tenantId);
        if (!stop) return { stopped: false };
        return standing(stop, await payoutsToCheck(tx, { tenantId, limit: MOST_TO_CHECK }));
      });
      return c.json(answer);
    },
  );
  endpoint(
    routes,
    {
      method: "post",
      path: "/resume",
      summary: "Lets payouts go on: first the list, then with confirmed",
      body: resumeSchema,
      answer: resumedAnswer,
    },
    async (c, { body }) => {
      const resumed = await change(c, deps, async (tx, { tenantId, now }) => {
        const asked = { tenantId, staff: await personOf(tx, c), what: ["payouts"], now } as const;
        return resumeDesk(tx, deps.dress, { ...asked, ...body });
      });
      return c.json(answerOf(resumed));
    },
  );
  return routes;
}

function answerOf(resumed: ResumedDesk) {
  switch (resumed.kind) {
    case "not_stopped":
      return { resumed: false, stopped: false, message: "Payouts are not stopped" };
    case "look_through":
      return {
        resumed: false,
        ...standing(resumed.stop, resumed.list),
        message:
          'Nothing was changed: go through these and compare with the gateway and your books, then send it again within ten minutes with "confirmed": true',
      };
    case "resumed":
      return { resumed: true, stopped: false, sent: resumed.sent, message: "Payouts go on" };
    default:
      return resumed satisfies never;
  }
}

function standing({ stoppedAt, reason }: PayoutStop, list: PayoutsToCheck) {
  const stoppedText = new Date(stoppedAt).toISOString();
  return { stopped: true, stopped_at: stoppedText, reason, ...shownList(list) };
}
