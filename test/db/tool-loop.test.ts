import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { ChatMessage, ChatModel, ChatRequest } from "../../src/domain/chat-model.ts";
import { newId } from "../../src/domain/ids.ts";
import { handleRun } from "../../src/engine/run.ts";
import { conversationTrace } from "../../src/store/conversation-trace.ts";
import { messages } from "../../src/store/schema/chat.ts";
import { modelCallLog, runs } from "../../src/store/schema/runs.ts";
import { toolResultLog } from "../../src/store/schema/tools.ts";
import { activeSchemas, setToolActive } from "../../src/store/tool-registry.ts";
import { loadTranscript } from "../../src/store/transcript.ts";
import type { AnyTool, RagTool, ToolCall } from "../../src/tools/contract.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { success } from "../../src/tools/results.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, officeRules, openOffice, rule, TENANT } from "../support/office.ts";
import { addLead, call, type OfficeLead } from "../support/office-lead.ts";
import { SMALL_TOOL } from "../support/small-tool.ts";

interface Said {
  text?: string;
  calls?: { id?: string; name: string; args: string | object }[];
  model?: string;
}

const echoArgs = z.strictObject({ word: z.string() });

function echo(name: string, run: (tool: ToolCall) => Promise<unknown>): RagTool<{ word: string }> {
  return {
    ...{ name, title: name, description: SMALL_TOOL, risk: "read_only", sideEffectType: "none" },
    ...{ parameters: echoArgs, output: z.looseObject({}), offered: true, staged: false },
    isAvailable: () => true,
    async run(tool) {
      await run(tool);
      const data = { heard: tool.action.word ?? null };
      return { kind: "result", result: success({ type: "word", summary: "heard" }, data) };
    },
  };
}

