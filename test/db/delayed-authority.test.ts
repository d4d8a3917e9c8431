import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StaffCall } from "../../src/desk/commands/command.ts";
import { pending } from "../../src/desk/commands/pending.ts";
import { requestedText } from "../../src/desk/request-change.ts";
import { approvalQueue } from "../../src/store/schema/approvals.ts";
import { outbox } from "../../src/store/schema/chat.ts";
import { destinations } from "../../src/store/schema/tenancy.ts";
import { staffById } from "../../src/store/staff.ts";
import { forEachEngine } from "../support/database.ts";
import { TENANT } from "../support/office.ts";
import { type Authority, openAuthority } from "../support/office-authority.ts";
import { createPlayedChats } from "../support/played-chats.ts";

const MINUTE = 60_000;

forEachEngine((open) => {
  let site: Authority;
  let maker: string;
  beforeEach(async () => {
    site = await openAuthority(open);
    maker = await site.office.person("admin");
  });
  afterEach(() => site.close());

  const approves = (id: string, who: string) => site.office.decides(id, who);
  const asksSeen = async () => {
    const asked = await site.asks(maker, site.requisite("1111"));
    await site.sends();
    return asked;
  };
  const stateOf = async (id: string) => {
    const { status, approvesItselfAt } = await site.office.approval(id);
    return { status, approvesItselfAt };
  };
  const pendingText = async () => {
    const staff = await site.office.tenant((tx) => staffById(tx, TENANT, maker));
    const call = { tenantId: TENANT, staff, now: site.office.time.now };
    const said = await site.office.tenant(
      (tx) => pending.run(tx, site.office.desk, call as unknown as StaffCall), // it reads no more of it
    );
    return typeof said === "string" ? said : said.text;
  };

  describe("a change that one admin alone asked for, before its card stands anywhere", () => {
    it("however long that lasts, it does not take effect, and people see why", async () => {
      const asked = await site.asks(maker, site.requisite("1111"));
      expect(asked).toMatchObject({ deciding: { kind: "delay", delayMs: 10 * MINUTE } });
      const card = await site.card(asked.id);
      expect(card.buttons.map(({ label }) => label)).toEqual(["Reject"]);
      expect(card.facts.at(-1)?.value).toMatch(/its time starts/);
      expect(await pendingText()).toMatch(/A-1 .*its card stands in no chat of the operators yet/);
      for (const minutes of [11, 20, 20]) {
        site.office.time.now += minutes * MINUTE;
        await site.stepsOn(asked.id);
        await site.works();
        expect(await site.requisiteNow()).toBeNull();
      }
      expect(await stateOf(asked.id)).toEqual({ status: "pending", approvesItselfAt: null });
      site.office.time.now += 30 * MINUTE;
      await site.stepsOn(asked.id);
      await site.stepsOn(asked.id);
      expect((await stateOf(asked.id)).status).toBe("expired");
    });

    it("an answer of the messenger that was lost starts nothing", async () => {
      const { id } = await site.asks(maker, site.requisite("1111"));
      const silent = createPlayedChats(() => ({ kind: "uncertain", error: "reset" }));
      for (let seconds = 0; seconds < 600; seconds += 60) {
        await site.sends(silent);
        site.office.time.now += MINUTE;
      }
      expect(await stateOf(id)).toEqual({ status: "pending", approvesItselfAt: null });
    });

    it("the time starts with the delivery, and is on the card and in the list then", async () => {
      const { id } = await site.asks(maker, site.requisite("1111"));
      site.office.time.now += 25 * MINUTE;
      await site.sends();
      const at = site.office.time.now + 10 * MINUTE;
      expect(await stateOf(id)).toEqual({ status: "pending", approvesItselfAt: at });
      expect((await site.card(id)).facts.at(-1)?.value).toBe(
        "at 2026-11-01T09:35Z, unless somebody presses Reject",
      );
      expect(await pendingText()).toMatch(/takes effect by itself in 10 min unless rejected/);
      site.office.time.now += 3 * MINUTE;
      await site.sends();
      expect(await stateOf(id)).toEqual({ status: "pending", approvesItselfAt: at });
    });

    it("whoever has just made himself the only admin waits a day from the delivery on", async () => {
      const second = await site.office.person("admin");
      await site.suspends(second, maker);
      const { id } = await site.asks(maker, site.requisite("1111"));
      site.office.time.now += 30 * MINUTE;
      await site.sends();
      const at = site.office.time.now + 24 * 60 * MINUTE;
      expect(await stateOf(id)).toEqual({ status: "pending", approvesItselfAt: at });
      expect((await site.office.approval(id)).expiresAt).toBeGreaterThanOrEqual(at);
    });

    it("a card in another chat is none", async () => {
      const { id } = await site.asks(maker, site.requisite("1111"));
      await site.office.tenant((tx) =>
        tx.update(outbox).set({ chatId: "-999" }).where(eq(outbox.approvalId, id)),
      );
      await site.sends();
      expect((await stateOf(id)).approvesItselfAt).toBeNull();
    });

    it("no chat of operators is left when the time is over: it waits for a card again", async () => {
      const { id } = await asksSeen();
      await site.office.tenant((tx) => tx.delete(destinations));
      site.office.time.now += 11 * MINUTE;
      await site.stepsOn(id);
      await site.works();
      expect(await stateOf(id)).toEqual({ status: "pending", approvesItselfAt: null });
      expect(await site.requisiteNow()).toBeNull();
    });

    it("where no chat of operators is set, whoever asks is told so with the next step", async () => {
      await site.office.tenant((tx) => tx.delete(destinations));
      const asked = await site.asks(maker, site.requisite("1111"));
      if (asked.kind !== "asked") throw new Error("people are not asked");
      expect(asked.deciding).toEqual({ kind: "no_chat" });
      expect(requestedText(asked, "en")).toMatch(
        /does not take effect by itself.*TELEGRAM_OPERATOR_CHAT_ID/,
      );
      await site.sends();
      site.office.time.now += 11 * MINUTE;
      await site.stepsOn(asked.id);
      await site.works();
      expect(await site.requisiteNow()).toBeNull();
    });

    it("another admin is there when it is delivered: that one decides", async () => {
      const { id } = await site.asks(maker, site.requisite("1111"));
      const second = await site.office.person("admin");
      await site.sends();
      expect((await stateOf(id)).approvesItselfAt).toBeNull();
      expect((await site.card(id)).buttons.map(({ label }) => label)).toEqual([
        "Approve",
        "Reject",
      ]);
      expect(await approves(id, second)).toMatchObject({ accepted: true });
    });

    it("the time that somebody writes into the row is no time", async () => {
      const { id } = await site.asks(maker, site.requisite("1111"));
      await site.office.tenant((tx) =>
        tx
          .update(approvalQueue)
          .set({ approvesItselfAt: 1, decidedVia: "delay", nextStepAt: 1 })
          .where(eq(approvalQueue.id, id)),
      );
      await site.stepsOn(id);
      await site.works();
      expect(await site.requisiteNow()).toBeNull();
    });
  });
});
