import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FEEDBACK_LABELS } from "../../src/domain/feedback.ts";
import { agentToolCallFeedback } from "../../src/store/schema/runs.ts";
import { auditLog } from "../../src/store/schema/tenancy.ts";
import type { AdminPart } from "../support/admin-part.ts";
import { forEachEngine } from "../support/database.ts";
import { openQualityPart, type QualityPart, startQuality } from "../support/quality-part.ts";
import { type PlayedCall, type PlayedReply, playReply } from "../support/quality-rows.ts";

const CALLS = "/quality/tool-calls";

forEachEngine((open) => {
  let part: AdminPart;
  let offices = 0;

  beforeAll(async () => {
    part = await startQuality(open);
  });
  afterAll(() => part.close());

  const newOffice = (): Promise<QualityPart> => {
    offices += 1;
    return openQualityPart(part, `office-${offices}`);
  };
  function plays(office: QualityPart, calls: PlayedCall[]): Promise<PlayedReply> {
    const { tenantId } = office;
    return office.rows((tx) => playReply(tx, { tenantId, now: part.deps.clock.now(), calls }));
  }
  const toolsOf = (reply: { body: { items: { tool_name: string }[] } }) =>
    reply.body.items.map(({ tool_name }) => tool_name);

  describe("the list of calls", () => {
    it("takes any filter, and all that are named hold together", async () => {
      const office = await newOffice();
      const one = await plays(office, [{ tool: "a" }, { tool: "b", isError: true }]);
      const other = await plays(office, [{ tool: "a", isError: true }]);
      await office.operator("POST", `${CALLS}/${other.callIds[0]}/feedback`, { label: "bad_args" });
      const cases: [string, string[]][] = [
        ["", ["a", "b", "a"]],
        [`conversation=${one.conversationId}`, ["b", "a"]],
        [`message=${other.messageId}`, ["a"]],
        [`outbound=${one.outboundId}`, ["b", "a"]],
        ["tool=a", ["a", "a"]],
        ["error=true", ["a", "b"]],
        ["error=false", ["a"]],
        ["source=model", ["a", "b", "a"]],
        ["source=desk", []],
        ["label=bad_args", ["a"]],
        ["label=other", []],
        ["label=any", ["a"]],
        ["label=none", ["b", "a"]],
        [`label=none&message=${other.messageId}`, []],
        [`tool=a&error=true&conversation=${one.conversationId}`, []],
        [`tool=b&error=true&conversation=${one.conversationId}`, ["b"]],
      ];
      for (const [query, tools] of cases)
        expect([query, toolsOf(await office.operator("GET", `${CALLS}?${query}`))]).toEqual([
          query,
          tools,
        ]);
    });

    it.each([
      ["tol=a", "tol"],
      ["error=yes", "error"],
      ["label=bad", "label"],
      ["limit=0", "limit"],
      ["limit=201", "limit"],
      ["cursor=bm9uZQ", "cursor"],
    ])("refuses ?%s and names the field", async (query, path) => {
      const { status, body } = await part.call("GET", `${CALLS}?${query}`);
      expect([status, body.error.path]).toEqual([400, path]);
    });

    it("is read page by page; a newer call shifts nothing", async () => {
      const office = await newOffice();
      await plays(office, [{ tool: "a" }, { tool: "b" }, { tool: "c" }]);
      const first = await office.operator("GET", `${CALLS}?limit=2`);
      expect(toolsOf(first)).toEqual(["c", "b"]);
      await plays(office, [{ tool: "newer" }]);
      const next = `${CALLS}?limit=2&cursor=${first.body.next_cursor}`;
      const second = await office.operator("GET", next);
      expect([toolsOf(second), second.body.next_cursor]).toEqual([["a"], null]);
    });

    it("shows labels that stand, and none that was taken back", async () => {
      const office = await newOffice();
      const { callIds } = await plays(office, [{ tool: "a" }]);
      const path = `${CALLS}/${callIds[0]}/feedback`;
      await office.operator("POST", path, { label: "other" });
      await office.admin("POST", path, { label: "bad_args", note: "the sum" });
      await office.rows((tx) =>
        tx
          .update(agentToolCallFeedback)
          .set({ retractedAt: part.deps.clock.now() })
          .where(eq(agentToolCallFeedback.label, "other")),
      );
      const { body } = await office.operator("GET", CALLS);
      expect(body.items[0].feedback).toMatchObject([
        { label: "bad_args", note: "the sum", source: "api", staff_id: office.ids.admin },
      ]);
      await office.rows((tx) =>
        tx.update(agentToolCallFeedback).set({ retractedAt: part.deps.clock.now() }),
      );
      expect(toolsOf(await office.operator("GET", `${CALLS}?label=any`))).toEqual([]);
      expect(toolsOf(await office.operator("GET", `${CALLS}?label=none`))).toEqual(["a"]);
    });
  });

  describe("a label by the API", () => {
    it.each(FEEDBACK_LABELS)("%s is written, by an operator, too", async (label) => {
      const office = await newOffice();
      const reply = await plays(office, [{ tool: "a" }]);
      const path = `${CALLS}/${reply.callIds[0]}/feedback`;
      const { status, body } = await office.operator("POST", path, { label, note: " why " });
      expect([status, body]).toMatchObject([
        201,
        { label, note: "why", source: "api", staff_id: office.ids.operator },
      ]);
      expect(body).toMatchObject({
        tool_call_id: reply.callIds[0],
        message_id: reply.messageId,
        conversation_id: reply.conversationId,
      });
    });

    it("may name the call by its number", async () => {
      const office = await newOffice();
      const { callIds } = await plays(office, [{ tool: "a" }]);
      const { body } = await office.operator("GET", CALLS);
      const path = `${CALLS}/${body.items[0].number}/feedback`;
      const given = await office.operator("POST", path, { label: "other" });
      expect([given.status, given.body.tool_call_id]).toEqual([201, callIds[0]]);
    });

    it("given again is one label with the newest note", async () => {
      const office = await newOffice();
      const { callIds } = await plays(office, [{ tool: "a" }]);
      const path = `${CALLS}/${callIds[0]}/feedback`;
      await office.operator("POST", path, { label: "other", note: "first" });
      await office.operator("POST", path, { label: "other", note: "second" });
      const { body } = await office.operator("GET", CALLS);
      expect(body.items[0].feedback).toMatchObject([{ note: "second" }]);
    });

    it("is audited by ids, without its words", async () => {
      const office = await newOffice();
      const { callIds, messageId, conversationId } = await plays(office, [{ tool: "a" }]);
      const body = { label: "bad_args", note: "Ivan's card" };
      await office.operator("POST", `${CALLS}/${callIds[0]}/feedback`, body);
      const [line] = await office.rows((tx) =>
        tx.select().from(auditLog).where(eq(auditLog.eventType, "feedback.given")),
      );
      expect(line).toMatchObject({ userId: office.ids.operator, conversationId });
      expect(line?.refs).toEqual({ messageId, toolCallId: callIds[0] });
      expect(JSON.stringify(line)).not.toContain("Ivan");
    });

    it.each([
      [{ label: "great" }, 400, "label"],
      [{}, 400, "label"],
      [{ label: "other", note: "x".repeat(1001) }, 400, "note"],
      [{ label: "other", why: "x" }, 400, "why"],
    ])("%j is refused", async (body, status, path) => {
      const office = await newOffice();
      const { callIds } = await plays(office, [{ tool: "a" }]);
      const refused = await office.operator("POST", `${CALLS}/${callIds[0]}/feedback`, body);
      expect([refused.status, refused.body.error.path]).toEqual([status, path]);
    });

    it("loses what no row can hold", async () => {
      const office = await newOffice();
      const { callIds } = await plays(office, [{ tool: "a" }]);
      const body = { label: "other", note: "a\0b\ud800c" };
      const given = await office.operator("POST", `${CALLS}/${callIds[0]}/feedback`, body);
      expect([given.status, given.body.note]).toEqual([201, "ab\ufffdc"]);
    });

    it("is a person's: ADMIN_TOKEN gives none", async () => {
      const office = await newOffice();
      const { callIds } = await plays(office, [{ tool: "a" }]);
      const path = `${CALLS}/${callIds[0]}/feedback?tenant=${office.tenantId}`;
      const refused = await part.call("POST", path, { body: { label: "other" } });
      expect([refused.status, refused.body.error.code]).toEqual([403, "personal_token_required"]);
    });

    it("of a call of another office, or of none, is 404", async () => {
      const [office, other] = [await newOffice(), await newOffice()];
      const { callIds } = await plays(office, [{ tool: "a" }]);
      const { body } = await office.operator("GET", CALLS);
      for (const which of [callIds[0], body.items[0].number, "999999999999", "none", "a%00b"]) {
        const path = `${CALLS}/${which}/feedback`;
        expect((await other.operator("POST", path, { label: "other" })).status).toBe(404);
      }
      expect(toolsOf(await other.operator("GET", CALLS))).toEqual([]);
    });
  });

  describe("in sum", () => {
    it("each label is counted, and the tools that do worst come first", async () => {
      const office = await newOffice();
      const calls = [{ tool: "a" }, { tool: "b", isError: true }, { tool: "c" }, { tool: "b" }];
      const { callIds } = await plays(office, calls);
      const label = (index: number, name: string) =>
        office.operator("POST", `${CALLS}/${callIds[index]}/feedback`, { label: name });
      await label(0, "wrong_tool");
      await label(0, "bad_args");
      await label(1, "missing_tool");
      await label(2, "good_reply");
      const { body } = await office.operator("GET", "/quality/tool-call-feedback/summary");
      expect(body).toEqual({
        counts: { good_reply: 1, wrong_tool: 1, missing_tool: 1, bad_args: 1, other: 0 },
        top_failing_tools: [
          { tool_name: "a", actionable: 2, errors: 0, calls: 1 },
          { tool_name: "b", actionable: 1, errors: 1, calls: 2 },
        ],
      });
      const later = new Date(part.deps.clock.now() + 60_000).toISOString();
      const none = await office.operator(
        "GET",
        `/quality/tool-call-feedback/summary?since=${later}`,
      );
      expect([none.body.counts.wrong_tool, none.body.top_failing_tools]).toEqual([0, []]);
    });

    it("a time that is none is refused", async () => {
      const path = "/quality/tool-call-feedback/summary?since=yesterday";
      const refused = await part.call("GET", path);
      expect([refused.status, refused.body.error.path]).toEqual([400, "since"]);
    });
  });

  describe("the export of labels", () => {
    it("has every label that stands on a line of its own, with its call", async () => {
      const office = await newOffice();
      const { callIds, messageId } = await plays(office, [{ tool: "a", args: { from: "BTC" } }]);
      const path = `${CALLS}/${callIds[0]}/feedback`;
      await office.operator("POST", path, { label: "bad_args", note: "the\nsum" });
      await office.rows((tx) =>
        tx.insert(agentToolCallFeedback).values({
          ...{ id: "plain-reply", tenantId: office.tenantId, conversationId: "c", messageId: "m" },
          ...{ label: "other", source: "reaction", staffId: "s", createdAt: 1_700_000_000_000 },
        }),
      );
      const { rows, headers } = await office.lines("/quality/tool-call-feedback/export.jsonl");
      expect(headers.get("content-type")).toBe("application/x-ndjson");
      expect(headers.get("content-disposition")).toContain("tool-call-feedback.jsonl");
      expect(rows).toMatchObject([
        { id: "plain-reply", toolCall: null, createdAt: 1_700_000_000 },
        { label: "bad_args", note: "the\nsum", messageId, staffId: office.ids.operator },
      ]);
      expect(rows[1].toolCall).toMatchObject({ toolName: "a", args: { from: "BTC" } });
      const since = "/quality/tool-call-feedback/export.jsonl?since=2025-01-01T00:00:00Z";
      expect((await office.lines(since)).rows).toHaveLength(1);
    });

    it("goes on past one page", async () => {
      const office = await newOffice();
      const count = 1203;
      const labels = Array.from({ length: count }, (_, index) => ({
        ...{ id: `${office.tenantId}-${index}`, tenantId: office.tenantId, conversationId: "c" },
        ...{ messageId: `m-${index}`, label: "other" as const, source: "api" as const },
        // many were given in the same millisecond
        ...{ staffId: "s", createdAt: 1_700_000_000_000 + Math.floor(index / 400) },
      }));
      await office.rows((tx) => tx.insert(agentToolCallFeedback).values(labels));
      const { rows } = await office.lines("/quality/tool-call-feedback/export.jsonl");
      expect(new Set(rows.map(({ id }) => id)).size).toBe(count);
      expect(rows).toHaveLength(count);
    });
  });
});