forEachEngine((open) => {
  let office: Office;
  let lead: OfficeLead;
  let script: ((request: ChatRequest) => Said | Promise<Said>)[];
  let requests: ChatRequest[];
  /** The first of two calls ends after the second one has. */
  let second: { ended: Promise<void>; end(): void };
  let onLose: (tool: ToolCall) => Promise<unknown>;

  const model: ChatModel = {
    async chat(request) {
      requests.push(request);
      const said = (await (script.length > 1 ? script.shift() : script[0])?.(request)) ?? {};
      const figures = { inputTokens: 1, outputTokens: 1, finishReason: "stop", latencyMs: 1 };
      const journal = { provider: "test", modelId: said.model ?? "plain-model", ...figures };
      const calls = (said.calls ?? []).map(({ id = "call_1", name, args }) => ({
        ...{ providerId: id, name },
        arguments: typeof args === "string" ? args : JSON.stringify(args),
      }));
      return { kind: "answer", text: said.text ?? "", calls, cut: false, journal };
    },
  };
  const tools = () =>
    [
      echo("slow_echo", () => second.ended),
      echo("fast_echo", async () => second.end()),
      echo("lose_lease", (tool) => onLose(tool)),
    ] as unknown as AnyTool[]; // lists hold tools of every argument type

  beforeAll(async () => {
    office = await openOffice(open, model, tools);
    await office.rules([
      ...officeRules(),
      ...["slow_echo", "fast_echo", "lose_lease"].map((name) => rule(name)),
    ]);
    await office.person();
  });
  afterAll(() => office.close());
  beforeEach(async () => {
    lead = await addLead(office);
    requests = [];
    office.ran.length = 0;
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    second = { ended, end };
  });

  const price = (item: string, id?: string) => ({
    calls: [{ name: "read_price", args: { item }, ...(id === undefined ? {} : { id }) }],
  });
  const says = (text: string) => () => ({ text });

  async function addRun(over: Partial<typeof runs.$inferInsert> = {}): Promise<string> {
    const { conversationId } = lead;
    const { now } = office.time;
    const id = newId();
    await office.tenant(async (tx) => {
      await tx.insert(messages).values({
        ...{ id: newId(), tenantId: TENANT, conversationId, author: "lead", kind: "text" },
        ...{ text: "how much is the tea?", createdAt: now },
      });
      await tx.insert(runs).values({
        ...{ id, tenantId: TENANT, conversationId, kind: "message", status: "queued" },
        ...{ dueAt: now, firstMessageAt: now, createdAt: now },
        ...over,
      });
    });
    return id;
  }
  const play = (id: string) =>
    handleRun(office.engine, { tenantId: TENANT, id }, AbortSignal.timeout(20_000));
  /** The lead asks, the model follows the script (its last step for ever). */
  async function asks(...steps: typeof script): Promise<string> {
    script = steps;
    const id = await addRun();
    await play(id);
    return id;
  }
  const runOf = async (id: string) => (await lead.runs()).find((one) => one.id === id);
  const replies = async () =>
    (await lead.sent()).flatMap(({ purpose, content }) =>
      purpose === "reply" && content.kind === "text" ? [content.text] : [],
    );
  const setActive = (toolName: string, isActive: boolean) =>
    office.tenant((tx) => setToolActive(tx, { tenantId: TENANT, toolName, isActive, now: 1 }));
  const toolMessages = (request: ChatRequest | undefined) =>
    (request?.messages ?? []).filter(
      (one): one is Extract<ChatMessage, { role: "tool" }> => one.role === "tool",
    );

  describe("D16 a model that proposes nonsense for ever", () => {
    const nonsense: [string, Said, string][] = [
      ["no JSON", { calls: [{ name: "read_price", args: "{" }] }, "schema_failed"],
      ["a wrong field", { calls: [{ name: "read_price", args: { x: 1 } }] }, "schema_failed"],
      ["no tool", { calls: [{ name: "constructor", args: {} }] }, "blocked_by_policy"],
      [
        "what is never done",
        { calls: [{ name: "wipe_everything", args: { item: "all" } }] },
        "blocked_by_policy",
      ],
    ];
    it.each(nonsense)("is stopped after four answers: %s", async (_name, said, status) => {
      const id = await asks(() => said);
      expect(requests).toHaveLength(4);
      expect((await lead.candidates()).map((one) => one.status)).toEqual(Array(4).fill(status));
      expect(await office.executionsOf(lead.conversationId)).toEqual([]);
      expect(office.ran).toEqual([]);
      expect(await runOf(id)).toMatchObject({ status: "exhausted", attempts: 0 });
      // B63: one message, in words
      const [text, ...more] = await replies();
      expect(more).toEqual([]);
      expect(text).toMatch(/I am passing your question to an operator/);
      expect(text).not.toMatch(/[A-Z]{3,}_|[a-z]+_[a-z]+|JSON|tool/);
    });

    it("D10 is told each time which field breaks which rule", async () => {
      await asks(
        () => ({ calls: [{ name: "read_price", args: { item: "tea", count: "2" } }] }),
        says("I do not know."),
      );
      const [result] = toolMessages(requests[1]);
      expect(JSON.parse(result?.content ?? "")).toMatchObject({
        ok: false,
        error: { code: "INVALID_ARGUMENTS", message: expect.stringMatching(/^count: .*number/) },
      });
    });
  });

  it("D06 seven calls in one answer are six attempts and a refusal", async () => {
    const items = ["a", "b", "c", "d", "e", "f", "g"];
    const id = await asks(
      () => ({ calls: items.map((item) => ({ name: "read_price", args: { item } })) }),
      says("Tea is there."),
    );
    const made = await lead.candidates();
    expect(made.map(({ code }) => code)).toEqual([...Array(6).fill(null), "budget_exhausted"]);
    expect(await runOf(id)).toMatchObject({ attempts: 6 });
  });

  describe("the provider's ids of calls", () => {
    it("may be the same in two answers and twice in one", async () => {
      const twice = {
        calls: ["milk", "cake"].map((item) => ({
          id: "call_1",
          name: "read_price",
          args: { item },
        })),
      };
      await asks(
        () => price("tea", "call_1"),
        () => twice,
        says("Tea is there."),
      );
      const made = await lead.candidates();
      expect(made.map(({ status }) => status)).toEqual(["executed", "executed", "executed"]);
      expect(office.ran).toHaveLength(3);
      const results = toolMessages(requests.at(-1));
      expect(results.map(({ content }) => JSON.parse(content).data.item)).toEqual([
        ...["tea", "milk", "cake"],
      ]);
      const ids = results.map(({ toolCallId }) => toolCallId);
      expect(new Set(ids).size).toBe(3);
      expect(ids).not.toContain("call_1");
    });

    it("may be missing, endless or foreign, and are keys of nothing", async () => {
      const odd = ["", "x".repeat(5000), "'; drop table runs; --"];
      await asks(
        () => ({
          calls: odd.map((id, at) => ({ id, name: "read_price", args: { item: `i${at}` } })),
        }),
        says("Tea is there."),
      );
      expect((await lead.candidates()).map(({ status }) => status)).toEqual([
        ...["executed", "executed", "executed"],
      ]);
    });
  });

  it("D12 results belong to their calls, whichever ends first", async () => {
    await asks(
      () => ({
        calls: [
          { name: "slow_echo", args: { word: "first" } },
          { name: "fast_echo", args: { word: "second" } },
        ],
      }),
      says("Heard."),
    );
    const results = toolMessages(requests[1]).map(({ content }) => JSON.parse(content).data.heard);
    expect(results).toEqual(["first", "second"]);
  });

  describe("D13 a result", () => {
    it("that comes after another worker took over is not written, and the call runs anew", async () => {
      let times = 0;
      onLose = async ({ runId }) => {
        times += 1;
        if (times > 1) return;
        await office.tenant((tx) =>
          tx
            .update(runs)
            .set({ leaseToken: "another", leaseUntil: office.time.real - 1 })
            .where(and(eq(runs.tenantId, TENANT), eq(runs.id, runId ?? ""))),
        );
      };
      const id = await asks(
        () => ({ calls: [{ name: "lose_lease", args: { word: "a" } }] }),
        says("Heard."),
      );
      const [late] = await lead.candidates();
      expect(late).toMatchObject({ status: "queued", reply: null });
      expect(await replies()).toEqual([]);
      office.time.real += 60_000;
      await play(id);
      const [done] = await lead.candidates();
      expect(done).toMatchObject({ id: late?.id, status: "executed" });
      expect(times).toBe(2);
      const [execution] = await office.executionsOf(lead.conversationId);
      const results = await office.tenant((tx) =>
        tx
          .select()
          .from(toolResultLog)
          .where(eq(toolResultLog.executionId, execution?.id ?? "")),
      );
      expect(results).toHaveLength(1);
    });

    it("is written once, though the job comes twice", async () => {
      const id = await asks(() => price("tea"), says("Tea is there."));
      await play(id);
      expect(office.ran).toEqual(["read_price"]);
      expect(await replies()).toEqual(["Tea is there."]);
    });
  });

  it("a call that was made again while people were asked shows what became of it", async () => {
    const payout = {
      calls: [{ name: "issue_exchange_payout", args: { amount: "40", order: lead.order } }],
    };
    const again = { calls: [...payout.calls, ...payout.calls] };
    await asks(
      () => payout,
      () => again,
      says("An operator is checking this."),
    );
    const statuses = async () => {
      const { conversationId } = lead;
      const { calls } = await office.tenant((tx) =>
        loadTranscript(tx, { tenantId: TENANT, conversationId, limit: 60 }),
      );
      return [...calls.values()].flat().map(({ reply }) => [reply?.status, reply?.approval]);
    };
    const { id, number } = await lead.approval();
    const name = `A-${number}`;
    expect(await statuses()).toEqual(Array(3).fill(["waiting_approval", name]));
    await office.decides(id, await office.person(), { decision: "reject" });
    expect(await statuses()).toEqual(Array(3).fill(["declined", name]));
  });

  it("B53 the model that made a call can be named", async () => {
    await asks(
      () => ({ ...price("tea"), model: "wise-model" }),
      () => ({ calls: [{ name: "constructor", args: {} }], model: "odd-model" }),
      says("Tea is there."),
    );
    const journal = await office.tenant((tx) => tx.select().from(modelCallLog));
    const named = (await lead.candidates()).map(({ toolName, modelCallId }) => [
      toolName,
      journal.find(({ id }) => id === modelCallId)?.modelId,
    ]);
    expect(named).toEqual([
      ["read_price", "wise-model"],
      ["constructor", "odd-model"],
    ]);
  });

  describe("B72 a tool that was switched off", () => {
    it("does not run for a model that was still offered it", async () => {
      await asks(async () => {
        await setActive("read_price", false);
        return price("tea");
      }, says("I do not know."));
      await setActive("read_price", true);
      expect(requests[0]?.tools.map(({ name }) => name)).toContain("read_price");
      expect(await lead.candidates()).toMatchObject([
        { status: "blocked_by_policy", code: "tool_inactive" },
      ]);
      expect(office.ran).toEqual([]);
    });

    it("does not run again for a worker that takes over", async () => {
      const { now, real } = office.time;
      const lost = { leaseOwner: "gone", leaseToken: "gone", leaseUntil: real - 1 };
      const id = await addRun({ status: "running", createdAt: now, ...lost });
      const [made] = await lead.proposes([call("read_price", { item: "tea" })], {
        ...{ runId: id, lease: { owner: "gone", token: "gone", untilMs: real + 1 } },
      });
      expect(made?.state.kind).toBe("run");
      await office.tenant((tx) => tx.update(runs).set({ attempts: 1 }).where(eq(runs.id, id)));
      await setActive("read_price", false);
      office.time.real += 60_000;
      script = [says("I do not know.")];
      await play(id);
      await setActive("read_price", true);
      expect(await lead.candidates()).toMatchObject([
        { status: "blocked_by_policy", code: "tool_inactive" },
      ]);
      expect(office.ran).toEqual([]);
    });
  });

  describe("B50 a schema that changes", () => {
    it("is another version by itself, and an old trace shows its own", async () => {
      const versionOf = async (name: string) =>
        (await office.tenant((tx) => activeSchemas(tx))).get(name)?.version;
      const oldVersion = await versionOf("read_price");
      await lead.proposes([call("read_price", { item: "tea" })]);
      const wider = office.registry.all().map(({ tool }) => {
        if (tool.name !== "read_price") return tool;
        const parameters = z.strictObject({ item: z.string(), size: z.enum(["s", "l"]) });
        return { ...tool, parameters } as unknown as AnyTool; // its own schema checks it
      });
      const { time, tenant } = office;
      await tenant((tx) => createRegistry(wider).sync(tx, TENANT, time.now));
      expect(await versionOf("read_price")).toBe((oldVersion ?? 0) + 1);
      await tenant((tx) => createRegistry(wider).sync(tx, TENANT, time.now));
      expect(await versionOf("read_price")).toBe((oldVersion ?? 0) + 1);
      await lead.proposes([call("read_price", { item: "cake" })]);
      const trace = await tenant((tx) =>
        conversationTrace(tx, { tenantId: TENANT, conversationId: lead.conversationId }),
      );
      const shown = trace?.candidates.map(({ argumentsRaw, toolName, schemaVersion }) => {
        const schema = trace.schemas.find(
          (one) => one.toolName === toolName && one.schemaVersion === schemaVersion,
        );
        const fields = Object.keys(Object(schema?.inputSchemaJson.properties));
        return [argumentsRaw, schema?.status, fields];
      });
      expect(shown).toEqual([
        ['{"item":"tea"}', "retired", ["item", "count"]],
        ['{"item":"cake"}', "active", ["item", "size"]],
      ]);
      await tenant((tx) => office.registry.sync(tx, TENANT, time.now));
    });
  });
});
