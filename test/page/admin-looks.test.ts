import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { tooWide, violationsOn, withAdminPages } from "../support/admin-browser.ts";
import type { Desk } from "../support/desk-people.ts";
import { endedBatches } from "../support/eval-batches.ts";
import type { Played } from "../support/played-world.ts";

const PHONE = { viewport: { width: 375, height: 800 }, isMobile: true, hasTouch: true };
const LONG = "https://an-endless-host.example/".concat("path".repeat(120));
/** Styles may hold no links. */
const WORD = "path".repeat(120);

withAdminPages(({ desk, enter, visit }) => {
  let paths: string[];
  beforeAll(async () => {
    const lead = desk().lead();
    await lead.reachesPayout();
    await lead.says(LONG);
    const { conversation, tool_calls } = await lead.trace();
    for (const [index, label] of ["good_reply", "wrong_tool", "bad_args"].entries())
      await desk().admin("POST", `/quality/tool-calls/${tool_calls[index].id}/feedback`, {
        label,
        note: LONG,
      });
    const name = await lead.cardName();
    const replayId = await prepareLab(desk(), conversation.id);
    paths = [
      "/admin/tools",
      "/admin/approvals?status=all",
      `/admin/approvals/${name}`,
      "/admin/approvals/A-1",
      "/admin/approvals/A-999",
      "/admin/conversations",
      `/admin/conversations/${conversation.id}`,
      `/admin/conversations/${conversation.id}?show=short`,
      "/admin/quality",
      "/admin/quality?show=labelled",
      "/admin/quality/proposals",
      "/admin/quality/cases",
      `/admin/replays/${replayId}`,
      `/admin/replays/${replayId}?show=different`,
      "/admin/styles",
      "/admin/styles?style=desk",
      "/admin/styles/coach",
      "/admin/styles/coach?status=dismissed",
      "/admin/evals",
      "/admin/evals/cases",
      "/admin/evals/runs/second",
      "/admin/evals/compare?before=first&after=second",
      "/admin/policies",
      "/admin/policies?edit=default-issue_exchange_payout",
      "/admin/usage",
      "/admin/audit",
      "/admin/audit?approval=A-1",
    ];
  });

  describe.each(["en", "ru"] as const)("on a phone of 375 px (%s)", (language) => {
    test("no page scrolls sideways, and axe-core finds nothing to object to", async () => {
      const page = await enter("Admin", { ...PHONE, language, expected: /status of 404/ });
      for (const path of paths) {
        await open(page, desk().origin() + path);
        expect(await page.getAttribute("html", "lang")).toBe(language);
        expect(await tooWide(page), path).toEqual([]);
        expect(await violationsOn(page), path).toEqual([]);
      }
    });

    test("nor with everything unfolded", async () => {
      const page = await enter("Admin", { ...PHONE, language, expected: /status of 404/ });
      for (const path of paths) {
        await open(page, desk().origin() + path);
        await page.evaluate(
          "for (const one of document.querySelectorAll('details')) one.open = true",
        );
        expect(await tooWide(page), path).toEqual([]);
      }
    });

    test("the log-in, too", async () => {
      const page = await visit("/admin/log-in", { ...PHONE, language });
      expect(await tooWide(page)).toEqual([]);
      expect(await violationsOn(page)).toEqual([]);
    });
  });

  test.each(["light", "dark"] as const)(
    "on a desktop axe-core is content (%s)",
    async (colorScheme) => {
      const viewport = { width: 1280, height: 900 };
      const page = await enter("Admin", { viewport, colorScheme, expected: /status of 404/ });
      for (const path of paths) {
        await open(page, desk().origin() + path);
        expect(await violationsOn(page), path).toEqual([]);
        expect(await tooWide(page), path).toEqual([]);
      }
    },
  );

  test("headings go down one step at a time, and the section is marked in the navigation", async () => {
    const page = await enter("Admin", { expected: /status of 404/ });
    for (const path of paths) {
      await open(page, desk().origin() + path);
      const levels: number[] = await page.evaluate(
        "[...document.querySelectorAll('h1,h2,h3,h4')].map((one) => Number(one.tagName[1]))",
      );
      expect(levels[0], path).toBe(1);
      expect(levels.filter((level) => level === 1)).toHaveLength(1);
      for (const [index, level] of levels.entries())
        expect(level - (levels[index - 1] ?? 0), path).toBeLessThanOrEqual(1);
      const current = page.locator(".top nav a[aria-current]");
      expect(await current.count(), path).toBe(1);
      expect(path).toContain(PARTS_OF[(await current.textContent()) ?? ""]?.exec(path)?.[0]);
    }
  });

  test("the language is switched in the header and stays", async () => {
    const page = await enter("Alice");
    await page.goto(`${desk().origin()}/admin/usage`);
    await page.locator(".language").click();
    await page.waitForURL("**/admin/usage");
    expect(await page.locator("h1").textContent()).toBe("Расход");
    await page.goto(`${desk().origin()}/tools`);
    expect(await page.locator("h1").textContent()).toBe("Инструменты");
    expect(page.url()).toBe(`${desk().origin()}/admin/tools`);
  });

  test("works without scripts", async () => {
    const page = await enter("Admin", { javaScriptEnabled: false });
    await page.goto(`${desk().origin()}/admin/quality`);
    const call = page.locator("article.call").first();
    const number = await call.getAttribute("data-call");
    await call.getByRole("button", { name: "other" }).click();
    await page.locator(".notice", { hasText: "Labelled: other" }).waitFor();
    expect(await page.locator(`[data-call="${number}"]`).count()).toBe(0);
  });
});

