import type { ToolDefinition } from "../domain/chat-model.ts";
import { approvalNeed } from "../policy/approval-need.ts";
import { type Db, withTenant } from "../store/db.ts";
import { listPolicyRows } from "../store/policies.ts";
import { activeToolNames, tenantToolFacts } from "../store/tool-registry.ts";
import type { Registry } from "../tools/registry.ts";

/** Which tools a model is offered, kept in memory for a tenant until something changes. */
export interface ToolResolver {
  /** What a model is offered: called once for an inbound message. */
  resolveTools(query: { tenantId: string; conversationId: string }): Promise<ToolDefinition[]>;
  /** An admin changed something: the next message sees it. */
  invalidateToolsFor(tenantId: string): void;
  /** What other processes changed may have been missed. */
  invalidateAll(): void;
}

/** Tenant-level tools, cached until an edit. Being offered gives no right: the gate decides. */
export function createToolResolver(deps: { db: Db; registry: Registry }): ToolResolver {
  const cache = new Map<string, ToolDefinition[]>();
  /** Counts edits: what was read before one must not be kept after it. */
  let edits = 0;
  return {
    async resolveTools({ tenantId }) {
      const cached = cache.get(tenantId);
      if (cached) return cached;
      const editsBefore = edits;
      const [active, facts, rules] = await withTenant(deps.db, tenantId, (tx) =>
        Promise.all([
          activeToolNames(tx, tenantId),
          tenantToolFacts(tx, tenantId),
          listPolicyRows(tx, tenantId),
        ]),
      );
      const definitions = deps.registry
        .all()
        .filter(({ tool }) => tool.offered && active.has(tool.name) && tool.isAvailable(facts))
        .map(({ tool }) => deps.registry.definitionOf(tool.name, approvalNeed(tool, rules)));
      if (edits === editsBefore) cache.set(tenantId, definitions);
      return definitions;
    },
    invalidateToolsFor(tenantId) {
      edits += 1;
      cache.delete(tenantId);
    },
    invalidateAll() {
      edits += 1;
      cache.clear();
    },
  };
}
