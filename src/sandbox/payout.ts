import { createHmac, randomInt, timingSafeEqual } from "node:crypto";
import { type Context, Hono } from "hono";
import { z } from "zod";
import { playFaults } from "./faults.ts";
import {
  createPayouts,
  type Payout,
  type PayoutAnswer,
  type PayoutOrder,
  type Payouts,
  sameOrder,
} from "./payout-state.ts";
import type { World, WorldPart } from "./world.ts";

const SECRET = "sandbox-payout-secret";
/** Methods whose cash is taken out of a machine with a code. */
const CODE_METHODS = ["cardless_atm", "atm"];
const CODE_LIFE_MS = 24 * 3_600_000;

const statusSchema = z.enum(["completed", "pending", "failed"]);
const decimalSchema = z.string().regex(/^\d+(\.\d+)?$/);
const orderSchema = z.looseObject({
  order_id: z.string().min(1),
  amount: decimalSchema,
  currency: z.string().min(1),
  method: z.string().nullish(),
  location: z.string().nullish(),
  destination: z.unknown().optional(),
});
const changeSchema = z.strictObject({
  status: statusSchema.optional(),
  reason: z.string().optional(),
  code: z.string().optional(),
  code_expires_at: z.iso.datetime({ offset: true }).optional(),
});
const scriptSchema = changeSchema.extend({
  order_id: z.string().optional(),
  amount: decimalSchema.optional(),
  currency: z.string().optional(),
});

/** Plays the payout gateway: signed requests, one payout for a key, look-up by key. */
export function createPayoutPart(world: World): WorldPart {
  const payouts = createPayouts();
  return {
    name: "payout",
    apply: payouts.apply,
    routes: gateway(world, payouts),
    control: control(world, payouts),
    rootControl: new Hono().get("/payouts", (c) => c.json(payouts.list().map(listed))),
    waiting: () => [],
    env: (origin) => ({ PAYOUT_URL: `${origin}/sandbox/payout`, PAYOUT_SECRET: SECRET }),
  };
}

function listed(payout: Payout): Record<string, unknown> {
  const { order_id, amount, currency, method, location, destination } = payout.order;
  const told = { order_id, amount, currency, method, location, destination };
  return {
    key: payout.key,
    ...told,
    id: payout.answer.id,
    status: payout.answer.status,
    at: payout.at,
  };
}

function gateway(world: World, payouts: Payouts): Hono {
  const routes = new Hono();
  routes.use(
    playFaults({
      faults: world.faults,
      service: "payout",
      errorBody: (status) => ({ error: { code: `http_${status}`, message: "refused" } }),
    }),
  );
  routes.post("/payouts", (c) => pay(c, world, payouts));
  routes.get("/payouts/by-key/:key", (c) => {
    const signature = c.req.header("X-Signature");
    if (signature !== undefined && !signatureFits("", signature))
      return fail(c, 401, "bad_signature");
    const payout = payouts.get(c.req.param("key"));
    if (!payout) return fail(c, 404, "not_found");
    return c.json(payout.answer);
  });
  return routes;
}

async function pay(c: Context, world: World, payouts: Payouts): Promise<Response> {
  const body = await c.req.text();
  if (!signatureFits(body, c.req.header("X-Signature"))) return fail(c, 401, "bad_signature");
  const key = c.req.header("Idempotency-Key");
  if (!key) return fail(c, 400, "idempotency_key_missing");
  const order = orderSchema.safeParse(parseJson(body));
  if (!order.success) return fail(c, 400, "invalid_request", z.prettifyError(order.error));
  const known = payouts.get(key);
  if (known && !sameOrder(known.order, order.data)) return fail(c, 409, "idempotency_conflict");
  if (!known) record(world, payouts, { key, order: order.data });
  return c.json(payouts.get(key)?.answer);
}

function signatureFits(body: string, signature: string | undefined): boolean {
  const expected = createHmac("sha256", SECRET).update(body).digest();
  const given = Buffer.from(signature ?? "", "hex");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function fail(c: Context, status: 400 | 401 | 404 | 409, code: string, message = code): Response {
  return c.json({ error: { code, message } }, status);
}

/** The payout stands in the journal before the gateway answers: a lost answer does not undo it. */
function record(world: World, payouts: Payouts, asked: { key: string; order: PayoutOrder }): void {
  const script = payouts.nextScript();
  const { order_id, amount, currency } = asked.order;
  const status = script?.status ?? "completed";
  const answer: Omit<PayoutAnswer, "id"> = {
    order_id,
    amount,
    currency,
    status,
    ...(status === "completed" ? withdrawalCode(asked.order, world.clock.now()) : {}),
    ...script,
  };
  world.journal.append("payout.recorded", { ...asked, answer, scripted: script !== undefined });
}

function withdrawalCode(order: PayoutOrder, now: number): Partial<PayoutAnswer> {
  if (!CODE_METHODS.includes(order.method ?? "")) return {};
  return {
    code: String(randomInt(0, 1_000_000)).padStart(6, "0"),
    code_expires_at: new Date(now + CODE_LIFE_MS).toISOString(),
  };
}

function control(world: World, payouts: Payouts): Hono {
  const routes = new Hono();
  routes.post("/next", async (c) => {
    const script = scriptSchema.safeParse(parseJson(await c.req.text()));
    if (!script.success) return fail(c, 400, "invalid", z.prettifyError(script.error));
    world.journal.append("payout.scripted", script.data);
    return c.json({ ok: true });
  });
  routes.post("/:key/settle", async (c) => {
    const change = changeSchema
      .extend({ status: statusSchema })
      .safeParse(parseJson(await c.req.text()));
    if (!change.success) return fail(c, 400, "invalid", z.prettifyError(change.error));
    const payout = payouts.get(c.req.param("key"));
    if (!payout) return fail(c, 404, "not_found");
    const gainsCode = change.data.status === "completed" && payout.answer.code === undefined;
    const code = gainsCode ? withdrawalCode(payout.order, world.clock.now()) : {};
    const data = { key: payout.key, change: { ...code, ...change.data } };
    world.journal.append("payout.settled", data);
    return c.json(payouts.get(payout.key)?.answer);
  });
  return routes;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
