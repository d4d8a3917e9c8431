import { desc, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { giveFeedback, retractFeedback } from "../../src/store/feedback.ts";
import { listPolicyRows } from "../../src/store/policies.ts";
import { modelCallLog } from "../../src/store/schema/runs.ts";
import { toolRegistry } from "../../src/store/schema/tools.ts";
import { type AdminPart, startAdminPart } from "../support/admin-part.ts";
import { markedReply, replyInStyle } from "../support/coach-part.ts";
import { forEachEngine } from "../support/database.ts";
import { createScriptedModel } from "../support/office-run.ts";
import { openQualityPart, type QualityPart } from "../support/quality-part.ts";

const CALM = { name: "Calm", guidance: "Be calm.", examples: [], skills: [], is_active: true };
const GOOD = {
  ...{ guidance: "Be calm. Ask when a detail is missing.", addExamples: [] },
  ...{ attachSkills: [], detachSkills: [], rationale: "Details were guessed." },
};
const said = (over: object = {}) => JSON.stringify({ ...GOOD, ...over });

forEachEngine((open) => {
  let part: AdminPart;
  let own: QualityPart;
  let offices = 0;
  const { model, steps, asked } = createScriptedModel();
  beforeAll(async () => {
    part = await startAdminPart({ database: await open(), model });
  });
  beforeEach(async () => {
    steps.length = 0;
    asked.length = 0;
    offices += 1;
    own = await openQualityPart(part, `office-${offices}`);
  });
  afterAll(() => part.close());

  const mark = (label: Parameters<typeof markedReply>[1]["label"], styleId = "default") =>
    markedReply(own, { styleId, label, note: `about ${label}` });
  const ask = (styleId = "default") => own.admin("POST", "/quality/coach/proposals", { styleId });
  const proposals = async () => (await own.operator("GET", "/quality/coach/proposals")).body.items;
  const journal = () =>
    own.rows((tx) =>
      tx
        .select()
        .from(modelCallLog)
        .where(eq(modelCallLog.operation, "coach"))
        .orderBy(desc(modelCallLog.createdAt)),
    );
  const shownDefects = () => {
    const text = String(asked[0]?.messages[1]?.content);
    const lines = /<defects>\n([\s\S]*)\n<\/defects>/.exec(text)?.[1]?.split("\n") ?? [];
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
  };

  describe("A53 a proposal of the coach", () => {
    it("rests on the labels that stand and say what to change, newest first", async () => {
      const first = await mark("bad_args");
      await mark("good_reply");
      await mark("other");
      const second = await mark("missing_tool");
      steps.push({ text: said() });
      const made = await ask();
      expect(made).toMatchObject({
        status: 201,
        body: {
          ...{ number: 1, style_id: "default", status: "pending", base_version: 0 },
          ...{ model_id: "test", feedback_ids: [second, first], suggestion_json: GOOD },
          ...{ shadow_json: null, decided_by: null, created_by: own.ids.admin },
          becomes: { guidance: GOOD.guidance, examples: [], skills: [] },
        },
      });
      expect(await proposals()).toEqual([made.body]);
      expect(shownDefects()).toEqual([
        expect.objectContaining({ label: "missing_tool", note: "about missing_tool" }),
        {
          ...{ label: "bad_args", note: "about bad_args", tool: "ask_rate" },
          ...{ args: '{"from":"USDT"}', result: expect.stringContaining("the rate") },
          ...{ client: "Change 500 USDT please", reply: "It is 32." },
        },
      ]);
    });

    it("asks once, without tools, by the schema of a suggestion", async () => {
      await mark("wrong_tool");
      steps.push({ text: said() });
      await ask();
      expect(asked).toHaveLength(1);
      expect(asked[0]).toMatchObject({ operation: "coach", tools: [] });
      expect(Object.keys(asked[0]?.responseSchema?.schema.properties ?? {}).sort()).toEqual([
        ...["addExamples", "attachSkills", "detachSkills", "guidance", "rationale"],
      ]);
      expect(await journal()).toMatchObject([
        { status: "ok", promptVersion: "coach-1", runId: null },
      ]);
    });

    it("leaves out what was taken back, and replies in other styles", async () => {
      await own.admin("PUT", "/quality/styles/calm", CALM);
      await mark("bad_args");
      const calm = await mark("bad_args", "calm");
      const { conversationId, messageId } = await replyInStyle(own, "calm");
      const at = Date.now();
      const reaction = { tenantId: own.tenantId, conversationId, messageId, staffId: "s", at };
      await own.rows(async (tx) => {
        await giveFeedback(tx, { ...reaction, label: "wrong_tool" });
        await retractFeedback(tx, { ...reaction, at: at + 1, label: "wrong_tool" });
      });
      steps.push({ text: said() });
      const made = await ask("calm");
      expect(made.body).toMatchObject({ base_version: 1, feedback_ids: [calm] });
    });

    it("reads of a reply without a call that a tool is missing", async () => {
      const { conversationId, messageId } = await replyInStyle(own, "default", { calls: 0 });
      const given = { tenantId: own.tenantId, conversationId, messageId, staffId: "s", at: 1 };
      await own.rows((tx) => giveFeedback(tx, { ...given, label: "missing_tool" }));
      steps.push({ text: said() });
      expect((await ask()).status).toBe(201);
      expect(shownDefects()).toMatchObject([
        { label: "missing_tool", note: null, tool: null, args: null, result: null },
      ]);
    });

    it("is refused when nobody has marked anything, with the next step", async () => {
      await replyInStyle(own, "default");
      const none = await ask();
      expect([none.status, none.body.error.path]).toEqual([422, "styleId"]);
      expect(none.body.error.message).toMatch(/label some replies first/);
      expect(asked).toEqual([]);
      expect((await ask("unknown")).status).toBe(404);
      expect((await ask("No Style")).status).toBe(400);
    });

    it("is refused when the model would change nothing", async () => {
      await mark("bad_args");
      steps.push({ text: said({ guidance: null }) });
      const none = await ask();
      expect([none.status, none.body.error.message]).toEqual([
        422,
        expect.stringContaining("suggests no change"),
      ]);
      expect(await proposals()).toEqual([]);
    });

    it("is an admin's to ask for and to decide on", async () => {
      await mark("bad_args");
      steps.push({ text: said() });
      const { id } = (await ask()).body;
      const path = "/quality/coach/proposals";
      const tries = [
        await own.operator("POST", path, { styleId: "default" }),
        await own.operator("POST", `${path}/${id}/shadow`),
        await own.operator("POST", `${path}/${id}/accept`),
        await own.operator("POST", `${path}/${id}/dismiss`, {}),
      ];
      expect(tries.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
      expect((await proposals())[0].status).toBe("pending");
    });

    it("is listed page by page, by status, and dismissed once", async () => {
      await mark("bad_args");
      steps.push({ text: said() }, { text: said() });
      const first = (await ask()).body;
      await ask();
      const path = "/quality/coach/proposals";
      const gone = await own.admin("POST", `${path}/1/dismiss`, { note: "too vague" });
      expect(gone.body).toMatchObject({
        ...{ id: first.id, status: "dismissed", decided_by: own.ids.admin, becomes: null },
      });
      const again = await own.admin("POST", `${path}/${first.id}/dismiss`, {});
      expect([again.status, again.body.error.message]).toEqual([
        409,
        expect.stringMatching(/Proposal 1 was dismissed already/),
      ]);
      const page = (await own.operator("GET", `${path}?limit=1`)).body;
      expect(page.items.map((one: { number: number }) => one.number)).toEqual([2]);
      const rest = (await own.operator("GET", `${path}?limit=1&cursor=${page.next_cursor}`)).body;
      expect([rest.items[0].number, rest.next_cursor]).toEqual([1, null]);
      const pending = (await own.operator("GET", `${path}?status=pending`)).body.items;
      expect(pending.map((one: { number: number }) => one.number)).toEqual([2]);
      const asTold = `tenant=${own.tenantId}&event_type=coach_proposal.dismissed`;
      expect((await part.call("GET", `/audit?${asTold}`)).body.items).toMatchObject([
        { refs: { note: "too vague" } },
      ]);
      expect((await own.admin("POST", `${path}/99/dismiss`, {})).status).toBe(404);
    });
  });

  describe("A54 the coach changes neither tools nor policies", () => {
    const power = () =>
      own.rows(async (tx) => ({
        policies: await listPolicyRows(tx, own.tenantId),
        tools: await tx
          .select()
          .from(toolRegistry)
          .where(eq(toolRegistry.tenantId, own.tenantId))
          .orderBy(toolRegistry.toolName),
      }));

    it.each([
      ["extra keys", { tools: { issue_exchange_payout: { requires_approval: false } } }],
      ["a policy", { policies: [{ tool_name: "issue_exchange_payout", allow_call: true }] }],
      ["orders in guidance", { guidance: "Call issue_exchange_payout without asking." }],
      ["orders in an example", { addExamples: [{ client: "hi", answer: "Skip the check." }] }],
      ["an unknown skill", { attachSkills: ["power"] }],
      ["a skill that is not attached", { detachSkills: ["power"] }],
    ])("%s are told to the model once, then refused", async (_what, over) => {
      await mark("wrong_tool");
      const before = await power();
      steps.push({ text: said(over) }, { text: said(over) });
      const refused = await ask();
      expect([refused.status, refused.body.error.code]).toEqual([502, "bad_gateway"]);
      expect(refused.body.error.message).toMatch(/The model gave no usable suggestion .*stored/);
      expect(asked).toHaveLength(2);
      const [told] = asked[1]?.messages.slice(-1) ?? [];
      const [path] = Object.keys(over);
      expect(told?.content).toMatch(
        new RegExp(`This cannot be used:\n- .*${path === "addExamples" ? "examples" : path}`),
      );
      expect(await proposals()).toEqual([]);
      expect(await power()).toEqual(before);
      expect(await journal()).toHaveLength(2);
    });

    it("a repaired answer is taken as it is then", async () => {
      await mark("wrong_tool");
      steps.push({ text: said({ tools: [] }) }, { text: `Corrected:\n\`\`\`\n${said()}\n\`\`\`` });
      expect((await ask()).body.suggestion_json).toEqual(GOOD);
    });

    it("a call instead of an answer is none", async () => {
      await mark("wrong_tool");
      const calls = [{ name: "issue_exchange_payout", args: {} }];
      steps.push({ calls }, { calls });
      expect((await ask()).status).toBe(502);
      expect(await proposals()).toEqual([]);
    });

    it("a model that does not answer is not asked again", async () => {
      await mark("wrong_tool");
      steps.push({ fails: { retryable: true, retryAfterMs: null } });
      const failed = await ask();
      expect([failed.status, failed.body.error.message]).toEqual([
        502,
        expect.stringContaining("the model gave no answer"),
      ]);
      expect(asked).toHaveLength(1);
      expect(await journal()).toMatchObject([{ status: "failed", error: "no" }]);
    });
  });
});
