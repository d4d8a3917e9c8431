import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeReplay } from "../../src/quality/replay/replays.ts";
import { saveSkill, saveStyle } from "../../src/quality/styles/save-style.ts";
import { modelCallLog } from "../../src/store/schema/runs.ts";
import { askedModel } from "../support/asked-model.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, openOffice, TENANT } from "../support/office.ts";
import { addLead, type OfficeLead } from "../support/office-lead.ts";
import { createScriptedModel, dueRun, playRun } from "../support/office-run.ts";

const CANARY = "canary-value-of-a-secret";
const styleOf = (text: string | undefined) =>
  /<style>\n([\s\S]*)\n<\/style>/.exec(text ?? "")?.[1] ?? null;

forEachEngine((open) => {
  let office: Office;
  let lead: OfficeLead;
  const { model, steps, asked } = createScriptedModel();
  beforeAll(async () => {
    office = await openOffice(open, model);
    await office.tenant((tx) =>
      office.desk.secrets.set(tx, {
        ...{ tenantId: TENANT, name: "exchange_binance_id", value: CANARY },
        ...{ by: "setup", now: office.time.now },
      }),
    );
  });
  beforeEach(async () => {
    asked.length = 0;
    steps.length = 0;
    lead = await addLead(office);
  });
  afterAll(() => office.close());

  const write = (guidance: string, over: { isActive?: boolean; skills?: string[] } = {}) =>
    office.tenant((tx) =>
      saveStyle(tx, {
        ...{ tenantId: TENANT, styleId: "formal", name: "Formal", by: "setup" },
        ...{ now: office.time.now, isActive: over.isActive ?? true },
        draft: { guidance, examples: [], skills: over.skills ?? [] },
      }),
    );
  const answer = async () => playRun(office, await dueRun(office, lead));
  const journal = async (runId: string) => {
    const rows = await office.tenant((tx) =>
      tx.select().from(modelCallLog).where(eq(modelCallLog.runId, runId)),
    );
    return rows.map(({ promptVersion }) => promptVersion);
  };

  describe("a reply", () => {
    it("without a style is asked for as ever, and its run keeps the plain name", async () => {
      const run = await answer();
      expect(run).toMatchObject({ status: "completed", styleId: "default" });
      expect(await journal(run.id)).toEqual(["2026-11-3"]);
      expect(styleOf(asked[0]?.messages[0]?.content)).toBeNull();
    });

    it("is asked for in the style of the moment, and journal and run say which", async () => {
      await write("Be formal.");
      const first = await answer();
      expect(first).toMatchObject({ status: "completed", styleId: "formal" });
      expect(await journal(first.id)).toEqual(["2026-11-3+formal@1"]);
      await office.tenant((tx) =>
        saveSkill(tx, { tenantId: TENANT, id: "fee", text: "Name the fee.", by: "setup", now: 1 }),
      );
      await write("Be warm.", { skills: ["fee"] });
      const second = await answer();
      expect(await journal(second.id)).toEqual(["2026-11-3+formal@2"]);
      const shown = asked.map(({ messages }) => styleOf(messages[0]?.content));
      expect(shown).toEqual(["Be formal.", "Be warm.\n\nfee:\nName the fee."]);
    });

    it("is repaired in the same style", async () => {
      await write("Be brief.");
      steps.push(
        { text: "Your wallet is TXLAQ63Xg1NAzckPwKHvzw7CSEmLMEqcdj." },
        { text: "Sorry." },
      );
      const run = await answer();
      expect(asked.map(({ operation }) => operation)).toEqual(["reply", "repair"]);
      for (const { messages } of asked) expect(styleOf(messages[0]?.content)).toBe("Be brief.");
      const names = await journal(run.id);
      expect(names).toHaveLength(2);
      expect(new Set(names).size).toBe(1);
    });

    it("after a style was switched off is asked for as before it", async () => {
      await write("Be brief.", { isActive: false });
      const run = await answer();
      expect(run.styleId).toBe("default");
      expect(await journal(run.id)).toEqual(["2026-11-3"]);
      expect(styleOf(asked[0]?.messages[0]?.content)).toBeNull();
    });
  });

  it("B68 a request in a style holds no secret and no secret's name", async () => {
    await write("Be formal.");
    await answer();
    const request = JSON.stringify(asked);
    expect(request).toContain("Be formal.");
    for (const word of [CANARY, "exchange_binance_id"]) expect(request).not.toContain(word);
  });

  it("a replay asks in the style of now", async () => {
    await write("Be formal.");
    await answer();
    await write("Be playful.");
    const deps = {
      ...{ db: office.db, clock: office.clock, registry: office.registry },
      ...{
        strategy: office.engine.strategy,
        modelNamed: () => ({ model: askedModel(model, office.clock), modelId: "test" }),
      },
    };
    const wish = { tenantId: TENANT, conversationId: lead.conversationId, policies: null };
    await makeReplay(
      deps,
      { ...wish, model: { name: null }, by: "setup" },
      AbortSignal.timeout(20_000),
    );
    const shown = asked.map(({ operation, messages }) => [
      operation,
      styleOf(messages[0]?.content),
    ]);
    expect(shown).toEqual([
      ["reply", "Be formal."],
      ["replay", "Be playful."],
    ]);
  });
});
