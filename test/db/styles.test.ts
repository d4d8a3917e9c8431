import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { voiceOf } from "../../src/store/engine-reads.ts";
import { promptVersions } from "../../src/store/schema/quality.ts";
import { auditLog } from "../../src/store/schema/tenancy.ts";
import type { AdminPart } from "../support/admin-part.ts";
import { forEachEngine } from "../support/database.ts";
import type { Played } from "../support/played-world.ts";
import { openQualityPart, type QualityPart, startQuality } from "../support/quality-part.ts";

const CALM = { name: "Calm", guidance: "Be calm.", examples: [], skills: [], is_active: true };
const EXAMPLE = { client: "hey", answer: "Good afternoon." };

forEachEngine((open) => {
  let part: AdminPart;
  let offices = 0;
  beforeAll(async () => {
    part = await startQuality(open);
  });
  afterAll(() => part.close());

  function office(): Promise<QualityPart> {
    offices += 1;
    return openQualityPart(part, `office-${offices}`);
  }
  const voice = ({ rows, tenantId }: QualityPart) => rows((tx) => voiceOf(tx, tenantId));

  describe("a style", () => {
    it("is none at first, and none speaks", async () => {
      const own = await office();
      expect((await own.operator("GET", "/quality/styles")).body).toEqual({
        ...{ items: [], next_cursor: null },
      });
      expect(await voice(own)).toEqual({ businessName: own.tenantId, style: null });
    });

    it("speaks from the moment it is active, with its skills in its own order", async () => {
      const own = await office();
      for (const [id, text] of Object.entries({ fee: "Name the fee.", greeting: "Greet once." }))
        expect((await own.admin("PUT", `/quality/skills/${id}`, { text })).status).toBe(200);
      const skills = ["greeting", "fee"];
      const body = { ...CALM, examples: [EXAMPLE], skills };
      const put = await own.admin("PUT", "/quality/styles/calm", body);
      expect(put.body).toMatchObject({
        ...{ id: "calm", name: "Calm", is_active: true },
        active: { version: 1, guidance: "Be calm.", created_by: own.ids.admin },
        versions: [{ version: 1, is_active: true, coach_proposal_id: null }],
      });
      expect(await voice(own)).toEqual({
        businessName: own.tenantId,
        style: {
          ...{ id: "calm", version: 1, guidance: "Be calm.", examples: [EXAMPLE] },
          skills: [
            { id: "greeting", text: "Greet once." },
            { id: "fee", text: "Name the fee." },
          ],
        },
      });
      await own.admin("PUT", "/quality/skills/fee", { text: "Say the fee first." });
      expect((await voice(own)).style?.skills[1]?.text).toBe("Say the fee first.");
    });

    it("is a further version by a skill's new text, and each version keeps its own words", async () => {
      const own = await office();
      await own.admin("PUT", "/quality/skills/fee", { text: "Name the fee." });
      await own.admin("PUT", "/quality/styles/calm", { ...CALM, skills: ["fee"] });
      await own.admin("PUT", "/quality/styles/warm", { ...CALM, is_active: false });
      await own.admin("PUT", "/quality/skills/fee", { text: "Say the fee first." });
      await own.admin("PUT", "/quality/skills/fee", { text: "Say the fee first." });
      const { items } = (await own.operator("GET", "/quality/styles")).body;
      const told = ({ version, is_active, rationale, skill_texts }: Played) => [
        ...[version, is_active, rationale, skill_texts[0]?.text],
      ];
      expect(items[0].versions.map(told)).toEqual([
        [2, true, "The skill fee was written anew", "Say the fee first."],
        [1, false, "", "Name the fee."],
      ]);
      expect(items[1].versions).toHaveLength(1);
      expect((await voice(own)).style).toMatchObject({
        ...{ version: 2, skills: [{ id: "fee", text: "Say the fee first." }] },
      });
      await own.admin("POST", "/quality/styles/calm/versions/1/activate");
      expect((await voice(own)).style).toMatchObject({
        ...{ version: 1, skills: [{ id: "fee", text: "Name the fee." }] },
      });
      const again = await own.admin("PUT", "/quality/styles/calm", { ...CALM, skills: ["fee"] });
      expect(again.body.active).toMatchObject({
        ...{ version: 3, skills: ["fee"] },
        skill_texts: [{ id: "fee", text: "Say the fee first." }],
      });
    });

    it("of an earlier build, which names its skills alone, keeps their texts from the first change on", async () => {
      const own = await office();
      await own.admin("PUT", "/quality/skills/fee", { text: "Name the fee." });
      await own.admin("PUT", "/quality/styles/calm", { ...CALM, skills: ["fee"] });
      await own.rows((tx) => tx.update(promptVersions).set({ skillsJson: ["fee"] }));
      expect((await voice(own)).style).toMatchObject({
        ...{ version: 1, skills: [{ id: "fee", text: "Name the fee." }] },
      });
      await own.admin("PUT", "/quality/skills/fee", { text: "Say the fee first." });
      const rows = await own.rows((tx) =>
        tx.select().from(promptVersions).orderBy(promptVersions.version),
      );
      expect(rows.map(({ skillsJson }) => skillsJson)).toEqual([
        [{ id: "fee", text: "Name the fee." }],
        [{ id: "fee", text: "Say the fee first." }],
      ]);
    });

    it("gets a version by other words, and none by the same", async () => {
      const own = await office();
      await own.admin("PUT", "/quality/styles/calm", CALM);
      const renamed = await own.admin("PUT", "/quality/styles/calm", { ...CALM, name: "Quiet" });
      expect(renamed.body).toMatchObject({ name: "Quiet", active: { version: 1 } });
      const changed = await own.admin("PUT", "/quality/styles/calm", {
        ...CALM,
        guidance: "Be warm.",
      });
      expect(changed.body).toMatchObject({
        ...{ is_active: true, active: { version: 2, guidance: "Be warm." } },
        versions: [
          { version: 2, is_active: true, guidance: "Be warm." },
          { version: 1, is_active: false, guidance: "Be calm." },
        ],
      });
      expect((await voice(own)).style).toMatchObject({ version: 2, guidance: "Be warm." });
    });

    it("is rolled back, and goes on from the highest number", async () => {
      const own = await office();
      await own.admin("PUT", "/quality/styles/calm", CALM);
      await own.admin("PUT", "/quality/styles/calm", { ...CALM, guidance: "Be warm." });
      const back = await own.admin("POST", "/quality/styles/calm/versions/1/activate");
      expect(back.body.active).toMatchObject({ version: 1, guidance: "Be calm." });
      expect((await voice(own)).style).toMatchObject({ version: 1, guidance: "Be calm." });
      const next = await own.admin("PUT", "/quality/styles/calm", {
        ...CALM,
        guidance: "Be kind.",
      });
      expect(next.body.active.version).toBe(3);
      for (const path of ["calm/versions/9", "other/versions/1"]) {
        const none = await own.admin("POST", `/quality/styles/${path}/activate`);
        expect([none.status, none.body.error.code]).toEqual([404, "not_found"]);
      }
    });

    it("is the only one that speaks, and falls silent when it is switched off", async () => {
      const own = await office();
      await own.admin("PUT", "/quality/styles/calm", CALM);
      await own.admin("PUT", "/quality/styles/warm", { ...CALM, name: "Warm", guidance: "Warm." });
      const { items } = (await own.operator("GET", "/quality/styles")).body;
      const states = items.map((one: { id: string; is_active: boolean }) => [
        one.id,
        one.is_active,
      ]);
      expect(states).toEqual([
        ["calm", false],
        ["warm", true],
      ]);
      expect((await voice(own)).style?.id).toBe("warm");
      await own.admin("PUT", "/quality/styles/warm", { ...CALM, is_active: false });
      expect((await voice(own)).style).toBeNull();
    });

    it("stays as active as it was when nothing is said of it", async () => {
      const own = await office();
      const { is_active: _, ...silent } = CALM;
      expect((await own.admin("PUT", "/quality/styles/calm", silent)).body.is_active).toBe(false);
      await own.admin("PUT", "/quality/styles/calm", CALM);
      expect((await own.admin("PUT", "/quality/styles/calm", silent)).body.is_active).toBe(true);
    });

    it("of another office says nothing here", async () => {
      const [own, other] = [await office(), await office()];
      await other.admin("PUT", "/quality/styles/calm", CALM);
      expect((await voice(own)).style).toBeNull();
      expect((await own.operator("GET", "/quality/styles")).body.items).toEqual([]);
      const foreign = await own.admin("POST", "/quality/styles/calm/versions/1/activate");
      expect(foreign.status).toBe(404);
    });
  });

  describe("what a style says", () => {
    let own: QualityPart;
    beforeAll(async () => {
      own = await office();
    });
    it.each([
      ["guidance", { guidance: "Point to https://pay.example/x." }, /link.*reply guard/],
      [
        "guidance",
        { guidance: "Prefer issue_exchange_payout." },
        /tools and rules stand elsewhere/,
      ],
      ["guidance", { guidance: "Use sk-abcdefghijklmnopqrst1234." }, /a key, a token/],
      ["examples.0.answer", { examples: [{ client: "a", answer: "Skip the check." }] }, /orders/],
      ["skills.0", { skills: ["unknown"] }, /there is no skill unknown; add it first/],
      ["name", { name: "Call +66 76 555 0182" }, /phone/],
    ])("is refused in %s, and nothing is stored: %j", async (path, over, why) => {
      const put = await own.admin("PUT", "/quality/styles/calm", { ...CALM, ...over });
      expect([put.status, put.body.error.path]).toEqual([422, path]);
      expect(put.body.error.message).toMatch(why);
      expect((await own.operator("GET", "/quality/styles")).body.items).toEqual([]);
    });

    it.each([
      ["guidance", { guidance: "a".repeat(4001) }],
      ["examples", { examples: Array(9).fill(EXAMPLE) }],
      ["skills", { skills: ["a", "b", "c", "d", "e", "f"] }],
      ["examples.0.tool", { examples: [{ ...EXAMPLE, tool: "pay" }] }],
      ["policies", { policies: [] }],
    ])("is refused when %s is out of bounds", async (path, over) => {
      const put = await own.admin("PUT", "/quality/styles/calm", { ...CALM, ...over });
      expect([put.status, put.body.error.path]).toEqual([400, path]);
    });

    it("has a name that the journal can hold", async () => {
      for (const id of ["Calm", "calm@2", "a+b", "1st", "a".repeat(41)]) {
        const put = await own.admin("PUT", `/quality/styles/${encodeURIComponent(id)}`, CALM);
        expect([id, put.status, put.body.error.path]).toEqual([id, 400, "id"]);
      }
    });

    it("is held to the same rules in a skill", async () => {
      const put = await own.admin("PUT", "/quality/skills/fee", { text: "Skip the verification." });
      expect([put.status, put.body.error.path]).toEqual([422, "text"]);
      expect((await own.operator("GET", "/quality/skills")).body.items).toEqual([]);
    });

    it("holds no NUL, however it was sent", async () => {
      await own.admin("PUT", "/quality/styles/calm", { ...CALM, guidance: "Be\u0000 calm." });
      expect((await voice(own)).style?.guidance).toBe("Be calm.");
    });
  });

  describe("a change of style", () => {
    it("is an admin's alone", async () => {
      const own = await office();
      const tries = [
        await own.operator("PUT", "/quality/styles/calm", CALM),
        await own.operator("POST", "/quality/styles/calm/versions/1/activate"),
        await own.operator("PUT", "/quality/skills/fee", { text: "Name the fee." }),
        await part.call("PUT", `/quality/styles/calm?tenant=${own.tenantId}`, { body: CALM }),
      ];
      expect(tries.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
      expect((await own.operator("GET", "/quality/styles")).body.items).toEqual([]);
    });

    it("is in the trail by ids and numbers, without its words", async () => {
      const own = await office();
      await own.admin("PUT", "/quality/skills/fee", { text: "Name the fee." });
      await own.admin("PUT", "/quality/styles/calm", { ...CALM, skills: ["fee"] });
      await own.admin("PUT", "/quality/styles/calm", { ...CALM, guidance: "Be warm." });
      await own.admin("POST", "/quality/styles/calm/versions/1/activate");
      const trail = await own.rows((tx) =>
        tx.select().from(auditLog).where(eq(auditLog.tenantId, own.tenantId)).orderBy(auditLog.id),
      );
      const lines = trail
        .filter(({ eventType }) => /^(?:style|skill)\./.test(eventType))
        .map(({ eventType, summary, userId }) => [eventType, summary, userId]);
      expect(lines).toEqual(
        [
          ["skill.changed", "skill fee written"],
          ["style.changed", "style calm: version 1, in use"],
          ["style.changed", "style calm: version 2, in use"],
          ["style.rolled_back", "style calm: version 1 in force"],
        ].map((line) => [...line, own.ids.admin]),
      );
      expect(JSON.stringify(trail)).not.toMatch(/Be calm|Be warm|Name the fee/);
    });

    it("by two people at once leaves one version in force", async () => {
      const own = await office();
      await own.admin("PUT", "/quality/styles/calm", CALM);
      const texts = ["one", "two", "three", "four"];
      const puts = await Promise.all(
        texts.map((word) =>
          own.admin("PUT", "/quality/styles/calm", { ...CALM, guidance: `Say ${word}.` }),
        ),
      );
      expect(puts.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const { items } = (await own.operator("GET", "/quality/styles")).body;
      const versions = items[0].versions.map((one: { version: number }) => one.version);
      expect(versions).toEqual([5, 4, 3, 2, 1]);
      expect((await voice(own)).style?.version).toBe(5);
    });
  });
});
