import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { withAdminPages } from "../support/admin-browser.ts";
import type { Lead } from "../support/desk-people.ts";
import type { Played } from "../support/played-world.ts";

withAdminPages(({ desk, enter }) => {
  let lead: Lead;
  beforeAll(async () => {
    lead = desk().lead();
    await lead.reachesPayout();
  });

  test("a label is given by one key, and the next call is at hand", async () => {
    const page = await enterQuality("Alice", "");
    const [first = "", second = ""] = await callNumbers(page);
    const note = page.locator(`[data-call="${first}"] input[name="note"]`);
    await note.fill("3 is typed here, not pressed");
    expect(page.url()).toMatch(/\/admin\/quality$/);
    await page.locator(`[data-call="${first}"] button`).first().focus();
    await page.keyboard.press("4");
    await page.locator(".notice", { hasText: "Labelled: bad arguments" }).waitFor();
    expect(await callNumbers(page)).not.toContain(first);
    await expect.poll(() => focusedCall(page)).toBe(second);
    await page.keyboard.press("j");
    expect(await focusedCall(page)).not.toBe(second);
    await page.keyboard.press("k");
    expect(await focusedCall(page)).toBe(second);
    const { items } = await desk().admin("GET", "/quality/tool-calls?label=bad_args");
    expect(items[0]).toMatchObject({
      number: Number(first),
      feedback: [{ label: "bad_args", note: "3 is typed here, not pressed", source: "api" }],
    });
    await page.getByRole("link", { name: "labelled" }).click();
    await page.locator(`[data-call="${first}"]`, { hasText: "bad arguments" }).waitFor();
  });

  describe("a proposal", () => {
    test("becomes a regression case, which is archived, restored and downloaded", async () => {
      const tool = await judge("wrong_tool", "verify_exchange_payment");
      const page = await enterQuality("Admin", "/proposals", /status of 4/);
      const card = page
        .locator("article", { hasText: "choice of the tool" })
        .filter({ hasText: tool });
      await card.locator("summary", { hasText: "Make a regression case" }).click();
      await card.getByLabel("Title").fill("asked for the status, not for a check");
      await card.getByLabel("Expected arguments (JSON)").fill("{not json");
      await card.getByRole("button", { name: "Make a regression case" }).click();
      await page.locator('[role="alert"]', { hasText: "expected_args" }).waitFor();
      expect(await card.getByLabel("Title").inputValue()).toBe(
        "asked for the status, not for a check",
      );
      await card.getByLabel("Expected arguments (JSON)").fill("");
      await card.getByLabel("Action items, one a line").fill("tell the model\ntell the desk");
      await card.getByRole("button", { name: "Make a regression case" }).click();
      await page.locator(".notice", { hasText: "The regression case is made" }).waitFor();
      await page.getByRole("link", { name: "Regression cases" }).click();
      const row = page.locator("tr", { hasText: "asked for the status" });
      expect(await downloaded(page, "active")).toMatchObject([
        { toolName: tool, expected: { actionItems: ["tell the model", "tell the desk"] } },
      ]);
      await row.getByRole("button", { name: "Archive" }).click();
      await page.locator(".notice", { hasText: "archived" }).waitFor();
      expect(await row.count()).toBe(0);
      await page.getByRole("link", { name: "archived", exact: true }).click();
      await row.getByRole("button", { name: "Restore" }).click();
      await row.getByRole("button", { name: "Archive" }).waitFor();
    });

    test("is applied with a place to look at, and not without", async () => {
      const tool = await judge("bad_args", "create_exchange_order");
      const page = await enterQuality("Admin", "/proposals", /status of 4/);
      const card = page.locator("article", { hasText: tool });
      await card.locator("summary", { hasText: "Apply" }).click();
      await card.getByRole("button", { name: "Apply" }).click();
      await page.locator('[role="alert"]', { hasText: "ref" }).waitFor();
      await card.getByLabel("What was done").selectOption("ticket");
      await card.getByLabel("Where to look").fill("DESK-17");
      await card.getByRole("button", { name: "Apply" }).click();
      await page.locator(".notice", { hasText: "The proposal is applied" }).waitFor();
      await page.getByRole("link", { name: "applied" }).click();
      await card.filter({ hasText: "DESK-17" }).waitFor();
    });

    test("is dismissed by an admin; an operator reads who decides, and finds no button", async () => {
      const tool = await judge("wrong_tool", "compute_exchange_quote");
      const operator = await enterQuality("Bob", "/proposals");
      const card = operator.locator("article", { hasText: tool });
      await card.getByText("An admin decides this.").waitFor();
      expect(await card.locator("form, button").count()).toBe(0);
      const admin = await enterQuality("Admin", "/proposals");
      await dismiss(admin, tool);
      await admin.locator(".notice", { hasText: "The proposal was dismissed" }).waitFor();
      expect(await admin.locator("article", { hasText: tool }).count()).toBe(0);
    });
  });

  describe("the rules", () => {
    const rule = "default-compute_exchange_quote";

    test("are tried on last week's calls before they are saved", async () => {
      const page = await enter("Admin");
      await page.goto(`${desk().origin()}/admin/policies?edit=${rule}`);
      await page.getByLabel("People are asked first").check();
      await page.getByRole("button", { name: "Simulate" }).first().click();
      await page.locator("h2", { hasText: "What would have changed last week" }).waitFor();
      const changed = page.locator("#simulation tbody tr", { hasText: "compute_exchange_quote" });
      expect(await changed.first().textContent()).toMatch(/allow.*ask people/);
      expect(await requiresApproval()).toBe(false);
      await page.locator("details[open]").getByRole("button", { name: "Save" }).click();
      const notice = page.locator(".notice");
      await notice.waitFor();
      const { items } = await desk().admin("GET", "/approvals?status=pending");
      const asked = items.find(({ tool_name }: Played) => tool_name === "change_authority");
      expect(await notice.textContent()).toContain(`A-${asked.number}`);
    });

    test("that are wrong are told with their path, and the typed list stays", async () => {
      const page = await enter("Admin", { expected: /status of 4/ });
      await page.goto(`${desk().origin()}/admin/policies`);
      await page.locator("summary", { hasText: "All rules as JSON" }).click();
      const list = page.getByLabel("List of rules");
      const [first, ...others] = JSON.parse(await list.inputValue());
      const typed = JSON.stringify([{ ...first, tool_name: "no_such_tool" }, ...others]);
      await list.fill(typed);
      await page.getByRole("button", { name: "Simulate" }).click();
      await page.locator('[role="alert"]', { hasText: "policies.0.tool_name" }).waitFor();
      expect(await list.inputValue()).toBe(typed);
      await list.fill("[{]");
      await page.getByRole("button", { name: "Save" }).click();
      await page.locator('[role="alert"]', { hasText: "no valid JSON" }).waitFor();
      expect(await list.inputValue()).toBe("[{]");
    });

    async function requiresApproval(): Promise<boolean> {
      const { policies } = await desk().admin("GET", "/policies");
      return policies.find(({ id }: Played) => id === rule).requires_approval;
    }
  });

  test("usage says in words and figures what the API counts", async () => {
    const page = await enter("Bob");
    await page.goto(`${desk().origin()}/admin/usage`);
    const usage = await desk().admin("GET", "/usage");
    const slower = { model: "The model is slower", tool: "The tools are slower" }[
      usage.slower as "model" | "tool"
    ];
    expect(await page.locator(".verdict").textContent()).toContain(slower);
    const [model] = usage.by_model;
    const row = page.getByRole("table", { name: "By model" }).locator("tbody tr").first();
    const shown = [model.input_tokens, model.output_tokens].map((one) => one.toLocaleString("en"));
    expect(await row.textContent()).toContain(shown.join(" / "));
  });

  async function enterQuality(who: "Alice" | "Bob" | "Admin", path: string, expected?: RegExp) {
    const page = await enter(who, expected ? { expected } : {});
    await page.goto(`${desk().origin()}/admin/quality${path}`);
    return page;
  }

  /** Admin labels the lead's call of a tool. */
  async function judge(label: string, tool: string): Promise<string> {
    const { tool_calls } = await lead.trace();
    const { id } = tool_calls.find(({ tool_name }: Played) => tool_name === tool);
    await desk().admin("POST", `/quality/tool-calls/${id}/feedback`, { label });
    return tool;
  }

  async function dismiss(page: Page, tool: string): Promise<void> {
    const card = page.locator("article", { hasText: tool });
    await card.locator("summary", { hasText: "Dismiss" }).click();
    const form = card.getByRole("form", { name: "Dismiss" });
    await form.getByLabel("Note").fill("it was right");
    await form.getByRole("button", { name: "Dismiss" }).click();
  }
});

function callNumbers(page: Page): Promise<(string | null)[]> {
  return page.evaluate(
    "[...document.querySelectorAll('[data-call]')].map((one) => one.dataset.call)",
  );
}

function focusedCall(page: Page): Promise<string | undefined> {
  return page.evaluate("document.activeElement.closest('[data-call]')?.dataset.call");
}

/** The lines of the file behind the link. */
async function downloaded(page: Page, status: string): Promise<unknown[]> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: `Download (JSONL): ${status}` }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("tool-call-regression-cases.jsonl");
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  const lines = Buffer.concat(chunks).toString("utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line));
}
