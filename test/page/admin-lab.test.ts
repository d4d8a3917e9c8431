import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { withAdminPages } from "../support/admin-browser.ts";
import type { Lead } from "../support/desk-people.ts";
import { endedBatches } from "../support/eval-batches.ts";
import type { Played } from "../support/played-world.ts";

const QUOTE = "compute_exchange_quote";

withAdminPages(({ desk, enter }) => {
  async function enterAt(path: string, expected?: RegExp): Promise<Page> {
    const page = await enter("Admin", expected ? { expected } : {});
    await page.goto(`${desk().origin()}/admin${path}`);
    return page;
  }

  describe("a replay", () => {
    let lead: Lead;
    let conversationId: string;
    beforeAll(async () => {
      lead = desk().lead();
      await lead.says("How many baht will I get for 100 USDT?");
      await lead.says("When do you open?");
      conversationId = await lead.conversationId();
    });

    async function openForm(expected?: RegExp): Promise<Page> {
      const page = await enterAt(`/conversations/${conversationId}`, expected);
      await page.locator("summary", { hasText: "Replay" }).click();
      return page;
    }

    test("under a stricter rule says in words what came out otherwise, beside what was", async () => {
      const { policies } = await desk().admin("GET", "/policies");
      const stricter = policies.map((row: Played) =>
        row.tool_name === QUOTE ? { ...row, allow_call: false } : row,
      );
      const page = await openForm();
      await page.getByLabel("the list of rules below").check();
      await page.getByLabel("List of rules (JSON)").fill(JSON.stringify(stricter));
      await page.getByRole("button", { name: "Replay" }).click();
      await page.waitForURL("**/admin/replays/*");
      const id = page.url().split("/").at(-1);
      const { turns, different } = await desk().admin("GET", `/quality/replays/${id}`);
      expect(different).toBeGreaterThan(0);
      expect(different).toBeLessThan(turns.length);
      const sum = `${different} of ${turns.length} came out otherwise`;
      expect(await page.locator(".verdict").textContent()).toBe(sum);
      expect(await page.locator("article.turn").count()).toBe(turns.length);
      const turn = page
        .locator("article.turn")
        .filter({ has: page.locator("h2", { hasText: "came out otherwise" }) })
        .first();
      expect(await turn.locator("blockquote").textContent()).toContain("100 USDT");
      const [before, now] = [turn.locator(".side").nth(0), turn.locator(".side").nth(1)];
      expect(await before.textContent()).toMatch(/^Recorded.*compute_exchange_quote.*allow/s);
      expect(await now.textContent()).toMatch(/^Now.*compute_exchange_quote.*deny.*Reason: /s);
      const differences = await now.locator(".difference").allTextContents();
      expect(differences.map((text) => text.trim())).toContain("≠ decided otherwise");
      expect(await before.locator(".difference").count()).toBe(0);
      const [left, right] = [await before.boundingBox(), await now.boundingBox()];
      expect(right?.y).toBe(left?.y);
      expect(right?.x).toBeGreaterThan(left?.x ?? Number.NaN);
      await page.getByRole("link", { name: "only what came out otherwise" }).click();
      await page.waitForURL(/show=different/);
      expect(await page.locator("article.turn").count()).toBe(different);
    });

    test("on a phone stands one under the other, and changes nothing under the same rules", async () => {
      const page = await openForm();
      await page.getByRole("button", { name: "Replay" }).click();
      await page.locator(".verdict", { hasText: /^0 of \d+ came out otherwise$/ }).waitFor();
      expect(await page.locator(".difference").count()).toBe(0);
      await page.setViewportSize({ width: 375, height: 800 });
      const sides = page.locator("article.turn").first().locator(".side");
      const [upper, lower] = [await sides.nth(0).boundingBox(), await sides.nth(1).boundingBox()];
      expect(lower?.x).toBe(upper?.x);
      expect(lower?.y).toBeGreaterThan(
        (upper?.y ?? Number.NaN) + (upper?.height ?? Number.NaN) - 1,
      );
    });

    test("asks the model that was named", async () => {
      const page = await openForm();
      await page.getByLabel("another model answers").check();
      await page.getByLabel("Name of the other model").fill("another-model");
      await page.getByRole("button", { name: "Replay" }).click();
      await page.locator("dd", { hasText: "another-model" }).waitFor();
      const requests = await desk().modelRequests();
      expect(requests.at(-1)?.body.model).toBe("another-model");
    });

    test("that cannot be made keeps what was typed", async () => {
      const page = await openForm(/status of 4/);
      await page.getByLabel("the list of rules below").check();
      const list = page.getByLabel("List of rules (JSON)");
      await list.fill("[{]");
      await page.getByRole("button", { name: "Replay" }).click();
      await page.locator('[role="alert"]', { hasText: "no valid JSON" }).waitFor();
      expect(await list.inputValue()).toBe("[{]");
      await list.fill('[{"id":"x"}]');
      await page.getByRole("button", { name: "Replay" }).click();
      await page.locator('[role="alert"]', { hasText: "policies.0" }).waitFor();
      expect(await list.inputValue()).toBe('[{"id":"x"}]');
    });
  });

  test("the pages and the playground lead to each other", async () => {
    const page = await enterAt("/usage");
    await page.getByRole("link", { name: "To the playground" }).click();
    await page.getByRole("button", { name: "Look around myself" }).click();
    await page.getByRole("link", { name: "Pages for staff" }).click();
    await page.waitForURL("**/admin/tools");
  });

  describe("a style", () => {
    test("is written, changed, saved as it is without a further version, and rolled back", async () => {
      const page = await enterAt("/styles", /status of 4/);
      await page.locator("summary", { hasText: "New skill" }).click();
      const skill = page.getByRole("form", { name: "New skill" });
      await skill.getByLabel("Name in the journal").fill("polite");
      await skill.getByLabel("Text").fill("Say thank you.");
      await skill.getByRole("button").click();
      await page.locator(".notice", { hasText: "The skill is saved" }).waitFor();
      await page.locator("summary", { hasText: "New style" }).click();
      const form = page.getByRole("form", { name: "New style" });
      await form.getByLabel("Name in the journal").fill("Not A Name");
      await form.getByLabel("Name", { exact: true }).fill("Formal");
      await form.getByLabel("Guidance").fill("Be brief.\nBe polite.");
      await form.getByLabel("Example 1: the client writes").fill("Hi");
      await form.getByLabel("Example 1: the answer").fill("Good day!");
      await form.getByLabel("polite").check();
      await form.getByLabel("Replies are written in this style").check();
      await form.getByRole("button", { name: "Save" }).click();
      await page.locator('[role="alert"]', { hasText: "small letters" }).waitFor();
      expect(await form.getByLabel("Guidance").inputValue()).toBe("Be brief.\nBe polite.");
      await form.getByLabel("Name in the journal").fill("formal");
      await form.getByRole("button", { name: "Save" }).click();
      await page.locator("h1", { hasText: "Style formal" }).waitFor();
      const draft = { examples: [{ client: "Hi", answer: "Good day!" }], skills: ["polite"] };
      expect(await activeOf("formal")).toMatchObject({
        ...{ version: 1, guidance: "Be brief.\nBe polite.", ...draft },
      });
      await page.getByRole("button", { name: "Save" }).click();
      await page.locator(".notice", { hasText: "The style is saved" }).waitFor();
      expect(await activeOf("formal")).toMatchObject({ version: 1 });
      await page.getByLabel("Guidance").fill("Be warm.");
      await page.getByRole("button", { name: "Save" }).click();
      await page.locator("tbody tr", { hasText: "Be warm." }).waitFor();
      expect(await activeOf("formal")).toMatchObject({
        version: 2,
        guidance: "Be warm.",
        ...draft,
      });
      await page.getByRole("button", { name: "Make active" }).click();
      await page.locator(".notice", { hasText: "Version 1 is in force" }).waitFor();
      expect(await activeOf("formal")).toMatchObject({ version: 1, ...draft });
      const row = page.locator("tbody tr", { hasText: "Be brief." });
      expect(await row.textContent()).toContain("in force");
      expect(await page.getByLabel("Guidance").inputValue()).toBe("Be brief.\nBe polite.");
    });

    async function activeOf(styleId: string) {
      const { items } = await desk().admin("GET", "/quality/styles");
      return items.find(({ id }: Played) => id === styleId).active;
    }
  });

  test("the coach suggests what people's labels ask for, and it cannot be accepted before its evals", async () => {
    await desk().admin("PUT", "/quality/styles/desk", {
      ...{ name: "Desk", guidance: "Be warm and brief.", examples: [], skills: [] },
      is_active: true,
    });
    const lead = desk().lead();
    await lead.says("How much is 500 USDT in baht, TRC20?");
    const { tool_calls } = await lead.trace();
    const label = { label: "bad_args", note: "asks for nothing" };
    await desk().admin("POST", `/quality/tool-calls/${tool_calls[0].id}/feedback`, label);
    const page = await enterAt("/quality");
    await page.getByRole("link", { name: "Coach" }).click();
    await page.getByRole("button", { name: "Ask the coach" }).click();
    await page.locator(".notice", { hasText: /Coach proposal \d+ is made/ }).waitFor();
    const { items } = await desk().admin("GET", "/quality/coach/proposals");
    const [{ number, suggestion_json: suggestion }] = items;
    const card = page.locator("article", { hasText: `Coach proposal ${number}: desk` });
    expect(await card.textContent()).toContain("marked replies: 1");
    expect(await card.locator(".said").first().textContent()).toBe(suggestion.rationale);
    const sides = card.locator(".side");
    expect(await sides.nth(0).textContent()).toBe("BeforeBe warm and brief.");
    expect(await sides.nth(1).textContent()).toBe(`After${suggestion.guidance}`);
    expect(await card.getByRole("button", { name: "Run shadow evals" }).isEnabled()).toBe(true);
    const accept = card.getByRole("button", { name: "Accept" });
    expect(await accept.isDisabled()).toBe(true);
    const why = await accept.getAttribute("aria-describedby");
    expect(await page.locator(`#${why}`).textContent()).toBe(
      "It cannot be accepted yet: run the shadow evals first.",
    );
    await card.getByLabel("Note").fill("later");
    await card.getByRole("button", { name: "Dismiss" }).click();
    await page.locator(".notice", { hasText: `Proposal ${number} was dismissed` }).waitFor();
    expect(await card.count()).toBe(0);
    await page.getByRole("link", { name: "dismissed" }).click();
    await card.waitFor();
    expect(await card.getByRole("button").count()).toBe(0);
  });

  test("evals: scenarios, a run that has ended with its reasons, and two runs compared", async () => {
    const named = (case_name: string, change: object) => ({
      ...{ case_name, language: "en", message: "100 USDT in baht?", expected_tool: QUOTE },
      ...change,
    });
    const cases = [
      named("a quote", { expected_policy_result: "allow" }),
      named("no letter", { expected_tool: null, is_active: false }),
    ];
    await desk().admin("PUT", "/quality/evals/cases", { cases });
    const outcomes = { "a quote": null, "no letter": "send_email was called" };
    const at = Date.now();
    await desk().restart(
      endedBatches([
        { batchId: "first", at: at - 60_000, outcomes: { "a quote": "nothing was called" } },
        { batchId: "second", at, outcomes },
      ]),
    );
    const page = await enterAt("/quality");
    await page.getByRole("link", { name: "Evals" }).click();
    const newest = page.locator("tbody tr").first();
    expect(await newest.locator("td").allTextContents()).toEqual([
      ...[expect.stringMatching(/^\d{4}-/), "played-model", "1.2.3", "2", "1", "1"],
    ]);
    await page.getByRole("button", { name: "Compare" }).click();
    await page.locator("section", { hasText: "Passed only in the later run: 1" }).waitFor();
    expect(await page.locator("section", { hasText: "Passed only" }).textContent()).toMatch(
      /a quote.*Only in the later run.*no letter/s,
    );
    await page.getByRole("link", { name: "Later run" }).click();
    const failed = page.locator("section", { hasText: "Failed: 1" }).locator("tbody tr");
    expect(await failed.textContent()).toMatch(/no letter.*send_email was called/s);
    const passed = page.locator("section", { hasText: "Passed: 1" }).locator("tbody tr");
    expect(await passed.textContent()).toMatch(/a quote.*compute_exchange_quote/s);
    await page.getByRole("link", { name: "Evals" }).click();
    await page.getByRole("link", { name: "Scenarios" }).click();
    const rows = page.locator("tbody tr");
    expect(await rows.count()).toBe(2);
    const told = await rows.evaluateAll((all) =>
      all.map((row) =>
        Array.from((row as unknown as { cells: Iterable<Cell> }).cells).map(
          (
            cell, // <tr>
          ) => cell.querySelector("strong, code, .tag")?.textContent ?? cell.textContent,
        ),
      ),
    );
    expect(told).toEqual([
      ["a quote", QUOTE, "allow", "api", "active"],
      ["no letter", "no tool", "—", "api", "switched off"],
    ]);
  });
});

interface Cell {
  textContent: string;
  querySelector(selector: string): { textContent: string } | null;
}
