import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { presentPath } from "../../src/admin/present-path.ts";
import { pathText } from "../../src/cli/audit-text.ts";
import { findCalls } from "../../src/store/audit-find.ts";
import { type CallPath, callPath } from "../../src/store/audit-path.ts";
import { toolSchemaVersions } from "../../src/store/schema/tools.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, openOffice, TENANT } from "../support/office.ts";
import { addLead, call, type OfficeLead } from "../support/office-lead.ts";
import { openTrails, type Trails } from "../support/trail.ts";

forEachEngine((open) => {
  let office: Office;
  let trails: Trails;
  let lead: OfficeLead;
  let operator: string;
  beforeAll(async () => {
    office = await openOffice(open);
    trails = await openTrails(office.database, () => office.time.now);
    operator = await office.person();
    lead = await addLead(office, { amountTo: "1240" });
    office.cashier.next = ["retry", "result"];
    const { id } = await lead.asksPayout("40");
    await office.decides(id, operator);
    await lead.works();
    office.time.now += 60_000;
    await lead.works();
    await trails.of(TENANT).seal();
  });
  afterAll(async () => {
    trails.close();
    await office.close();
  });

  const find = (which: string) => office.tenant((tx) => findCalls(tx, TENANT, which));
  async function pathOf(candidateId: string): Promise<CallPath> {
    const path = await office.tenant((tx) => callPath(tx, { tenantId: TENANT, candidateId }));
    if (!path) throw new Error("there is no such call");
    return path;
  }
  const onlyCandidate = async (of: OfficeLead) => (await of.candidates())[0]?.id ?? "";

  it("a call is found by everything that names it", async () => {
    const candidate = await onlyCandidate(lead);
    const approval = await lead.approval();
    const [{ messageId } = { messageId: null }] = await lead.candidates();
    const row = (await office.auditOf(lead.conversationId)).find((one) => one.candidateId);
    for (const name of [
      candidate,
      approval.id,
      (await lead.execution()).id,
      messageId ?? "",
      row?.id ?? "",
      `A-${approval.number}`,
      `a-${approval.number}`,
      lead.order,
    ])
      expect(await find(name), name).toEqual([candidate]);
  });

  it("what nobody has heard of finds nothing", async () => {
    for (const name of ["A-999", "EX-999", "T-1", "nonsense", "", "A-99999999999", "' or 1=1 --"])
      expect(await find(name), name).toEqual([]);
  });

  it("another tenant's call is not found", async () => {
    const candidate = await onlyCandidate(lead);
    const found = office.tenant((tx) => findCalls(tx, "another", candidate));
    expect(await found).toEqual([]);
  });

  it("its way has every step in order, each as its own table keeps it", async () => {
    const approval = await lead.approval();
    const path = await pathOf(await onlyCandidate(lead));
    expect(path).toMatchObject({
      candidate: { toolName: "issue_exchange_payout", source: "model", status: "executed" },
      checks: [{ isValid: true, schemaVersion: 1 }],
      schema: { toolName: "issue_exchange_payout", schemaVersion: 1 },
      approval: { number: approval.number, status: "approved" },
      votes: [{ staffId: operator, decision: "approve", via: "slack" }],
      cards: [{ purpose: "card", chatId: "-100" }, { purpose: "card_edit" }],
      execution: { status: "completed", attempts: 2 },
      retries: [{ attempt: 1 }],
      results: [{ status: "completed", externalId: "P-1" }],
    });
    expect(path.gates.map(({ moment }) => moment)).toEqual(["proposal", "dispatch", "dispatch"]);
    expect(path.keys.map(({ idempotencyKey }) => idempotencyKey).sort()).toEqual(
      [approval.id, `payout:${lead.order}`].sort(),
    );
    expect(path.execution).not.toHaveProperty("leaseToken");
  });

  it("its rows of the trail are the ten events, with their places", async () => {
    const { audit } = await pathOf(await onlyCandidate(lead));
    expect(audit.map(({ eventType }) => eventType)).toEqual([
      "candidate.proposed",
      "arguments.checked",
      "gate.decided",
      "approval.requested",
      "result.returned", // that it waits
      "approval.voted",
      "execution.queued",
      "approval.decided",
      "gate.decided",
      "execution.retry_scheduled",
      "gate.decided",
      "execution.completed",
      "result.returned",
    ]);
    const places = audit.map(({ index }) => index ?? 0);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
  });

  it("is told to people line by line, and to machines as one document", async () => {
    const path = await pathOf(await onlyCandidate(lead));
    const text = pathText(path).join("\n");
    for (const line of [
      /^issue_exchange_payout: executed, candidate \S+$/m,
      /^ 1\. no message: model asked for it$/m,
      /^ 2\. no model was asked$/m,
      /^ 3\. proposed by the model for lead-\d+/m,
      /^ {6}arguments \{"amount":"40","order":"EX-\d+"\}$/m,
      /^ 4\. checked by schema version 1, active$/m,
      /^ {6}amount \(string\) = "40"/m,
      /^ 5\. gate$/m,
      /proposal: approval, rule rule-issue_exchange_payout, role support/,
      /^ 6\. A-\d+: approved, approval \S+$/m,
      /approve by operator \S+ \(\S+\) via slack$/m,
      /^ {6}effective \{/m,
      /^ 7\. execution \S+: completed, attempts 2/m,
      /^ {6}key payout:EX-\d+: completed$/m,
      /^ {6}retry after attempt 1: /m,
      /^ 8\. result$/m,
      /completed P-1: paid$/m,
      /^ 9\. no reply$/m,
      /^10\. rows of the trail$/m,
      /^ {6}row \d+: \S+ approval\.decided: A-\d+ issue_exchange_payout: approve by /m,
    ])
      expect(text).toMatch(line);
    expect(presentPath(path)).toMatchObject({
      candidate: { tool_name: "issue_exchange_payout", created_at: expect.stringMatching(/Z$/) },
      outside_calls: [],
      votes: [{ staff_id: operator }],
    });
  });

  it("an old call is read with the schema of its own time", async () => {
    const old = await addLead(office);
    await old.proposes([call("read_price", { item: "tea" })]);
    await office.tenant(async (tx) => {
      const is = eq(toolSchemaVersions.toolName, "read_price");
      await tx.update(toolSchemaVersions).set({ status: "retired" }).where(is);
      await tx.insert(toolSchemaVersions).values({
        ...{ id: "newer", toolName: "read_price", schemaVersion: 2, schemaHash: "another" },
        ...{ status: "active", createdAt: office.time.now, outputSchemaJson: {} },
        inputSchemaJson: { type: "object", properties: { article: { type: "string" } } },
      });
    });
    const path = await pathOf(await onlyCandidate(old));
    expect(path.schema).toMatchObject({ schemaVersion: 1, status: "retired" });
    const text = pathText(path).join("\n");
    expect(text).toContain("checked by schema version 1, retired");
    expect(text).toContain('item (string) = "tea"');
  });

  describe("a call that came to nothing", () => {
    it("shows how far it got", async () => {
      const other = await addLead(office);
      await other.proposes([
        call("read_price", { item: "tea", discount: 100 }),
        call("no_such_tool", {}),
        call("wipe_everything", { item: "tea" }),
      ]);
      const [invalid, unknown, denied] = await other.candidates();
      const textOf = async (id = "") => pathText(await pathOf(id)).join("\n");
      expect(await textOf(invalid?.id)).toMatch(/discount \(not in this schema\) = 100/);
      expect(await textOf(invalid?.id)).toMatch(/not valid: .*no_extra_fields/);
      expect(await textOf(unknown?.id)).toContain("not checked: there is no such tool");
      expect(await textOf(denied?.id)).toMatch(/proposal: deny: risk_class/);
      expect(await textOf(denied?.id)).toContain("7. not executed");
    });
  });

  it("what a lead wrote cannot pass for a line of ours", async () => {
    const other = await addLead(office);
    const text = 'x\n 6. A-1: approved, approval "1"';
    await other.proposes([call("read_price", { item: text })]);
    const lines = pathText(await pathOf(await onlyCandidate(other)));
    expect(lines.filter((line) => /^ 6\. A-1/.test(line))).toEqual([]);
  });
});
