import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../src/domain/ids.ts";
import { type KeyToReserve, reserveKey, settleKeys } from "../../src/store/executions.ts";
import { errorLog } from "../../src/store/schema/runs.ts";
import { idempotencyKeys } from "../../src/store/schema/tools.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, openOffice, TENANT } from "../support/office.ts";
import { addLead } from "../support/office-lead.ts";

const DAY_MS = 86_400_000;

forEachEngine((open) => {
  let office: Office;
  let key: KeyToReserve;
  beforeAll(async () => {
    office = await openOffice(open);
    await office.person();
  });
  beforeEach(() => {
    office.cashier.paid.length = 0;
    key = {
      ...{ tenantId: TENANT, idempotencyKey: newId(), runId: null, toolName: "keep_draft" },
      ...{ digest: "d1", executionId: "x1", now: office.time.now },
    };
  });
  afterAll(() => office.close());

  const reserve = (over: Partial<KeyToReserve> = {}) =>
    office.tenant((tx) => reserveKey(tx, { ...key, ...over }));
  const settle = (executionId: string, status: "completed" | "unknown" | "freed") =>
    office.tenant((tx) => settleKeys(tx, { tenantId: TENANT, executionId, status }));

  describe("a key", () => {
    it("is reserved once; the same execution may reserve it again", async () => {
      expect(await reserve()).toEqual({ kind: "reserved" });
      expect(await reserve()).toEqual({ kind: "reserved" });
      expect(await reserve({ executionId: "x2" })).toEqual({
        ...{ kind: "held", executionId: "x1", status: "reserved" },
      });
    });

    it("is never shared by two actions", async () => {
      await reserve();
      expect(await reserve({ digest: "d2", executionId: "x2" })).toEqual({ kind: "conflict" });
      expect(await reserve({ digest: "d2" })).toEqual({ kind: "conflict" });
    });

    it("tells a repeat which execution has the result", async () => {
      await reserve();
      await settle("x1", "completed");
      expect(await reserve({ executionId: "x2" })).toEqual({
        ...{ kind: "held", executionId: "x1", status: "completed" },
      });
    });

    it("is free after its time, and not before", async () => {
      const expiresAt = key.now + DAY_MS;
      await reserve({ expiresAt });
      await settle("x1", "completed");
      const later = (now: number) => reserve({ executionId: "x2", digest: "d2", now, expiresAt });
      expect(await later(expiresAt - 1)).toEqual({ kind: "conflict" });
      expect(await later(expiresAt)).toEqual({ kind: "reserved" });
    });

    it("of an unknown outcome does not run out", async () => {
      const expiresAt = key.now + DAY_MS;
      await reserve({ executionId: "x9", expiresAt });
      await settle("x9", "unknown");
      const again = await reserve({ executionId: "x2", now: expiresAt + DAY_MS });
      expect(again).toEqual({ kind: "held", executionId: "x9", status: "unknown" });
    });

    it("without a time never runs out", async () => {
      await reserve({ executionId: "x8" });
      await settle("x8", "completed");
      const again = await reserve({ executionId: "x2", now: key.now + 10_000 * DAY_MS });
      expect(again).toMatchObject({ kind: "held", status: "completed" });
    });
  });

  describe("an approved payout whose key", () => {
    const heldBy = async (over: Partial<typeof idempotencyKeys.$inferInsert>) => {
      const lead = await addLead(office);
      const approval = await lead.approvedPayout();
      await office.tenant((tx) =>
        tx.insert(idempotencyKeys).values({
          ...{ id: newId(), tenantId: TENANT, idempotencyKey: `payout:${lead.order}` },
          ...{ toolName: "issue_exchange_payout", argumentsHash: "another action" },
          ...{ status: "completed", resultRef: "another", createdAt: office.time.now, ...over },
        }),
      );
      const execution = await lead.works();
      return { lead, execution, candidate: await office.candidate(approval.candidateId) };
    };

    it("belongs to another action is not sent: the error says so", async () => {
      const { execution, candidate } = await heldBy({});
      expect(execution.status).toBe("cancelled");
      expect(candidate).toMatchObject({
        ...{ status: "failed", code: "DUPLICATE_KEY" },
        reply: { ok: false, status: "denied", error: { code: "DUPLICATE_KEY" } },
      });
      expect(office.cashier.paid).toEqual([]);
      const errors = await office.tenant((tx) =>
        tx.select().from(errorLog).where(eq(errorLog.executionId, execution.id)),
      );
      expect(errors).toMatchObject([{ errorCode: "DUPLICATE_KEY", retryable: false }]);
    });

    it("was used for the same payout before is not sent twice", async () => {
      const lead = await addLead(office);
      await lead.approvedPayout();
      const { actionDigest: argumentsHash } = await lead.execution();
      await office.tenant((tx) =>
        tx.insert(idempotencyKeys).values({
          ...{ id: newId(), tenantId: TENANT, idempotencyKey: `payout:${lead.order}` },
          ...{ toolName: "issue_exchange_payout", argumentsHash, status: "completed" as const },
          ...{ resultRef: "an earlier one", createdAt: office.time.now },
        }),
      );
      expect((await lead.works()).status).toBe("cancelled");
      expect(office.cashier.paid).toEqual([]);
    });
  });
});
