import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openDispatch } from "../../src/engine/dispatch.ts";
import { addClient, type Client, type CrmOffice, openCrmOffice } from "../support/crm-office.ts";
import { forEachEngine } from "../support/database.ts";
import { TENANT } from "../support/office.ts";

forEachEngine((open) => {
  let office: CrmOffice;
  let client: Client;
  beforeAll(async () => {
    office = await openCrmOffice(open);
    await office.person();
  });
  beforeEach(async () => {
    client = await addClient(office);
  });
  afterAll(() => office.close());

  describe("an approved change of our own rows", () => {
    it("found running without its worker was not done: it is queued again and written once", async () => {
      await client.ask("update_crm_field", { field: "city", value: "Phuket" });
      await client.approves();
      const { id } = await client.execution();
      const ref = { tenantId: TENANT, id };
      const dies = () => office.tenant((tx) => openDispatch(tx, office.engine, ref));
      expect((await dies()).kind).toBe("run");
      expect(await client.works()).toMatchObject({ status: "running" }); // its lease still lives
      office.time.real += 61_000;
      expect(await client.works()).toMatchObject({ status: "queued", attempts: 1 });
      expect(await client.works()).toMatchObject({ status: "completed", attempts: 2 });
      const trail = (await office.auditOf(client.conversationId)).map((row) => row.eventType);
      expect(trail).toContain("execution.retry_scheduled");
      expect(trail).not.toContain("execution.unknown");
    });

    it("that ends its worker every time is put to people", async () => {
      await client.ask("update_crm_field", { field: "city", value: "Phuket" });
      await client.approves();
      const { id } = await client.execution();
      const ref = { tenantId: TENANT, id };
      for (let attempt = 1; attempt <= 4; attempt += 1) {
        const opened = await office.tenant((tx) => openDispatch(tx, office.engine, ref));
        expect(opened.kind).toBe("run");
        office.time.real += 61_000;
        if (attempt < 4) expect(await client.works()).toMatchObject({ status: "queued" });
      }
      expect(["unknown", "waiting_approval"]).toContain((await client.works()).status);
    });
  });
});