/** By the section's name; some have pages of other names. */
const PARTS_OF: Record<string, RegExp> = {
  Tools: /^.admin.tools/,
  Approvals: /^.admin.approvals/,
  Conversations: /^.admin.(conversations|replays)/,
  Quality: /^.admin.(quality|styles|evals)/,
  Policies: /^.admin.policies/,
  Usage: /^.admin.usage/,
  Audit: /^.admin.audit/,
};

/** A replay with differences, a style with a coach's proposal, and two runs of the evals; the replay's id. */
async function prepareLab(desk: Desk, conversation_id: string): Promise<string> {
  const { policies } = await desk.admin("GET", "/policies");
  const stricter = policies.map((row: Played) => ({ ...row, allow_call: false }));
  const replay = await desk.admin("POST", "/quality/replays", {
    ...{ conversation_id, policies: stricter },
  });
  await desk.admin("PUT", "/quality/skills/polite", { text: WORD });
  for (const guidance of ["Be brief.", `Never send ${WORD}`])
    await desk.admin("PUT", "/quality/styles/desk", {
      ...{ name: WORD.slice(0, 80), guidance, skills: ["polite"] },
      examples: [{ client: WORD, answer: WORD }],
    });
  const ask = () => desk.admin("POST", "/quality/coach/proposals", { styleId: "default" });
  const { number } = await ask();
  await desk.admin("POST", `/quality/coach/proposals/${number}/dismiss`, {});
  await ask();
  const cases = ["short", LONG.slice(0, 160)].map((case_name) => ({
    ...{ case_name, language: "en", message: LONG, expected_tool: "create_exchange_order" },
  }));
  await desk.admin("PUT", "/quality/evals/cases", { cases });
  const at = Date.now();
  await desk.restart(
    endedBatches([
      { batchId: "first", at: at - 1000, outcomes: { short: null, [LONG.slice(0, 160)]: null } },
      { batchId: "second", at, outcomes: { short: null, [LONG.slice(0, 160)]: LONG } },
    ]),
  );
  return replay.id;
}

async function open(page: Page, url: string): Promise<void> {
  const answer = await page.goto(url);
  expect(answer?.status(), url).toBe(url.endsWith("A-999") ? 404 : 200);
}
