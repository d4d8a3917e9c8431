import { UserError } from "../domain/errors.ts";
import { writeAudit } from "./audit.ts";
import type { Tx } from "./db.ts";
import { asSystem } from "./enter-tenant.ts";
import { changeTenant, tenantById } from "./tenants.ts";

/** While it stands, no new order is made; what is open goes on. */
export interface OrderStop {
  stoppedAt: number;
  /** For people. */
  reason: string;
}

interface Stopping {
  tenantId: string;
  /** Staff id. */
  by: string;
  reason: string;
  now: number;
}

/** null: orders are taken. */
export async function orderStopOf(tx: Tx, tenantId: string): Promise<OrderStop | null> {
  const tenant = await tenantById(tx, tenantId);
  if (!tenant || tenant.ordersStoppedAt === null) return null;
  return { stoppedAt: tenant.ordersStoppedAt, reason: tenant.ordersStoppedReason ?? "" };
}

/** Stops at once. A second stop adds its reason. */
export async function stopOrders(tx: Tx, stopping: Stopping): Promise<OrderStop> {
  const { tenantId, by, reason, now } = stopping;
  const standing = await orderStopOf(tx, tenantId);
  const stop = {
    stoppedAt: standing?.stoppedAt ?? now,
    reason: [standing?.reason, reason].filter(Boolean).join("; "),
  };
  await setStop(tx, tenantId, stop);
  const said = { eventType: "orders.stopped", summary: "new orders stopped" } as const;
  await writeAudit(tx, [{ tenantId, userId: by, createdAt: now, ...said, refs: { reason } }]);
  return stop;
}

/** The stop that it ended; null when none stood. Throws UserError when it cannot be ended. */
export async function endOrderStop(tx: Tx, ending: Stopping): Promise<OrderStop | null> {
  const { tenantId, by, reason, now } = ending;
  const standing = await orderStopOf(tx, tenantId);
  if (!standing) return null;
  if (!(await setStop(tx, tenantId, null))) throw new UserError("conflict", standing.reason);
  const said = { eventType: "orders.resumed", summary: "new orders are taken again" } as const;
  await writeAudit(tx, [{ tenantId, userId: by, createdAt: now, ...said, refs: { reason } }]);
  return standing;
}

/** False: the tenant's row is not what the product wrote, and stays so. */
function setStop(tx: Tx, tenantId: string, stop: OrderStop | null): Promise<boolean> {
  const set = {
    ordersStoppedAt: stop?.stoppedAt ?? null,
    ordersStoppedReason: stop?.reason ?? null,
  };
  return asSystem(tx, tenantId, () => changeTenant(tx, tenantId, set));
}
