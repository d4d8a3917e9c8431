import {
  type ChangeRequest,
  type Requested,
  requestChange,
  requestedText,
} from "../desk/request-change.ts";
import { UserError } from "../domain/errors.ts";
import { writeAudit } from "../store/audit.ts";
import type { AuditEvent } from "../store/audit-events.ts";
import { type Tx, withTenant } from "../store/db.ts";
import { staffById } from "../store/staff.ts";
import { tenantById } from "../store/tenants.ts";
import { allowAccess } from "./access.ts";
import { type AdminContext, type AdminDeps, actorOf, type Principal } from "./context.ts";
import { notFound } from "./error-response.ts";

/** What a route's work is told of the request it serves. */
export interface Change {
  tenantId: string;
  /** Staff id, or `setup`. */
  by: string;
  now: number;
  /** A line of the trail; it is written with the change or not at all. */
  audit(eventType: AuditEvent, summary: string, refs?: Record<string, string>): void;
}

/** `decide`: what operators may do, too, and nobody without a person's token. */
export type ChangeAct = "change" | "decide";

/** One change of a tenant: rights are read again, the work is done and audited, in one transaction. */
export function change<T>(
  c: AdminContext,
  deps: AdminDeps,
  work: (tx: Tx, change: Change) => Promise<T>,
  act: ChangeAct = "change",
): Promise<T> {
  const tenantId = c.get("tenantId");
  const principal = c.get("principal");
  const by = actorOf(principal);
  const now = deps.clock.now();
  return withTenant(deps.db, tenantId, async (tx) => {
    await checkAgain(tx, tenantId, { principal, act });
    const lines: { eventType: AuditEvent; summary: string; refs: Record<string, string> }[] = [];
    const result = await work(tx, {
      tenantId,
      by,
      now,
      audit: (eventType, summary, refs = {}) => lines.push({ eventType, summary, refs }),
    });
    await writeAudit(
      tx,
      lines.map((line) => ({ tenantId, userId: by, createdAt: now, ...line })),
    );
    return result;
  });
}

/** What is asked for, from rows of the same transaction. */
export type Asking = (
  tx: Tx,
  tenantId: string,
) => ChangeRequest["change"] | Promise<ChangeRequest["change"]>;

/**
 * A change of authority: done at once while the tenant is set up, else put to people. One that takes
 * effect by itself waits a moment for its card, so that the answer can say when.
 */
export async function changeAuthority(
  c: AdminContext,
  deps: AdminDeps,
  asking: Asking,
): Promise<Requested> {
  const requested = await change(c, deps, async (tx, { tenantId, by, now }) => {
    const wanted = await asking(tx, tenantId);
    return requestChange(tx, deps, { tenantId, by, now, change: wanted, language: "en" });
  });
  if (requested.kind !== "asked" || requested.deciding.kind !== "delay") return requested;
  const { approval } = requested;
  const starts = deps.startOfDelay?.({ tenantId: c.get("tenantId"), approval });
  return { ...requested, approvesItselfAt: (await starts) ?? null };
}

/** With status 202: nothing is changed yet. */
export function askedBody(asked: Extract<Requested, { kind: "asked" }>) {
  const { approval, deciding } = asked;
  return {
    approval,
    // that time is known once a card of it was delivered
    ...(deciding.kind === "another_admin" ? {} : { approves_itself_at: isoOrNull(asked) }),
    message: requestedText(asked, "en"),
  };
}

function isoOrNull({ approvesItselfAt }: Extract<Requested, { kind: "asked" }>): string | null {
  return approvesItselfAt ? new Date(approvesItselfAt).toISOString() : null;
}

/** The tenant may have been opened, the person suspended, since the request came in. */
async function checkAgain(
  tx: Tx,
  tenantId: string,
  { principal, act }: { principal: Principal; act: ChangeAct },
): Promise<void> {
  const tenant = await tenantById(tx, tenantId);
  if (!tenant) throw notFound(`tenant ${tenantId}`);
  if (principal.kind === "setup") return allowAccess({ principal, tenant, act });
  const person = await staffById(tx, tenantId, principal.staffId);
  if (person?.status !== "active")
    throw new UserError("forbidden", "This person is suspended; an admin can restore the person");
  allowAccess({ principal: { ...principal, role: person.role }, tenant, act });
}
