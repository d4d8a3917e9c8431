import { BOOKING_SECRET } from "../domain/booking-url.ts";
import { UserError } from "../domain/errors.ts";
import { writeAudit } from "../store/audit.ts";
import type { Tx } from "../store/db.ts";
import {
  activeSchemas,
  activeToolNames,
  setToolActive,
  tenantToolFacts,
} from "../store/tool-registry.ts";
import { CHANGE_AUTHORITY } from "../tools/change-authority/tool-name.ts";
import type { AnyTool, TenantTools } from "../tools/contract.ts";
import type { Registry } from "../tools/registry.ts";
import type { DeskChange } from "./change-booking.ts";

/** What keeps a tool that is switched on from being offered. */
export type ToolLack = "rates" | "booking_link" | "settings";

/** A tool as people see it. `schemaVersion`: null: no schema of it was written yet. */
export interface ListedTool {
  tool: AnyTool;
  schemaVersion: number | null;
  isActive: boolean;
  /** null: it has all that it needs. */
  lacks: ToolLack | null;
}

/** All tools there are, as they stand for the tenant. */
export async function listTools(
  tx: Tx,
  registry: Registry,
  tenantId: string,
): Promise<ListedTool[]> {
  const active = await activeToolNames(tx, tenantId);
  const versions = await activeSchemas(tx);
  const facts = await tenantToolFacts(tx, tenantId);
  return registry.all().map(({ tool }) => ({
    tool,
    schemaVersion: versions.get(tool.name)?.version ?? null,
    isActive: active.has(tool.name),
    lacks: lackOf(tool, facts),
  }));
}

/**
 * The caller drops what is cached of the tenant's tools. False when there is no such tool. Throws
 * UserError for the one that is never off: without it nobody could change who may do what.
 */
export async function switchTool(
  tx: Tx,
  change: DeskChange & { toolName: string; isActive: boolean },
): Promise<boolean> {
  const { tenantId, by, now, toolName, isActive } = change;
  if (toolName === CHANGE_AUTHORITY)
    throw new UserError(
      "conflict",
      `${toolName} stays on: it is how changes of authority are made`,
    );
  if (!(await setToolActive(tx, { tenantId, toolName, isActive, now }))) return false;
  await writeAudit(tx, [
    {
      ...{ tenantId, userId: by, createdAt: now, toolName, refs: { toolName } },
      eventType: "tool.switched",
      summary: `${toolName} was switched ${isActive ? "on" : "off"}`,
    },
  ]);
  return true;
}

/** A tool only says whether it is available: the cause is found by what would make it so. */
function lackOf(tool: AnyTool, facts: TenantTools): ToolLack | null {
  if (tool.isAvailable(facts)) return null;
  if (tool.isAvailable({ ...facts, hasActiveRate: true })) return "rates";
  const secretNames = new Set([...facts.secretNames, BOOKING_SECRET]);
  return tool.isAvailable({ ...facts, secretNames }) ? "booking_link" : "settings";
}
