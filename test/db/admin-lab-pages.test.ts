import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ShadowEvals } from "../../src/quality/coach/deps.ts";
import { createEvalsRunner } from "../../src/quality/evals/runner.ts";
import { type AdminPart, startAdminPart } from "../support/admin-part.ts";
import { evalsBy, markedReply } from "../support/coach-part.ts";
import { createScriptedModel } from "../support/office-run.ts";
import { createVisitor, type PagesVisitor } from "../support/pages-visitor.ts";
import { openQualityPart, type QualityPart } from "../support/quality-part.ts";

const COACH = "/admin/styles/coach";
const CALM = { name: "Calm", guidance: "Be calm.", examples: [], skills: [], is_active: true };
const SUGGESTED = {
  ...{ guidance: "Be calm and ask.", addExamples: [], attachSkills: [], detachSkills: [] },
  rationale: "Details were guessed.",
};
const asks = (style: { guidance: string } | null) => /ask/.test(style?.guidance ?? "");

let part: AdminPart;
let office: QualityPart;
let offices = 0;
let admin: PagesVisitor;
let evals: ShadowEvals;
const { model, steps } = createScriptedModel();

beforeAll(async () => {
  part = await startAdminPart({ model, shadowEvals: (input) => evals(input) });
  part.deps.evals = createEvalsRunner({
    ...{ db: part.database.db, clock: part.deps.clock, log: { error() {} } },
    bootId: part.deps.bootId,
    play: () => new Promise(() => {}),
  });
});
beforeEach(async () => {
  offices += 1;
  office = await openQualityPart(part, `lab-${offices}`);
  admin = createVisitor(part.admin);
  await admin.logIn(office.adminToken);
});
afterAll(() => part.close());

describe("a coach's proposal", () => {
  beforeEach(async () => {
    await office.admin("PUT", "/quality/styles/calm", CALM);
    await markedReply(office, { styleId: "calm", label: "bad_args" });
    steps.push({ text: JSON.stringify(SUGGESTED) });
    await admin.get(COACH);
    expect((await admin.post(COACH, { act: "ask", style: "calm" })).status).toBe(303);
    expect(await shown()).toContain("Coach proposal 1 is made.");
  });

  const shown = async () => (await admin.get(COACH)).text;
  const hasAccept = (text: string) => /value="accept"(?![^>]*disabled)/.test(text);

  async function runs(given: ShadowEvals): Promise<string> {
    evals = given;
    expect((await admin.post(COACH, { act: "shadow", number: "1" })).status).toBe(303);
    let text = "";
    await expect
      .poll(
        async () => {
          text = await shown();
          return text;
        },
        { timeout: 20_000 },
      )
      .not.toContain("the shadow evals are running.");
    return text;
  }

  it("whose evals run says so, and leads to another look", async () => {
    let end = () => {};
    evals = async (input) => {
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      return evalsBy({ a: asks })(input);
    };
    await admin.post(COACH, { act: "shadow", number: "1" });
    const text = await shown();
    expect(text).toContain("The shadow evals of proposal 1 are running.");
    expect(text).toContain("It cannot be accepted yet: the shadow evals are running.");
    expect(text).toContain(`<a href="${COACH}">Look again</a>`);
    expect(text).not.toContain('value="shadow"');
    expect(hasAccept(text)).toBe(false);
    end();
    await expect.poll(async () => hasAccept(await shown()), { timeout: 20_000 }).toBe(true);
  });

  it("that breaks a scenario names it, and is not to be accepted", async () => {
    const text = await runs(evalsBy({ "stays short": (style) => !asks(style), "asks back": asks }));
    expect(text).toMatch(/Passed before<\/dt><dd>1 of 2<.*Passed after<\/dt><dd>1 of 2</s);
    expect(text).toMatch(/Broken<\/dt>.{0,40}stays short.*Mended<\/dt>.{0,40}asks back/s);
    expect(text).toContain("scenarios that passed before fail with it");
    expect(hasAccept(text)).toBe(false);
    const refused = await admin.post(COACH, { act: "accept", number: "1" });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('role="alert"')]);
  });

  it("whose evals failed says why, and has them run again", async () => {
    const text = await runs(() => Promise.reject(new Error("gone")));
    expect(text).toContain("they broke off; see the log");
    expect(text).toContain("the shadow evals failed. Run them again.");
    expect(text).toContain('value="shadow"');
    expect(hasAccept(text)).toBe(false);
  });

  it("that broke nothing is accepted; once the style has changed, it is not", async () => {
    expect(hasAccept(await runs(evalsBy({ "asks back": asks })))).toBe(true);
    await office.admin("PUT", "/quality/styles/calm", { ...CALM, guidance: "Be quiet." });
    const changed = await shown();
    expect(changed).toContain("the style has changed since the shadow evals");
    expect(hasAccept(changed)).toBe(false);
    expect(hasAccept(await runs(evalsBy({ "asks back": asks })))).toBe(true);
    await admin.post(COACH, { act: "accept", number: "1" });
    expect(await shown()).toContain("Proposal 1 is accepted; version 3 is in force.");
    const { text } = await admin.get(`${COACH}?status=accepted`);
    expect(text).toContain("Details were guessed.");
    expect(text).not.toContain('value="dismiss"');
  });
});

describe("evals", () => {
  it("are started from the page, which says that they run and takes no second start", async () => {
    await admin.get("/admin/evals");
    const wrong = await admin.post("/admin/evals", { model: "no such name" });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining("no such name")]);
    await admin.post("/admin/evals", { model: "m-2" });
    const { text } = await admin.get("/admin/evals");
    expect(text).toContain("A run is under way, since");
    expect(text).toContain("m-2");
    expect(text).not.toContain("Run now");
    expect((await admin.post("/admin/evals", { model: "" })).status).toBe(409);
  });

  it.each([
    "/admin/evals/runs/none",
    "/admin/evals/compare?before=a&after=b",
    "/admin/replays/none",
  ])("%s is 404 where there is none", async (path) => {
    expect((await admin.get(path)).status).toBe(404);
  });

  it("and styles that there are not are 404, too", async () => {
    expect((await admin.get("/admin/styles?style=none")).status).toBe(404);
  });
});
