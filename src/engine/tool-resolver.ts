import type { ToolDefinition } from "../domain/chat-model.ts";
import { type Db, withTenant } from "../store/db.ts";
import { activeToolNames, tenantToolFacts } from "../store/tool-registry.ts";
import type { Registry } from "../tools/registry.ts";

export interface ToolResolver {
  /** What a model is offered: called once for an inbound message. */
  resolveTools(query: { tenantId: string; conversationId: string }): Promise<ToolDefinition[]>;
  /** An admin changed something: the next message sees it. */
  invalidateToolsFor(tenantId: string): void;
}

/** Tenant-level tools, cached until an edit. Being offered gives no right: the gate decides. */
export function createToolResolver(deps: { db: Db; registry: Registry }): ToolResolver {
  const cache = new Map<string, ToolDefinition[]>();
  return {
    async resolveTools({ tenantId }) {
      const cached = cache.get(tenantId);
      if (cached) return cached;
      const { active, facts } = await withTenant(deps.db, tenantId, async (tx) => ({
        active: await activeToolNames(tx, tenantId),
        facts: await tenantToolFacts(tx, tenantId),
      }));
      const definitions = deps.registry
        .all()
        .filter(({ tool }) => tool.offered && active.has(tool.name) && tool.isAvailable(facts))
        .map(({ tool }) => deps.registry.definitionOf(tool.name));
      cache.set(tenantId, definitions);
      return definitions;
    },
    invalidateToolsFor: (tenantId) => void cache.delete(tenantId),
  };
}
