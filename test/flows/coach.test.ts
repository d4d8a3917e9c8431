import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StyleContent } from "../../src/domain/style.ts";
import { evalsBy } from "../support/coach-part.ts";
import { openDesk } from "../support/desk.ts";
import type { Desk, Lead } from "../support/desk-people.ts";
import { forEachEngine } from "../support/engines.ts";
import type { Played } from "../support/played-world.ts";

const REVIEW_GROUP = -1_002_000_000_002;
const asksBack = (style: StyleContent | null) => /short question/.test(style?.guidance ?? "");

forEachEngine((engine) => {
  let desk: Desk;
  let lena: Lead;
  let proposal: Played;
  beforeAll(async () => {
    const shadow = evalsBy({ "asks for what is missing": asksBack, greets: () => true });
    desk = await openDesk(engine, { shadow });
    lena = desk.lead();
  });
  afterAll(() => desk.close());

  async function promptOfNextReply(text: string): Promise<{ version: string; styleId: string }> {
    await lena.says(text);
    const { model_calls: calls, runs } = await lena.trace();
    const version = calls.at(-1)?.prompt_version;
    return { version, styleId: runs.at(-1)?.style_id };
  }
  const styleShown = async () => {
    const requests = await desk.modelRequests();
    const replies = requests.filter(({ body }) => body.metadata.operation === "reply");
    return /<style>\n([\s\S]*)\n<\/style>/.exec(replies.at(-1)?.body.messages[0].content)?.[1];
  };
  const act = (what: string) =>
    desk.admin("POST", `/quality/coach/proposals/${proposal.number}/${what}`);

  describe("a complaint becomes better words", () => {
    test("a reply goes out in the style of the business, and the journal says which", async () => {
      await desk.admin("PUT", "/quality/styles/desk", {
        ...{ name: "Desk", guidance: "Be warm and brief.", examples: [], skills: [] },
        is_active: true,
      });
      expect(await promptOfNextReply("How much is 500 USDT in baht, TRC20?")).toEqual({
        ...{ version: "2026-11-3+desk@1", styleId: "desk" },
      });
      expect(await styleShown()).toBe("Be warm and brief.");
    });

    test("an operator marks the reply with an emoji, and the coach has something to read", async () => {
      const empty = await desk.admin("GET", "/quality/coach/proposals");
      expect(empty.items).toEqual([]);
      const mirrors = await desk.world.get(`telegram/chats/${REVIEW_GROUP}/messages`);
      const mirror = mirrors.findLast(({ text }: Played) => /USDT/.test(text));
      await desk.world.post("telegram/reactions", {
        ...{ chat_id: REVIEW_GROUP, user_id: 2001, message_id: mirror.message_id, emoji: ["✍"] },
      });
      await desk.idle();
      const { messages } = await lena.trace();
      expect(messages.flatMap((one: Played) => one.labels ?? [])).toEqual(["bad_args"]);
      proposal = await desk.admin("POST", "/quality/coach/proposals", { styleId: "desk" });
      expect(proposal).toMatchObject({
        ...{ status: "pending", style_id: "desk", base_version: 1, shadow_json: null },
        suggestion_json: { rationale: expect.stringContaining("bad_args 1") },
      });
      expect(proposal.becomes.guidance).toMatch(/^Be warm and brief\.\n.*short question/);
    });

    test("nothing has changed by it yet, and nothing can before the evals", async () => {
      expect((await promptOfNextReply("And for 700 USDT?")).version).toBe("2026-11-3+desk@1");
      await expect(act("accept")).rejects.toThrow(/409 .*Run the shadow evals first/);
    });

    test("the evals break nothing, an admin accepts, and the next reply is written so", async () => {
      await act("shadow");
      await desk.until(async () => {
        const { items } = await desk.admin("GET", "/quality/coach/proposals");
        return items[0].shadow_json.state === "done";
      });
      const accepted = await act("accept");
      expect(accepted).toMatchObject({
        ...{ status: "accepted", version: 2 },
        shadow_json: { broken: [], mended: ["asks for what is missing"] },
      });
      expect(await promptOfNextReply("And for 900 USDT?")).toEqual({
        ...{ version: "2026-11-3+desk@2", styleId: "desk" },
      });
      expect(await styleShown()).toBe(proposal.becomes.guidance);
    });

    test("it is rolled back, and the reply after that is written as before", async () => {
      await desk.admin("POST", "/quality/styles/desk/versions/1/activate");
      expect((await promptOfNextReply("And for 1100 USDT?")).version).toBe("2026-11-3+desk@1");
      expect(await styleShown()).toBe("Be warm and brief.");
    });
  });
});
