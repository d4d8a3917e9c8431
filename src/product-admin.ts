import { setTimeout } from "node:timers/promises";
import { type Admin, createAdmin } from "./admin/app.ts";
import { productVersion } from "./cli/product-version.ts";
import { decide } from "./desk/decide.ts";
import { policyProblems } from "./policy/policy-problems.ts";
import type { Product } from "./product.ts";
import type { ProductBase } from "./product-base.ts";
import type { ProductEvals } from "./product-evals.ts";
import { modelDesk } from "./product-models.ts";
import { findApproval } from "./store/admin-reads.ts";
import { type Db, withTenant, withTenantRetried } from "./store/db.ts";
import { staffById } from "./store/staff.ts";

/** The admin API on the product's own parts. Without `evals` none are run for it. */
export function createProductAdmin(
  base: ProductBase,
  product: Product,
  evals?: ProductEvals,
): Admin {
  const { db } = base.database;
  const { registry, knowledge, deskDeps } = product;
  return createAdmin({
    db,
    clock: base.clock,
    secrets: base.secrets,
    registry,
    jobs: product.queue,
    dress: deskDeps.dress,
    toolsChanged: deskDeps.toolsChanged,
    ratingsChanged: deskDeps.ratingsChanged,
    officeChanged: (tx, office) => product.signals.send(tx, { kind: "office", ...office }),
    publicUrl: base.config.publicUrl,
    playground: base.config.sandbox,
    log: base.log,
    ...(evals ? { evals: evals.runner, shadowEvals: evals.shadow } : {}),
    bootId: product.bootId,
    replay: {
      ...{ db, clock: base.clock, registry },
      strategy: product.engine.strategy,
      modelNamed: product.models.named,
    },
    models: modelDesk(product.models),
    startOfDelay: (asked) => startOfDelay(db, asked),
    version: productVersion(),
    prepareTenant: product.prepareTenant,
    invalidateTools: (tenantId) => product.signals.sendNow({ kind: "tools", tenantId }),
    knowledgeChanged: () => {}, // the index looks at the documents' stamp at each search
    validatePolicies: (rows) =>
      policyProblems(rows, new Set(registry.all().map(({ tool }) => tool.name))),
    async searchKnowledge({ tenantId, text, limit }) {
      const hits = await withTenant(db, tenantId, (tx) =>
        knowledge.search(tx, { tenantId, text, topK: limit }),
      );
      return hits.map((hit) => ({ ...hit }));
    },
    decide: (decision) =>
      withTenantRetried(db, decision.tenantId, async (tx) => {
        const { tenantId, staffId } = decision;
        const staff = await staffById(tx, tenantId, staffId);
        const { accepted, code, message } = await decide(tx, deskDeps, {
          tenantId,
          approvalId: decision.approvalId,
          staff,
          decision: decision.decision,
          reason: decision.reason ?? null,
          edit: decision.edit ?? null,
          ...(decision.digest === undefined ? {} : { seen: decision.digest }),
          via: "api",
        });
        return accepted ? { accepted, message } : { accepted, code, message };
      }),
  });
}

/** Real time, milliseconds: a card is in its chat long before, unless the messenger is slow or down. */
const CARD_WAIT_MS = 2_000;
const LOOK_EVERY_MS = 40;

async function startOfDelay(
  db: Db,
  { tenantId, approval }: { tenantId: string; approval: string },
): Promise<number | null> {
  const number = Number(approval.replace(/^A-/, ""));
  for (let waited = 0; waited < CARD_WAIT_MS; waited += LOOK_EVERY_MS) {
    const found = await withTenant(db, tenantId, (tx) => findApproval(tx, tenantId, number));
    if (found?.approval.status !== "pending") return null;
    if (found.approval.approvesItselfAt !== null) return found.approval.approvesItselfAt;
    await setTimeout(LOOK_EVERY_MS);
  }
  return null;
}
