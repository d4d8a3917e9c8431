import { Hono } from "hono";
import { z } from "zod";
import { type Completion, completeOrder } from "../../desk/complete-order.ts";
import { ORDER_STATUSES } from "../../domain/deal.ts";
import { UserError } from "../../domain/errors.ts";
import { findOrder, listOrders } from "../../store/admin-reads.ts";
import { type Tx, withTenant } from "../../store/db.ts";
import { orderName } from "../../store/orders.ts";
import { rowPage, shownRow } from "../answers.ts";
import { type Change, change } from "../change.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { notFound } from "../error-response.ts";
import { numberCursor, pageFields, pageOf, readCursor } from "../page.ts";
import { present, presentAll } from "../present.ts";

const patchSchema = z.strictObject({ status: z.enum(ORDER_STATUSES) });
const listSchema = z.strictObject({ ...pageFields, status: z.enum(ORDER_STATUSES).optional() });

/** An order is named by its id or by the number people say: EX-20418. */
export function orderRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(
    routes,
    {
      method: "get",
      path: "/",
      summary: "Orders, the newest first",
      query: listSchema,
      answer: rowPage,
    },
    async (c, { query: { limit, cursor, status } }) => {
      const tenantId = c.get("tenantId");
      const after = readCursor(cursor, numberCursor);
      const rows = await withTenant(deps.db, tenantId, (tx) =>
        listOrders(tx, { tenantId, limit: limit + 1, after, status }),
      );
      const page = pageOf(rows, limit, (row) => row.number);
      return c.json({ ...page, items: presentAll(page.items) });
    },
  );
  endpoint(
    routes,
    {
      method: "get",
      path: "/:id",
      summary: "An order, by id or as people say it: EX-20418",
      answer: shownRow,
    },
    async (c) => {
      const tenantId = c.get("tenantId");
      const which = c.req.param("id") ?? "";
      return c.json(
        present(await withTenant(deps.db, tenantId, (tx) => found(tx, tenantId, which))),
      );
    },
  );
  endpoint(
    routes,
    {
      method: "patch",
      path: "/:id",
      summary: "Says that an order in payout is completed",
      body: patchSchema,
      answer: shownRow,
    },
    async (c, { body: { status } }) => {
      const which = c.req.param("id") ?? "";
      if (status !== "completed") throw notSettable(status);
      const order = await change(c, deps, (tx, work) => complete(tx, work, which), "decide");
      return c.json(present(order));
    },
  );
  return routes;
}

async function complete(tx: Tx, { tenantId, by, now, audit }: Change, which: string) {
  const { id, number } = await found(tx, tenantId, which);
  const name = orderName({ number });
  const done = await completeOrder(tx, { tenantId, orderId: id, staffId: by, now });
  if (done.kind !== "completed") throw refusal(done, name);
  audit("order.completed", `${name} completed`, { order: id });
  return found(tx, tenantId, id);
}

async function found(tx: Tx, tenantId: string, which: string) {
  const spoken = /^EX-(\d{1,9})$/i.exec(which)?.[1];
  const order = await findOrder(tx, tenantId, spoken ? Number(spoken) : which);
  if (!order) throw notFound(`order ${which}`);
  return order;
}

function notSettable(status: string): UserError {
  return new UserError(
    "conflict",
    `An order becomes ${status} by its own way through the desk; only "completed" is set here`,
    "status",
  );
}

function refusal(done: Exclude<Completion, { kind: "completed" }>, name: string): UserError {
  switch (done.kind) {
    case "not_found":
      return notFound(`order ${name}`);
    case "own_order":
      return new UserError("forbidden", `${name} is your own order; another person completes it`);
    case "not_in_payout":
      return new UserError(
        "conflict",
        `${name} is ${done.status}; only an order in payout can be completed`,
      );
    case "payout_under_way":
      return new UserError(
        "conflict",
        `The payout of ${name} is still being made; complete it when the provider has answered`,
      );
    default:
      return done satisfies never;
  }
}
