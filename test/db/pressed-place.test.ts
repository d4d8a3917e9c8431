import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Place } from "../../src/desk/pressed-place.ts";
import { unfreeze } from "../../src/desk/unfreeze.ts";
import { newId } from "../../src/domain/ids.ts";
import { moveChat } from "../../src/store/move-chat.ts";
import { outbox } from "../../src/store/schema/chat.ts";
import { staffById } from "../../src/store/staff.ts";
import { forEachEngine } from "../support/database.ts";
import { TENANT } from "../support/office.ts";
import { type Authority, openAuthority } from "../support/office-authority.ts";
import { createPlayedChats, type PlayedChats } from "../support/played-chats.ts";

forEachEngine((open) => {
  let site: Authority;
  let chats: PlayedChats;
  let operator: string;
  beforeAll(async () => {
    site = await openAuthority(open);
    operator = await site.office.person();
    chats = createPlayedChats();
  });
  afterAll(() => site.close());

  /** A payout that waits, and the id of the message that its card is. */
  const waits = async () => {
    const { id } = await (await site.lead()).asksPayout();
    await site.sends(chats);
    const [card] = await site.office.tenant((tx) =>
      tx.select().from(outbox).where(eq(outbox.approvalId, id)),
    );
    return { id, messageId: card?.externalIds[0] ?? "" };
  };
  const place = (over: Partial<Place>): Place => ({
    ...{ messenger: "telegram", channelId: "tg", chatId: "-100", chatKind: "group" },
    person: { id: "2001", teamId: "", name: "Alice", isBot: false },
    ...over,
  });
  const presses = async (id: string, over: Partial<Place>) => {
    const { code } = await site.office.decides(id, operator, { place: place(over) });
    return code;
  };
  const inPrivate = (chatId: string) => ({ chatId, chatKind: "private" as const });

  describe("a press on a request", () => {
    it("counts on its own card", async () => {
      const { id, messageId } = await waits();
      expect(await presses(id, { messageId })).toBe("approved");
    });

    it("does not count on the card of another one, in the same chat", async () => {
      const other = await waits();
      const { id } = await waits();
      expect(await presses(id, { messageId: other.messageId })).toBe("forbidden");
      expect(await presses(id, { messageId: newId() })).toBe("forbidden");
    });

    it("does not count in a client's chat, or in another group, whatever its message", async () => {
      const { id, messageId } = await waits();
      expect(await presses(id, { ...inPrivate("1001"), messageId })).toBe("forbidden");
      expect(await presses(id, { ...inPrivate("1001"), messageId: null })).toBe("forbidden");
      expect(await presses(id, { chatId: "-999", messageId })).toBe("forbidden");
      expect(await presses(id, { messageId })).toBe("approved");
    });

    it("does not count in the person's own chat while nothing of it was shown there", async () => {
      const { id } = await waits();
      expect(await presses(id, { ...inPrivate("2001"), messageId: "5" })).toBe("forbidden");
    });

    it("counts in the operators' chat when the card's id there is not known", async () => {
      const { id, messageId } = await waits();
      await site.office.tenant((tx) =>
        tx
          .update(outbox)
          .set({ status: "uncertain", externalIds: [] })
          .where(eq(outbox.approvalId, id)),
      );
      expect(await presses(id, { messageId, chatId: "-999" })).toBe("forbidden");
      expect(await presses(id, { messageId })).toBe("approved");
    });

    it("counts on the first copy of a card that was sent twice", async () => {
      const { id } = await waits();
      await site.office.tenant((tx) =>
        tx.update(outbox).set({ attempts: 2 }).where(eq(outbox.approvalId, id)),
      );
      expect(await presses(id, { messageId: "first-copy" })).toBe("approved");
    });

    it("counts on a form that its own button opened", async () => {
      const { id } = await waits();
      expect(await presses(id, { ...inPrivate("1001") })).toBe("forbidden");
      expect(await presses(id, {})).toBe("approved");
    });

    it("lifts no freeze from elsewhere either", async () => {
      const { id } = await waits();
      const press = await site.office.tenant(async (tx) => {
        const staff = await staffById(tx, TENANT, operator);
        const at = place({ ...inPrivate("1001"), messageId: "1" });
        return unfreeze(tx, site.office.desk, {
          tenantId: TENANT,
          approvalId: id,
          staff,
          place: at,
        });
      });
      expect(press).toMatch(/on their own cards/);
    });
  });

  it("counts on the list of many requests that the operators have", async () => {
    const all = [await waits(), await waits(), await waits(), await waits(), await waits()];
    await site.sends(chats);
    const list = chats.posted.findIndex(
      ({ content }) => content.kind === "card" && /^Requests that wait/.test(content.card.title),
    );
    expect(list).toBeGreaterThanOrEqual(0);
    const messageId = `m${list + 1}`;
    expect(await presses(all[4]?.id ?? "", { messageId })).toBe("approved");
  });

  it("goes on counting when the chat has another id", async () => {
    const { id, messageId } = await waits();
    const other = await waits();
    const old = { tenantId: TENANT, channelId: "tg", chatId: "-100" };
    await site.office.tenant((tx) => moveChat(tx, old, "-1009"));
    expect(await presses(id, { messageId })).toBe("approved"); // the old chat's own card
    expect(await presses(other.id, { chatId: "-1009", messageId: "77" })).toBe("approved");
  });
});
