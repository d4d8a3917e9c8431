import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { withAdminPages } from "../support/admin-browser.ts";

withAdminPages(({ desk, enter, visit }) => {
  describe("the log-in", () => {
    test("says that a token does not work, then takes one that does", async () => {
      const page = await visit("/admin/audit", { expected: /status of 401/ });
      await page.locator('input[name="token"]').fill("cst_nothing");
      await page.keyboard.press("Enter");
      await page.locator('[role="alert"]', { hasText: "This token does not work" }).waitFor();
      expect(await page.locator('input[name="token"]').inputValue()).toBe("");
    });

    test("keeps the token from scripts", async () => {
      const page = await enter("Bob");
      expect(await page.evaluate("document.cookie + JSON.stringify({ ...localStorage })")).toBe(
        "{}",
      );
      expect(await page.locator(".who").textContent()).toContain("Bob");
      await page.getByRole("button", { name: "Log out" }).click();
      await page.waitForURL("**/admin/log-in");
    });
  });

  test("a link from another site leads to the page, not to the log-in", async () => {
    const page = await enter("Bob", { expected: /status of 404/ }); // the picture's own icon
    const elsewhere = desk().origin().replace("127.0.0.1", "localhost");
    await page.goto(`${elsewhere}/sandbox/assets/icon.svg`);
    await page.evaluate(`location.href = "${desk().origin()}/admin/audit"`);
    await page.waitForURL(`${desk().origin()}/admin/audit`);
    await page.locator("h1", { hasText: "Audit" }).waitFor();
  });

  test("the booking link that is set here is the API's at once, and can be turned off", async () => {
    const page = await enter("Admin", { expected: /status of 400/ });
    const url = page.getByLabel("Booking URL");
    await url.fill("https://calendly.com/new-desk/call");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".notice", { hasText: "The booking link is set" }).waitFor();
    const set = { enabled: true, url: "https://calendly.com/new-desk/call" };
    expect(await desk().admin("GET", "/tools/booking")).toEqual(set);
    await url.fill("http://127.0.0.1/inside");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator('[role="alert"]').waitFor();
    expect(await url.inputValue()).toBe("http://127.0.0.1/inside");
    expect(await desk().admin("GET", "/tools/booking")).toEqual(set);
    await page.locator(".card").getByRole("button", { name: "Turn off" }).click();
    await page.locator(".notice", { hasText: "The booking link is off" }).waitFor();
    expect(await desk().admin("GET", "/tools/booking")).toEqual({ enabled: false, url: null });
  });

  test("a tool is switched off and on, and leads to its rules", async () => {
    const page = await enter("Admin");
    const row = page.locator("tr", { hasText: "create_task_draft" });
    await row.getByRole("button", { name: "Turn off" }).click();
    await page.locator(".notice", { hasText: "The tool was switched" }).waitFor();
    expect(await isActive("create_task_draft")).toBe(false);
    await row.getByRole("button", { name: "Turn on" }).click();
    await row.getByRole("button", { name: "Turn off" }).waitFor();
    expect(await isActive("create_task_draft")).toBe(true);
    await row.getByRole("link", { name: "Rules" }).click();
    await page.locator("h2", { hasText: "Rules of create_task_draft" }).waitFor();
    expect(await page.locator("tbody tr").count()).toBeGreaterThan(0);
    for (const text of await page.locator("tbody tr").allTextContents())
      expect(text).toContain("create_task_draft");
  });

  test("a payout is approved by keyboard alone, on what the page shows", async () => {
    const lead = desk().lead();
    await lead.reachesPayout();
    const name = await lead.cardName();
    const page = await enter("Alice");
    await tabTo(page, "Approvals");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/admin/approvals");
    await tabTo(page, name);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/approvals/${name}`);
    await page.locator("dd", { hasText: "62600 THB" }).first().waitFor();
    await tabTo(page, "Approve");
    expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe(
      "solid",
    );
    await page.keyboard.press("Enter");
    await page.locator(".notice", { hasText: `${name}` }).waitFor();
    await page.locator(".tag", { hasText: "approved" }).first().waitFor();
    await page.locator("tbody tr", { hasText: "Alice" }).waitFor();
    await desk().idle();
    expect(await desk().payoutsOf(lead)).toHaveLength(1);
  });

  test("an operator pays out less than was asked, and all three versions are shown", async () => {
    const lead = desk().lead();
    await lead.reachesPayout();
    const page = await enter("Alice");
    await page.goto(`${desk().origin()}/admin/approvals/${await lead.cardName()}`);
    await page.getByLabel("Change before approving: amount").fill("62500");
    await page.getByRole("button", { name: "Approve" }).click();
    await page.locator(".notice").waitFor();
    const { approvals } = await lead.trace();
    expect(approvals.at(-1)).toMatchObject({
      proposed_action_json: { amount: "62600" },
      effective_action_json: { amount: "62500" },
    });
    for (const amount of ["62600", "62500"])
      expect(
        await page.locator("#content pre", { hasText: `"amount": "${amount}"` }).count(),
      ).toBeGreaterThan(0);
  });

  test("what has changed since the page was shown is not decided on, and the reason stays", async () => {
    const lead = desk().lead();
    await lead.sends({ photo: {} }, { video_note: {} });
    const name = await lead.cardName();
    const page = await enter("Bob", { expected: /status of 409/ });
    await page.goto(`${desk().origin()}/admin/approvals/${name}`);
    await page.locator('input[name="digest"]').evaluate((node) => {
      (node as unknown as { value: string }).value = "0".repeat(64); // an <input>
    });
    await page.getByLabel("Reason").fill("the photo is blurred");
    await page.getByRole("button", { name: "Approve" }).click();
    await page.locator('[role="alert"]').waitFor();
    expect(await page.getByLabel("Reason").inputValue()).toBe("the photo is blurred");
    await page.getByRole("button", { name: "Reject" }).click();
    await page.locator(".tag", { hasText: "rejected" }).first().waitFor();
    const { approvals } = await lead.trace();
    expect(approvals.at(-1)).toMatchObject({
      status: "rejected",
      rejected_reason: "the photo is blurred",
    });
  });

  test("the timeline of a payout goes from the candidate to the gate, the people, the execution", async () => {
    const lead = desk().lead();
    await lead.reachesPayout();
    await desk()
      .operator("U0ALICE")
      .presses("Approve", await lead.card());
    const page = await enter("Bob");
    await page.goto(`${desk().origin()}/admin/conversations/${await lead.conversationId()}`);
    const run = page.locator("section.run", { hasText: "proposes issue_exchange_payout" });
    const lines = run.locator(".entry", { hasText: /issue_exchange_payout|Alice on/ });
    const kinds = await lines.evaluateAll(
      (all) => all.map((one) => (one as unknown as { dataset: { kind: string } }).dataset.kind), // <li>
    );
    const way = ["candidate", "check", "gate", "approval", "vote", "execution", "result"];
    const told = kinds.filter((kind, index) => way.includes(kind) && kinds.indexOf(kind) === index);
    expect(told).toEqual(way);
    const gate = run.locator(".of-gate", { hasText: "issue_exchange_payout: ask people" }).first();
    await gate.locator("summary", { hasText: "facts of the decision" }).click();
    await gate.locator("pre", { hasText: '"amount_to": "62600"' }).first().waitFor();
    await run.locator(".of-lead", { hasText: "Когда подойти?" }).waitFor();
  });

  test("what a client writes is text, in every place", async () => {
    const words = `<img src=x onerror="document.title='x'"><script>document.title='x'</script>`;
    const lead = desk().lead();
    await lead.sends({ text: words });
    await lead.sends({ photo: {} }, { video_note: {} });
    await desk().world.post("telegram/messages", {
      ...{ chat_id: lead.id, user_id: lead.id, text: "hello" },
      first_name: `<b>Eve</b>\u202e`,
    });
    await desk().idle();
    const page = await enter("Bob");
    await page.goto(`${desk().origin()}/admin/conversations/${await lead.conversationId()}`);
    await page.locator(".of-lead .said", { hasText: words }).first().waitFor();
    expect(await page.locator("main img, main script, main b").count()).toBe(0);
    expect(await page.title()).not.toBe("x");
  });

  test("the trail is filtered and paged", async () => {
    const page = await enter("Bob");
    await page.goto(`${desk().origin()}/admin/audit`);
    await page.locator("summary", { hasText: "Filters" }).click();
    await page.getByLabel("Event, like gate.decided").fill("gate.decided");
    await page.getByRole("button", { name: "Find" }).click();
    await page.waitForURL(/event_type=gate\.decided/);
    const events = await page.locator("tbody td:nth-child(2)").allTextContents();
    expect(events.length).toBeGreaterThan(0);
    expect(events.filter((text) => !text.startsWith("gate.decided"))).toEqual([]);
    await page.goto(`${desk().origin()}/admin/audit`);
    const first = await page.locator("tbody tr").first().textContent();
    await page.getByRole("link", { name: "Older" }).click();
    await page.waitForURL(/cursor=/);
    expect(await page.locator("tbody tr").first().textContent()).not.toBe(first);
  });

  async function isActive(name: string): Promise<boolean> {
    const { items } = await desk().admin("GET", "/tools");
    return items.find((tool: { name: string }) => tool.name === name).is_active;
  }
});

const MANY = 200;

/** Presses Tab until the thing of this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let n = 0; n < MANY; n += 1) {
    await page.keyboard.press("Tab");
    if ((await page.evaluate("document.activeElement.textContent.trim()")) === name) return;
  }
  throw new Error(`nothing named ${name} can be reached by Tab`);
}
