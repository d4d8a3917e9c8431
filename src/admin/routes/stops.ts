import { Hono } from "hono";
import { z } from "zod";
import { MOST_TO_CHECK } from "../../desk/resume-payouts.ts";
import {
  LONGEST_REASON,
  type ResumedDesk,
  resumeDesk,
  standingStops,
  stopDesk,
  stoppable,
} from "../../desk/stops.ts";
import { UserError } from "../../domain/errors.ts";
import { type Tx, withTenant } from "../../store/db.ts";
import { type PayoutsToCheck, payoutsToCheck } from "../../store/payouts-to-check.ts";
import { type StaffMember, staffById } from "../../store/staff.ts";
import { shownFields } from "../answers.ts";
import { change } from "../change.ts";
import type { AdminContext, AdminDeps, AdminEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { presentAll } from "../present.ts";

const what = z.enum(["payouts", "orders", "all"]).transform((word) => stoppable(word) ?? []);
const reason = z.string().trim().max(LONGEST_REASON);
const stopSchema = z.strictObject({ what, reason: reason.default("") });
const resumeSchema = z.strictObject({
  what,
  reason: reason.min(1),
  confirmed: z.boolean().default(false),
});

/** What is stopped. POST stops, by anybody of the staff; an admin resumes. Both in person. */
export function stopRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(
    routes,
    { method: "get", path: "/", summary: "What is stopped", answer: shownFields },
    async (c) => c.json(await shownStops(deps, c.get("tenantId"))),
  );
  endpoint(
    routes,
    {
      method: "post",
      path: "/",
      summary: "Stops payouts, orders or both, at once",
      body: stopSchema,
      answer: shownFields,
    },
    async (c, { body }) => {
      const { held } = await change(
        c,
        deps,
        async (tx, { tenantId, now }) => {
          const staff = await personOf(tx, c);
          return stopDesk(tx, deps.dress, { tenantId, staff, now, ...body });
        },
        "decide",
      );
      return c.json({ ...(await shownStops(deps, c.get("tenantId"))), held });
    },
  );
  endpoint(
    routes,
    {
      method: "post",
      path: "/resume",
      summary: "Lets it go on: first the list, then with confirmed",
      body: resumeSchema,
      answer: shownFields,
    },
    async (c, { body }) => {
      const resumed = await change(c, deps, async (tx, { tenantId, now }) => {
        const staff = await personOf(tx, c);
        return resumeDesk(tx, deps.dress, { tenantId, staff, now, ...body });
      });
      return c.json({ ...(await shownStops(deps, c.get("tenantId"))), ...answerOf(resumed) });
    },
  );
  return routes;
}

/** Who stops and resumes is announced by name: a person, not a set-up. Throws UserError. */
export async function personOf(tx: Tx, c: AdminContext): Promise<StaffMember> {
  const principal = c.get("principal");
  const person =
    principal.kind === "personal"
      ? await staffById(tx, c.get("tenantId"), principal.staffId)
      : null;
  if (person) return person;
  throw new UserError(
    "personal_token_required",
    "This is done by a person of the staff: use a personal token",
  );
}

/** What has to be looked through before payouts go on. */
export function shownList({ items, total }: PayoutsToCheck) {
  return {
    look_through: presentAll(
      items.map(({ since, fallen, ...item }) => ({
        ...{ ...item, sinceAt: since },
        ...(fallen ? { votesThatCountNoMore: fallen } : {}),
      })),
    ),
    look_through_total: total,
  };
}

function answerOf(resumed: ResumedDesk) {
  switch (resumed.kind) {
    case "not_stopped":
      return { resumed: [], message: "Nothing of this is stopped" };
    case "look_through":
      return {
        resumed: [],
        ...shownList(resumed.list),
        message:
          'Nothing was changed: go through these and compare with the gateway and your books, then send it again within ten minutes with "confirmed": true',
      };
    case "resumed":
      return { resumed: resumed.what, sent: resumed.sent, message: "It goes on" };
    default:
      return resumed satisfies never;
  }
}

async function shownStops(deps: AdminDeps, tenantId: string) {
  return withTenant(deps.db, tenantId, async (tx) => {
    const { payouts, orders } = await standingStops(tx, tenantId);
    const list = payouts && (await payoutsToCheck(tx, { tenantId, limit: MOST_TO_CHECK }));
    return {
      payouts: shownStop(payouts),
      orders: shownStop(orders),
      ...(list ? shownList(list) : {}),
    };
  });
}

function shownStop(stop: { stoppedAt: number; reason: string } | null) {
  if (!stop) return { stopped: false };
  const { stoppedAt, reason: why } = stop;
  return { stopped: true, stopped_at: new Date(stoppedAt).toISOString(), reason: why };
}
