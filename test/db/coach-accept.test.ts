import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { StyleContent } from "../../src/domain/style.ts";
import type { ShadowEvals } from "../../src/quality/coach/deps.ts";
import { beginShadow, runShadow } from "../../src/quality/coach/shadow.ts";
import { tellLeftWork } from "../../src/quality/left-work.ts";
import { lockCoachProposal } from "../../src/store/coach.ts";
import { voiceOf } from "../../src/store/engine-reads.ts";
import { type AdminPart, startAdminPart } from "../support/admin-part.ts";
import { evalsBy, markedReply } from "../support/coach-part.ts";
import { forEachEngine } from "../support/database.ts";
import { createScriptedModel } from "../support/office-run.ts";
import { openQualityPart, type QualityPart } from "../support/quality-part.ts";

const CALM = { name: "Calm", guidance: "Be calm.", examples: [], skills: [], is_active: true };
const EXAMPLE = { client: "change money", answer: "Gladly. Which sum?" };
const GOOD = {
  ...{ guidance: null, addExamples: [EXAMPLE], attachSkills: ["fee"], detachSkills: [] },
  rationale: "Details were guessed.",
};
const asks = (style: StyleContent | null) => (style?.examples.length ?? 0) > 0;
const always = () => true;

forEachEngine((open) => {
  let part: AdminPart;
  let own: QualityPart;
  let offices = 0;
  let evals: ShadowEvals;
  const { model, steps } = createScriptedModel();
  beforeAll(async () => {
    const shadowEvals: ShadowEvals = (input) => evals(input);
    part = await startAdminPart({ database: await open(), model, shadowEvals });
  });
  beforeEach(async () => {
    evals = evalsBy({ "asks for the sum": asks, greets: always });
    offices += 1;
    own = await openQualityPart(part, `office-${offices}`);
    await own.admin("PUT", "/quality/skills/fee", { text: "Name the fee." });
    await own.admin("PUT", "/quality/styles/calm", CALM);
    await markedReply(own, { styleId: "calm", label: "bad_args" });
    await propose("calm");
  });
  afterAll(() => part.close());

  const tellLeft = (bootId = part.deps.bootId) =>
    tellLeftWork({ ...part.deps, bootId, realNow: Date.now, alone: true }, [own.tenantId]);
  async function propose(styleId: string): Promise<void> {
    steps.push({ text: JSON.stringify(GOOD) });
    const made = await own.admin("POST", "/quality/coach/proposals", { styleId });
    expect(made.status).toBe(201);
  }
  const act = (what: string, number = 1, body?: object) =>
    own.admin("POST", `/quality/coach/proposals/${number}/${what}`, body);
  const newest = async () => (await own.operator("GET", "/quality/coach/proposals")).body.items[0];
  const style = () => own.rows(async (tx) => (await voiceOf(tx, own.tenantId)).style);
  async function shadow(number = 1) {
    const begun = await act("shadow", number);
    expect([begun.status, begun.body.shadow_json.state]).toEqual([202, "running"]);
    return ended();
  }
  const ended = () =>
    vi.waitFor(
      async () => {
        const { shadow_json } = await newest();
        expect(shadow_json.state).not.toBe("running");
        return shadow_json;
      },
      { timeout: 20_000 },
    );
  async function refusal(what: string): Promise<string> {
    const before = await style();
    const refused = await act(what);
    expect([refused.status, refused.body.error.code]).toEqual([409, "conflict"]);
    expect(await style()).toEqual(before);
    return refused.body.error.message;
  }

  describe("shadow evals", () => {
    it("compare the style as it is with what it would become", async () => {
      const inputs: Parameters<ShadowEvals>[0][] = [];
      const run = evals;
      evals = (input) => {
        inputs.push(input);
        return run(input);
      };
      expect(await shadow()).toMatchObject({
        ...{ state: "done", version: 1, modelId: "test", total: 2, passedBefore: 1 },
        ...{ passedAfter: 2, broken: [], mended: ["asks for the sum"] },
      });
      const before = { guidance: "Be calm.", examples: [], skills: [] };
      const skills = [{ id: "fee", text: "Name the fee." }];
      const after = { guidance: "Be calm.", examples: [EXAMPLE], skills };
      expect(inputs).toEqual([{ tenantId: own.tenantId, before, after }]);
      expect((await style())?.version).toBe(1);
    });

    it("run once at a time, and are seen to run", async () => {
      let finish = () => {};
      const run = evals;
      const finished = new Promise<void>((resolve) => {
        finish = resolve;
      });
      evals = async (input) => {
        await finished;
        return run(input);
      };
      await act("shadow");
      expect((await newest()).shadow_json).toMatchObject({ state: "running", version: 1 });
      expect(await refusal("shadow")).toMatch(/are running; wait/);
      expect(await refusal("accept")).toMatch(/are running; wait/);
      finish();
      expect((await ended()).state).toBe("done");
    });

    it("that could not be run have failed, and may be run again", async () => {
      const run = evals;
      evals = () => Promise.reject(new Error("secret path /srv/x"));
      const logged: object[] = [];
      const { log } = part.deps;
      part.deps.log = { error: (details) => logged.push(details) };
      const failed = await shadow();
      part.deps.log = log;
      expect(logged).toMatchObject([{ tenant: own.tenantId }]);
      expect(failed).toMatchObject({ state: "failed", error: "they broke off; see the log" });
      expect(await refusal("accept")).toMatch(/shadow evals failed .*run the shadow evals again/);
      evals = run;
      expect((await shadow()).state).toBe("done");
    });

    it("that were begun anew are not ended by those before", async () => {
      const begun = await own.rows(async (tx) => {
        const row = await lockCoachProposal(tx, own.tenantId, 1);
        if (!row) throw new Error("there is no proposal");
        return beginShadow(tx, row, { now: part.deps.clock.now(), boot: "gone" });
      });
      expect((await newest()).shadow_json).not.toHaveProperty("boot");
      await tellLeft();
      expect((await newest()).shadow_json).toMatchObject({
        ...{ state: "failed", error: "the bot was stopped meanwhile; start them again" },
      });
      expect(await shadow()).toMatchObject({ state: "done", total: 2 });
      await runShadow({ ...part.deps, shadowEvals: evalsBy({ late: always }) }, begun);
      expect((await newest()).shadow_json.total).toBe(2);
    });

    it("of a process that was only silent end with what came of them", async () => {
      let finish = () => {};
      const run = evals;
      const finished = new Promise<void>((resolve) => {
        finish = resolve;
      });
      evals = (input) => finished.then(() => run(input));
      await act("shadow");
      await tellLeft("another boot");
      expect((await newest()).shadow_json.state).toBe("failed");
      finish();
      await expect.poll(async () => (await newest()).shadow_json.state).toBe("done");
    });
  });

  describe("an accepted suggestion", () => {
    it("is the style's next version, in force at once, with its reason", async () => {
      await shadow();
      const accepted = await act("accept");
      expect(accepted).toMatchObject({
        status: 200,
        body: { status: "accepted", version: 2, decided_by: own.ids.admin, becomes: null },
      });
      expect(await style()).toEqual({
        ...{ id: "calm", version: 2, guidance: "Be calm.", examples: [EXAMPLE] },
        skills: [{ id: "fee", text: "Name the fee." }],
      });
      const { items } = (await own.operator("GET", "/quality/styles")).body;
      expect(items[0].active).toMatchObject({
        ...{ version: 2, rationale: GOOD.rationale, coach_proposal_id: accepted.body.id },
      });
      const trail = (await part.call("GET", `/audit?tenant=${own.tenantId}`)).body.items;
      const events = trail.map((one: { event_type: string }) => one.event_type);
      for (const act of ["created", "shadowed", "accepted"])
        expect(events).toContain(`coach_proposal.${act}`);
      expect(JSON.stringify(trail)).not.toContain(GOOD.rationale);
    });

    it("is accepted once, and no more dismissed or tried", async () => {
      await shadow();
      const both = await Promise.all([act("accept"), act("accept")]);
      expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect((await style())?.version).toBe(2);
      expect(await refusal("accept")).toMatch(/Proposal 1 was accepted already/);
      expect(await refusal("shadow")).toMatch(/accepted already/);
      expect((await act("dismiss", 1, {})).status).toBe(409);
    });

    it("is rolled back like any version", async () => {
      await shadow();
      await act("accept");
      await own.admin("POST", "/quality/styles/calm/versions/1/activate");
      expect(await style()).toMatchObject({ version: 1, examples: [] });
    });

    it("makes the first style where there was none", async () => {
      await own.admin("PUT", "/quality/styles/calm", { ...CALM, is_active: false });
      await markedReply(own, { styleId: "default", label: "bad_args" });
      await propose("default");
      expect(await shadow(2)).toMatchObject({ state: "done", version: 0 });
      expect((await act("accept", 2)).body).toMatchObject({ version: 1 });
      expect(await style()).toMatchObject({ id: "default", version: 1, examples: [EXAMPLE] });
    });
  });

  describe("a suggestion is not accepted", () => {
    it("without evals", async () => {
      expect(await refusal("accept")).toMatch(/Run the shadow evals first/);
    });

    it("when it breaks what passed, and the cases are named", async () => {
      const plain = (one: StyleContent | null) => !asks(one);
      evals = evalsBy({ "stays brief": plain, "asks for the sum": asks, "says no": plain });
      expect(await shadow()).toMatchObject({ broken: ["stays brief", "says no"] });
      expect(await refusal("accept")).toMatch(/passed before fail .*: stays brief, says no;/);
    });

    it("when no case was run", async () => {
      evals = evalsBy({});
      await shadow();
      expect(await refusal("accept")).toMatch(/ran no case; add eval cases/);
    });

    it("when the style has changed since, until the evals ran again", async () => {
      await shadow();
      await own.admin("PUT", "/quality/styles/calm", { ...CALM, guidance: "Be warm." });
      expect(await refusal("accept")).toMatch(/changed since \(version 1 then, 2 now\).*again/);
      expect((await newest()).becomes).toMatchObject({ guidance: "Be warm." });
      await shadow();
      expect((await act("accept")).body).toMatchObject({ version: 3 });
      expect(await style()).toMatchObject({ guidance: "Be warm.", examples: [EXAMPLE] });
    });

    it("when the text of a skill has changed since", async () => {
      await shadow();
      await own.admin("PUT", "/quality/skills/fee", { text: "Never speak of a fee first." });
      expect(await refusal("accept")).toMatch(/changed since \(a skill's text is another one\)/);
    });

    it("when it does not fit on the style any more", async () => {
      const full = { ...CALM, examples: Array(8).fill(EXAMPLE) };
      await own.admin("PUT", "/quality/styles/calm", full);
      expect((await newest()).becomes).toBeNull();
      expect(await refusal("shadow")).toMatch(/does not fit .*examples: are 9; at most 8/);
    });
  });

  it("a process that cannot run evals says so", async () => {
    const { shadowEvals } = part.deps;
    delete part.deps.shadowEvals;
    const refused = await act("shadow");
    if (shadowEvals) part.deps.shadowEvals = shadowEvals;
    expect([refused.status, refused.body.error.message]).toEqual([
      422,
      expect.stringContaining("cannot run evals"),
    ]);
    expect((await newest()).shadow_json).toBeNull();
  });
});
