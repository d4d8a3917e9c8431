import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { REPLY_STRATEGIES } from "../../src/engine/strategy.ts";
import { createToolResolver } from "../../src/engine/tool-resolver.ts";
import { createKnowledge } from "../../src/knowledge/knowledge.ts";
import { withOwner } from "../../src/store/db.ts";
import { agentToolCalls } from "../../src/store/schema/runs.ts";
import { setToolActive } from "../../src/store/tool-registry.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, officeRules, openOffice, rule, TENANT } from "../support/office.ts";
import { addLead, type OfficeLead } from "../support/office-lead.ts";
import {
  asks,
  createScriptedModel,
  dueRun,
  playRun,
  type Shop,
  stockTool,
} from "../support/office-run.ts";

forEachEngine((open) => {
  const { model, steps, asked } = createScriptedModel();
  const shop: Shop = [];
  let office: Office;
  let lead: OfficeLead;
  beforeAll(async () => {
    office = await openOffice(open, model, () => [stockTool(shop)]);
    await office.rules([...officeRules(), rule("ask_stock")]);
  });
  beforeEach(async () => {
    for (const list of [steps, asked, shop]) list.length = 0;
    lead = await addLead(office);
  });
  afterAll(() => office.close());

  const plays = async () => playRun(office, await dueRun(office, lead));
  const traces = () =>
    office.tenant((tx) =>
      tx
        .select()
        .from(agentToolCalls)
        .where(eq(agentToolCalls.conversationId, lead.conversationId))
        .orderBy(agentToolCalls.cycle, agentToolCalls.toolCallIndex),
    );
  const replies = async () =>
    (await lead.sent()).filter(({ purpose }) => purpose === "reply").map(({ id }) => id);
  const offered = () => asked.map(({ tools }) => tools.map(({ name }) => name));

  describe.each(Object.entries(REPLY_STRATEGIES))("a reply by %s", (name, strategy) => {
    let was: Office["engine"]["strategy"];
    beforeEach(() => {
      const { db, registry } = office.engine;
      was ??= office.engine.strategy;
      const resolver = createToolResolver({ db, registry });
      office.engine.strategy = strategy({ resolver, knowledge: createKnowledge() });
    });
    afterAll(() => {
      office.engine.strategy = was;
    });

    it("leaves a trace of each call, bound to the message that was sent", async () => {
      expect(office.engine.strategy.name).toBe(name);
      steps.push(asks("tea", "milk"), asks("salt"));
      await plays();
      const [outboundId] = await replies();
      const call = { toolName: "ask_stock", isError: false, contactId: lead.contactId, outboundId };
      expect(await traces()).toMatchObject([
        { ...call, args: { item: "tea" }, cycle: 0, toolCallIndex: 0, result: { ok: true } },
        { ...call, args: { item: "milk" }, cycle: 0, toolCallIndex: 1, result: { ok: true } },
        { ...call, args: { item: "salt" }, cycle: 1, toolCallIndex: 0, result: { ok: true } },
      ]);
    });

    it("of plain words leaves none", async () => {
      steps.push({ text: "We are open until six." });
      expect(await plays()).toMatchObject({ status: "completed" });
      expect(await traces()).toEqual([]);
    });
  });

  it("a trace that cannot be written does not cost the reply", async () => {
    await onTraces(sql`add constraint no_traces check (false) not valid`);
    steps.push(asks("tea"));
    const run = await plays();
    await onTraces(sql`drop constraint no_traces`);
    expect(run).toMatchObject({ status: "completed" });
    expect(await replies()).toHaveLength(1);
    expect(await traces()).toEqual([]);
  });

  it("tools are listed once for each message, also for one that came while the model thought", async () => {
    const { strategy, db, registry } = office.engine;
    const resolver = createToolResolver({ db, registry });
    let times = 0;
    office.engine.strategy = {
      ...strategy,
      resolveTools(query) {
        times += 1;
        return resolver.resolveTools(query);
      },
    };
    const off = async () => {
      const change = { tenantId: TENANT, toolName: "ask_stock", now: office.time.now };
      await office.tenant((tx) => setToolActive(tx, { ...change, isActive: false }));
      resolver.invalidateToolsFor(TENANT);
      await dueRun(office, lead); // the lead goes on writing
    };
    steps.push(asks("tea"), { text: "It is there.", meanwhile: off });
    await plays();
    office.engine.strategy = strategy;
    expect(times).toBe(2);
    expect(offered().map((names) => names.includes("ask_stock"))).toEqual([true, true, false]);
  });

  const onTraces = (change: ReturnType<typeof sql>) =>
    withOwner(office.engine.db, (tx) =>
      tx.execute(sql.join([sql`alter table agent_tool_calls`, change], sql` `)),
    );
});
