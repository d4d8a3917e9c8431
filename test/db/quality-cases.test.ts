import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FeedbackLabel } from "../../src/domain/feedback.ts";
import { newId } from "../../src/domain/ids.ts";
import { checkRecord } from "../../src/quality/regressions/check-record.ts";
import { withTenant } from "../../src/store/db.ts";
import { agentToolCallFeedback } from "../../src/store/schema/runs.ts";
import { auditLog, staff } from "../../src/store/schema/tenancy.ts";
import { addMessage } from "../../src/store/transcript.ts";
import type { AdminPart } from "../support/admin-part.ts";
import { forEachEngine } from "../support/database.ts";
import { openQualityPart, type QualityPart, startQuality } from "../support/quality-part.ts";
import {
  GATE_FACTS,
  type PlayedCall,
  type PlayedReply,
  playReply,
} from "../support/quality-rows.ts";

const CASES = "/quality/tool-call-regression-cases";

forEachEngine((open) => {
  let part: AdminPart;
  let offices = 0;

  beforeAll(async () => {
    part = await startQuality(open);
  });
  afterAll(() => part.close());

  type Office = QualityPart & { reply: PlayedReply };
  async function newOffice(...calls: PlayedCall[]): Promise<Office> {
    offices += 1;
    const office = await openQualityPart(part, `office-${offices}`);
    const { tenantId } = office;
    const now = part.deps.clock.now();
    const reply = await office.rows((tx) => playReply(tx, { tenantId, now, calls }));
    return { ...office, reply };
  }
  const labels = (office: Office, label: FeedbackLabel, index = 0) =>
    office.operator("POST", `/quality/tool-calls/${office.reply.callIds[index]}/feedback`, {
      ...{ label, note: `note ${index}` },
    });
  const labelsPlainReply = (office: Office, label: FeedbackLabel) =>
    office.rows((tx) =>
      tx.insert(agentToolCallFeedback).values({
        ...{ id: newId(), tenantId: office.tenantId, toolCallId: "", label, source: "reaction" },
        ...{ conversationId: office.reply.conversationId, messageId: office.reply.messageId },
        ...{ staffId: office.ids.operator, createdAt: part.deps.clock.now() },
      }),
    );
  const makes = (office: Office, body: object = {}, which = 1) =>
    office.admin("POST", `/quality/proposals/${which}/case`, body);

  describe("a case", () => {
    it("has the call as it was made, its label, what is expected, and what was known", async () => {
      const office = await newOffice({ tool: "ask_rate", args: { from: "BTC" }, isError: true });
      await labels(office, "wrong_tool");
      const { status, body } = await makes(office);
      expect(status).toBe(201);
      expect(checkRecord(body).faults).toEqual([]);
      const calls = await office.operator("GET", "/quality/tool-calls");
      const { number } = calls.body.items[0];
      expect(body).toMatchObject({
        ...{ id: 1, toolName: "ask_rate", label: "wrong_tool", status: "active" },
        ...{ title: "ask_rate: wrong tool", proposalId: 1, toolCallId: number },
        expected: {
          ...{ behavior: "ask_rate is not called here", proposalKind: "tool_selection" },
          forbiddenTools: ["ask_rate"],
        },
      });
      expect(body.input).toEqual({
        ...{ toolName: "ask_rate", args: { from: "BTC" } },
        feedback: { label: "wrong_tool", note: "note 0" },
        messages: [{ role: "assistant", content: "What is the rate?" }],
      });
      expect(body.context).toEqual({
        ...{ conversationId: office.reply.conversationId, messageId: office.reply.messageId },
        ...{ language: "en", facts: GATE_FACTS, schemaVersion: 3, policyResult: "allow" },
        ...{ promptVersion: "p-1", modelId: "m-1" },
        toolCall: {
          ...{ result: { ok: false, status: "failed", summary: "the rate" }, error: true },
          ...{ cycle: 1, toolCallIndex: 0, latencyMs: 40 },
        },
      });
      const [person] = await office.rows((tx) =>
        tx.select().from(staff).where(eq(staff.id, office.ids.admin)),
      );
      expect(body.createdByAdminId).toBe(person?.number);
    });

    it("applies its proposal with the case's name; both are audited by ids", async () => {
      const office = await newOffice({ tool: "ask_rate" });
      await labels(office, "bad_args");
      await makes(office, { note: "see the sum" });
      const proposals = await office.operator("GET", "/quality/tool-call-feedback/proposals");
      expect(proposals.body.items).toMatchObject([
        {
          status: "applied",
          resolution: { ref: { kind: "regression_case", value: "REG-1" }, note: "see the sum" },
        },
      ]);
      const lines = await office.rows((tx) =>
        tx.select().from(auditLog).where(eq(auditLog.toolName, "ask_rate")),
      );
      const events = lines.map(({ eventType }) => eventType).sort();
      expect(events).toEqual([
        "feedback.given",
        "improvement_proposal.applied",
        "regression_case.created",
      ]);
      expect(JSON.stringify(lines)).not.toContain("see the sum");
      const late = await makes(office);
      expect([late.status, late.body.error.message]).toEqual([
        409,
        expect.stringContaining("applied with regression_case REG-1 by admin of"),
      ]);
    });

    it("is of the newest label, or of the call that is named", async () => {
      const office = await newOffice({ tool: "a", args: { n: 0 } }, { tool: "a", args: { n: 1 } });
      await labels(office, "bad_args", 0);
      await labels(office, "bad_args", 1);
      const elsewhere = await makes(office, { tool_call_id: "none" });
      expect([elsewhere.status, elsewhere.body.error.path]).toEqual([422, "tool_call_id"]);
      const { body } = await makes(office, { tool_call_id: office.reply.callIds[0] });
      expect([body.input.args, body.input.feedback.note]).toEqual([{ n: 0 }, "note 0"]);

      const other = await newOffice({ tool: "a", args: { n: 0 } }, { tool: "a", args: { n: 1 } });
      await labels(other, "bad_args", 1);
      part.deps.clock.now = (
        (now) => () =>
          now() + 1000
      )(part.deps.clock.now);
      await labels(other, "bad_args", 0);
      expect((await makes(other)).body.input.args).toEqual({ n: 0 });
    });

    it("takes what the reviewer expects", async () => {
      const office = await newOffice({ tool: "a" });
      await labels(office, "bad_args");
      const { body } = await makes(office, {
        ...{
          title: "Sum of a deal",
          behavior: "asks for the sum",
          expected_tool: "offer_booking_link",
        },
        ...{ expected_args: { sum: "100" }, expected_policy_result: "schema_failed" },
        ...{
          forbidden_tools: ["issue_exchange_payout"],
          action_items: ["say in the schema what a sum is"],
        },
      });
      expect([body.title, body.expected]).toEqual([
        "Sum of a deal",
        {
          ...{
            behavior: "asks for the sum",
            proposalKind: "tool_arguments",
            tool: "offer_booking_link",
          },
          ...{
            args: { sum: "100" },
            policyResult: "schema_failed",
            forbiddenTools: ["issue_exchange_payout"],
          },
          actionItems: ["say in the schema what a sum is"],
        },
      ]);
    });

    it("of a reply without a call names the tool that was missing", async () => {
      const office = await newOffice();
      await labelsPlainReply(office, "missing_tool");
      await office.operator("GET", "/quality/tool-call-feedback/proposals");
      const refused = await makes(office);
      expect([refused.status, refused.body.error.path]).toEqual([422, "expected_tool"]);
      const { body } = await makes(office, { expected_tool: "offer_booking_link" });
      expect(checkRecord(body).faults).toEqual([]);
      expect(body).toMatchObject({
        ...{ toolName: "offer_booking_link", toolCallId: null },
        expected: { behavior: "offer_booking_link is called here", tool: "offer_booking_link" },
        input: {
          args: null,
          messages: [{ role: "assistant", content: "What is the rate?" }],
        },
        context: { modelId: "m-1", promptVersion: "p-1" },
      });
      expect(body.context.toolCall).toBeUndefined();
    });

    it("of a call that did not reach the gate says so", async () => {
      const office = await newOffice({ tool: "a", gate: "refused", args: [1] });
      await labels(office, "bad_args");
      const { body } = await makes(office);
      expect(body.context).toMatchObject({ policyResult: "schema_failed" });
      expect([body.context.facts, body.input.args]).toEqual([undefined, null]);
    });

    it("has the words before the call, and none of those after it", async () => {
      const office = await newOffice({ tool: "a" });
      const { tenantId } = office;
      const { conversationId } = office.reply;
      const said = { tenantId, conversationId, runId: null, now: part.deps.clock.now() };
      await office.rows((tx) =>
        addMessage(tx, { ...said, author: "staff", kind: "text", text: "Said later" }),
      );
      await labels(office, "wrong_tool");
      const { body } = await makes(office);
      expect(JSON.stringify(body.input.messages)).not.toMatch(/Said later|It is 32|You answer/);
    });

    it.each([
      [{ expected_tool: "no such name" }, 400, "expected_tool"],
      [{ expected_policy_result: "maybe" }, 400, "expected_policy_result"],
      [{ forbidden_tools: "a" }, 400, "forbidden_tools"],
      [{ title: " " }, 400, "title"],
      [{ expected: {} }, 400, "expected"],
      [{ tool_name: "other" }, 422, "tool_name"],
      [{ expected_tool: "offer_bookng_link" }, 422, "expected_tool"],
      [{ forbidden_tools: ["offer_bookng_link"] }, 422, "forbidden_tools.0"],
      [
        { expected_tool: "offer_booking_link", forbidden_tools: ["offer_booking_link"] },
        ...([422, "expected_tool"] as const),
      ],
      [{ expected_tool: null, expected_args: {} }, 422, "expected_args"],
      [
        { expected_tool: "offer_booking_link", expected_args: { sum: "1" } },
        ...([422, "expected_args.sum"] as const),
      ],
      [
        { expected_tool: "offer_booking_link", expected_args: { subject: { matches: "(" } } },
        ...([422, "expected_args.subject.matches"] as const),
      ],
    ])("%j is refused, and nothing is changed", async (body, status, path) => {
      const office = await newOffice({ tool: "a" });
      await labels(office, "wrong_tool");
      const refused = await makes(office, body);
      expect([refused.status, refused.body.error.path]).toEqual([status, path]);
      expect((await office.operator("GET", CASES)).body.items).toEqual([]);
    });

    it("made while the office is set up is nobody's", async () => {
      const tenant = `in-setup-${offices}-${newId()}`;
      await part.addTenant(tenant);
      const now = part.deps.clock.now();
      await withTenant(part.database.db, tenant, async (tx) => {
        const calls = [{ tool: "a" }];
        const { callIds, messageId, conversationId } = await playReply(tx, {
          ...{ tenantId: tenant, now, calls },
        });
        await tx.insert(agentToolCallFeedback).values({
          ...{ id: newId(), tenantId: tenant, toolCallId: callIds[0] ?? "", label: "bad_args" },
          ...{ conversationId, messageId, source: "reaction", staffId: "s", createdAt: now },
        });
      });
      await part.call("GET", `/quality/tool-call-feedback/proposals?tenant=${tenant}`);
      const path = `/quality/proposals/1/case?tenant=${tenant}`;
      const made = await part.call("POST", path, { body: {} });
      expect([made.status, made.body.createdByAdminId]).toEqual([201, null]);
    });
  });

  describe("cases", () => {
    /** REG-1 of `a`, REG-2 of `b`, REG-3 of `a`; the second is archived. */
    async function withThree(): Promise<Office> {
      const office = await newOffice({ tool: "a" }, { tool: "b" });
      await labels(office, "bad_args", 0);
      await labels(office, "bad_args", 1);
      await labels(office, "wrong_tool", 0);
      for (const which of [1, 2, 3]) await makes(office, {}, which);
      expect((await office.admin("POST", `${CASES}/REG-2/archive`)).status).toBe(200);
      return office;
    }
    const numbersOf = (rows: { id: number }[]) => rows.map(({ id }) => id);

    it("are listed newest first, by status and tool, page by page", async () => {
      const office = await withThree();
      const read = async (query: string) =>
        numbersOf((await office.operator("GET", `${CASES}?${query}`)).body.items);
      expect(await read("")).toEqual([3, 2, 1]);
      expect(await read("status=active")).toEqual([3, 1]);
      expect(await read("status=archived")).toEqual([2]);
      expect(await read("status=all&tool=a")).toEqual([3, 1]);
      const first = await office.operator("GET", `${CASES}?limit=2`);
      expect(await read(`limit=2&cursor=${first.body.next_cursor}`)).toEqual([1]);
      expect((await office.operator("GET", `${CASES}?label=x`)).status).toBe(400);
    });

    it("are exported one a line, the active ones by themselves, each a whole record", async () => {
      const office = await withThree();
      const { rows, headers } = await office.lines(`${CASES}/export.jsonl`);
      expect(headers.get("content-type")).toBe("application/x-ndjson");
      expect(headers.get("content-disposition")).toBe(
        'attachment; filename="tool-call-regression-cases.jsonl"',
      );
      expect(numbersOf(rows)).toEqual([3, 1]);
      for (const row of rows) expect(checkRecord(row).faults).toEqual([]);
      const listed = await office.operator("GET", `${CASES}?status=active`);
      expect(rows).toEqual(listed.body.items);
      expect(numbersOf((await office.lines(`${CASES}/export.jsonl?status=all`)).rows)).toEqual([
        ...[3, 2, 1],
      ]);
      expect(numbersOf((await office.lines(`${CASES}/export.jsonl?limit=1`)).rows)).toEqual([3]);
      const none = await newOffice();
      expect((await none.lines(`${CASES}/export.jsonl`)).rows).toEqual([]);
    });

    it.each(["limit=0", "limit=5001", "status=open", "tool=a"])(
      "?%s is no export",
      async (query) => {
        const refused = await part.call("GET", `${CASES}/export.jsonl?${query}`);
        expect(refused.status).toBe(400);
      },
    );

    it("are archived and restored, once each, by id, number or name", async () => {
      const office = await withThree();
      const again = await office.admin("POST", `${CASES}/2/archive`);
      expect([again.status, again.body.status]).toEqual([200, "archived"]);
      const restored = await office.admin("POST", `${CASES}/reg-2/restore`);
      expect([restored.status, restored.body.status]).toEqual([200, "active"]);
      const lines = await office.rows((tx) => tx.select().from(auditLog));
      const moves = lines
        .map(({ eventType }) => eventType)
        .filter((event) => /archived|restored/.test(event));
      expect(moves.sort()).toEqual(["regression_case.archived", "regression_case.restored"]);
      expect((await office.operator("POST", `${CASES}/REG-1/archive`)).status).toBe(403);
      for (const which of ["REG-9", "9", "none", "REG-99999999999"])
        expect((await office.admin("POST", `${CASES}/${which}/archive`)).status).toBe(404);
    });

    it("of another office are not there", async () => {
      await withThree();
      const other = await newOffice({ tool: "a" });
      expect((await other.operator("GET", CASES)).body.items).toEqual([]);
      expect((await other.admin("POST", `${CASES}/REG-1/archive`)).status).toBe(404);
    });
  });
});
