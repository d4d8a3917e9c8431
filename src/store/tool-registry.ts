import { and, desc, eq, sql } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { JsonObject } from "../domain/json.ts";
import type { RiskClass } from "../domain/tool.ts";
import type { Tx } from "./db.ts";
import { exchangeRates } from "./schema/exchange.ts";
import { tenantSecrets } from "./schema/tenancy.ts";
import { toolRegistry, toolSchemaVersions } from "./schema/tools.ts";
import { statement, type ValueAt } from "./statement.ts";

export interface ToolRow {
  toolName: string;
  displayName: string;
  description: string;
  toolType: string;
  riskLevel: RiskClass;
  sideEffectType: string;
  inputSchemaJson: JsonObject;
  outputSchemaJson: JsonObject;
  schemaHash: string;
}

/** Upserts the tenant's tools (never touching `is_active`) and adds changed schemas as versions. */
export async function syncToolRegistry(
  tx: Tx,
  sync: { tenantId: string; now: number; tools: readonly ToolRow[] },
): Promise<void> {
  const { tenantId, now } = sync;
  const rows = sync.tools.map(({ inputSchemaJson, outputSchemaJson, schemaHash, ...tool }) => ({
    id: newId(),
    tenantId,
    ...tool,
    owner: "countersign",
    isActive: true,
    createdAt: now,
    updatedAt: now,
  }));
  await tx
    .insert(toolRegistry)
    .values(rows)
    .onConflictDoUpdate({
      target: [toolRegistry.tenantId, toolRegistry.toolName],
      set: {
        displayName: sql`excluded.display_name`,
        description: sql`excluded.description`,
        toolType: sql`excluded.tool_type`,
        riskLevel: sql`excluded.risk_level`,
        sideEffectType: sql`excluded.side_effect_type`,
        updatedAt: sql`excluded.updated_at`,
      },
    });
  await addSchemaVersions(tx, sync.tools, now);
}

async function addSchemaVersions(tx: Tx, tools: readonly ToolRow[], now: number): Promise<void> {
  const active = await activeSchemas(tx);
  for (const tool of tools) {
    const known = active.get(tool.toolName);
    if (known?.hash === tool.schemaHash) continue;
    if (known)
      await tx
        .update(toolSchemaVersions)
        .set({ status: "retired" })
        .where(
          and(
            eq(toolSchemaVersions.toolName, tool.toolName),
            eq(toolSchemaVersions.status, "active"),
          ),
        );
    await tx
      .insert(toolSchemaVersions)
      .values({
        id: newId(),
        toolName: tool.toolName,
        schemaVersion: (known?.version ?? 0) + 1,
        schemaHash: tool.schemaHash,
        inputSchemaJson: tool.inputSchemaJson,
        outputSchemaJson: tool.outputSchemaJson,
        status: "active",
        createdAt: now,
      })
      .onConflictDoNothing();
  }
}

/** tool name → the newest version and its hash. */
export async function activeSchemas(
  tx: Tx,
): Promise<Map<string, { version: number; hash: string }>> {
  const rows = await activeVersions(tx, {});
  const newest = new Map<string, { version: number; hash: string }>();
  for (const row of rows) if (!newest.has(row.name)) newest.set(row.name, row);
  return newest;
}

const activeVersions = statement((on) =>
  on
    .select({
      name: toolSchemaVersions.toolName,
      version: toolSchemaVersions.schemaVersion,
      hash: toolSchemaVersions.schemaHash,
    })
    .from(toolSchemaVersions)
    .where(eq(toolSchemaVersions.status, "active"))
    .orderBy(desc(toolSchemaVersions.schemaVersion)),
);

/** Which tools the tenant has switched on. */
export async function activeToolNames(tx: Tx, tenantId: string): Promise<Set<string>> {
  const rows = await switchedOn(tx, { tenantId });
  return new Set(rows.map((row) => row.name));
}

const switchedOn = statement((on, value: ValueAt<{ tenantId: string }>) =>
  on
    .select({ name: toolRegistry.toolName })
    .from(toolRegistry)
    .where(and(eq(toolRegistry.tenantId, value("tenantId")), eq(toolRegistry.isActive, true))),
);

/** What decides whether tools are offered at all: names of secrets, and whether a rate is active. */
export async function tenantToolFacts(
  tx: Tx,
  tenantId: string,
): Promise<{ secretNames: Set<string>; hasActiveRate: boolean }> {
  const named = tx
    .select({ name: tenantSecrets.name })
    .from(tenantSecrets)
    .where(eq(tenantSecrets.tenantId, tenantId));
  const active = tx
    .select({ id: exchangeRates.id })
    .from(exchangeRates)
    .where(and(eq(exchangeRates.tenantId, tenantId), eq(exchangeRates.isActive, true)))
    .limit(1);
  const [secrets, rates] = await Promise.all([named, active]);
  return { secretNames: new Set(secrets.map((row) => row.name)), hasActiveRate: rates.length > 0 };
}

/** Switches a tool on or off; false when the tenant has no such tool. */
export async function setToolActive(
  tx: Tx,
  change: { tenantId: string; toolName: string; isActive: boolean; now: number },
): Promise<boolean> {
  const rows = await tx
    .update(toolRegistry)
    .set({ isActive: change.isActive, updatedAt: change.now })
    .where(
      and(eq(toolRegistry.tenantId, change.tenantId), eq(toolRegistry.toolName, change.toolName)),
    )
    .returning({ id: toolRegistry.id });
  return rows.length > 0;
}
