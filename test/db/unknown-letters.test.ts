import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toolResultLog } from "../../src/store/schema/tools.ts";
import { addClient, type CrmOffice, openCrmOffice } from "../support/crm-office.ts";
import { forEachEngine } from "../support/database.ts";

const DAY_MS = 86_400_000;

forEachEngine((open) => {
  let office: CrmOffice;
  beforeAll(async () => {
    office = await openCrmOffice(open);
    await office.person();
  });
  afterAll(() => office.close());
  let clients = 0;

  /** A letter that the server took, perhaps, before it hung up. */
  async function unknownLetter(edit?: { body: string }) {
    clients += 1;
    const to = `anna${clients}@example.com`;
    const client = await addClient(office, { address: to, isVerified: true });
    const letter = { to, subject: "Terms", body: "Hello Anna, these are the terms." };
    await client.ask("send_email", letter);
    const approval = await client.approval();
    await office.decides(approval.id, await office.person(), edit ? { edit } : {});
    office.smtp.fault({ service: "smtp", kind: "drop_response_after_effect", count: 1 });
    expect(await client.works()).toMatchObject({ status: "unknown" });
    return { client, letter };
  }

  describe("S4 a letter of unknown outcome", () => {
    const edits = [undefined, { body: "Hello Anna, the terms have changed." }];
    it.each(edits)("edited as %j is not asked for again, not even on another day", async (edit) => {
      const { client, letter } = await unknownLetter(edit);
      office.time.now += DAY_MS;
      const asked = [letter, ...(edit ? [{ ...letter, ...edit }] : [])];
      for (const one of asked)
        expect(await client.ask("send_email", one)).toMatchObject({
          status: "blocked_by_policy",
          code: "outcome_unknown",
        });
      const other = { ...letter, body: "Something else." };
      expect(await client.ask("send_email", other)).toMatchObject({ status: "waiting_approval" });
    });
  });

  it("B10 the log of results has the letter's own id", async () => {
    const client = await addClient(office, { address: "ida@example.com", isVerified: true });
    await client.ask("send_email", { to: "ida@example.com", subject: "Hi", body: "Hello Ida." });
    await client.approves();
    const { id } = await client.works();
    const results = await office.tenant((tx) =>
      tx.select().from(toolResultLog).where(eq(toolResultLog.executionId, id)),
    );
    const [mail] = office.mailsTo("ida@example.com");
    expect(results).toMatchObject([{ status: "completed", externalId: mail?.message_id }]);
  });

  it("a server's words about a letter reach people cleaned, and no model", async () => {
    const client = await addClient(office, { address: "eva@example.com", isVerified: true });
    await client.ask("send_email", { to: "eva@example.com", subject: "Hi", body: "Hello Eva." });
    await client.approves();
    office.smtp.fault({ service: "smtp", kind: "status", status: 550, count: 1 });
    expect(await client.works()).toMatchObject({ status: "failed" });
    const [execution] = await office.executionsOf(client.conversationId);
    const { reply } = await office.candidate(execution?.candidateId ?? "");
    expect(reply?.error?.message).toBe(
      "the letter was not sent: the mail server refused the letter (550)",
    );
    const cards = (await client.sent()).filter(({ purpose }) => purpose === "card");
    expect(JSON.stringify(cards.at(-1)?.content)).toContain("550 5.7.1 Message refused");
  });
});
