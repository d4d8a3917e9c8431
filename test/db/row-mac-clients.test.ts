import { eq, type SQL, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../src/domain/ids.ts";
import type { MembershipEvent, MessageEvent } from "../../src/domain/inbound.ts";
import { UNKNOWN_CONTACT } from "../../src/store/conversations.ts";
import { loadRoundFacts } from "../../src/store/gate-facts.ts";
import { setKyc } from "../../src/store/kyc.ts";
import { ownersOf } from "../../src/store/makers.ts";
import { receive } from "../../src/store/receive.ts";
import { claimRun } from "../../src/store/runs.ts";
import { contactIdentities, contacts, conversations } from "../../src/store/schema/chat.ts";
import { runs } from "../../src/store/schema/runs.ts";
import { createStaff } from "../../src/store/staff.ts";
import { forEachEngine } from "../support/database.ts";
import { TENANT } from "../support/office.ts";
import { openPayingOffice, type PayingOffice } from "../support/paying-office.ts";

let people = 0;

forEachEngine((open) => {
  let office: PayingOffice;
  let alice: string;
  beforeAll(async () => {
    office = await openPayingOffice(open);
    alice = await office.person();
  });
  afterAll(() => office.close());

  /** An operator whose own account is a client's, too, with a paid order. */
  async function operatorAsLead() {
    people += 1;
    const userId = `both-${people}`;
    const account = { messenger: "telegram" as const, teamId: "", userId };
    const own = await office.person("operator", [account]);
    return { own, userId, lead: await office.paidLead({}, { userId }) };
  }
  type Lead = Awaited<ReturnType<typeof operatorAsLead>>["lead"];

  const accountOf = async (contactId: string) => {
    const [row] = await office.tenant((tx) =>
      tx.select().from(contactIdentities).where(eq(contactIdentities.contactId, contactId)),
    );
    if (!row) throw new Error("the client has no account");
    return row;
  };
  const tells = async (id: string) => {
    const { ids, alerts, audited } = await office.told("contact_identities");
    expect(ids.filter((told) => told === id)).toHaveLength(1);
    expect(alerts).toBe(audited);
  };
  const paidFor = ({ order: { number } }: Lead) =>
    office.payouts().filter(({ order }) => order.order_id === `EX-${number}`);
  const owns = (maker: string, staffId: string) =>
    office.tenant(async (tx) =>
      (await ownersOf(tx, { tenantId: TENANT, makers: [maker] })).has(staffId),
    );
  const factsOf = ({ conversationId }: Lead) =>
    office.tenant((tx) =>
      loadRoundFacts(tx, { tenantId: TENANT, conversationId, runId: null, now: office.time.now }),
    );

  const context = () => {
    const { db, jobs, clock } = office;
    return { db, jobs, clock, coalesceMs: 0 };
  };
  const origin = (userId: string, chatId: string) => ({
    ...{ messenger: "telegram" as const, channelId: "tg", eventKey: newId(), chatId },
    ...{ chatKind: "private" as const, threadId: null, sentAt: 0 },
    person: { id: userId, teamId: "", name: "Somebody", isBot: false },
  });
  const says = (userId: string, chatId: string) => {
    const message: MessageEvent = {
      ...{ ...origin(userId, chatId), kind: "message", text: "my orders?", media: [] },
      ...{ externalId: newId(), replyToId: null },
    };
    return receive(context(), TENANT, message);
  };
  const blocks = (userId: string, chatId: string) => {
    const event: MembershipEvent = {
      ...{ ...origin(userId, chatId), kind: "membership", change: "blocked" },
    };
    return receive(context(), TENANT, event);
  };
  const talksIn = (chatId: string) =>
    office.tenant((tx) => tx.select().from(conversations).where(eq(conversations.chatId, chatId)));

  describe("an operator's own account as a client", () => {
    const attacks: [string, (contactId: string) => SQL][] = [
      [
        "moved",
        (id) => sql`update contact_identities set user_id = ${newId()} where contact_id = ${id}`,
      ],
      [
        "given to nobody",
        (id) => sql`update contact_identities set contact_id = 'x' where contact_id = ${id}`,
      ],
      [
        "without its hash",
        (id) => sql`update contact_identities set mac = '' where contact_id = ${id}`,
      ],
      ["deleted", (id) => sql`delete from contact_identities where contact_id = ${id}`],
    ];
    it.each(attacks)("%s does not let him decide on his own payout", async (how, attack) => {
      const { own, lead } = await operatorAsLead();
      const { id } = await lead.asks();
      expect(await office.decides(id, own)).toMatchObject({ code: "forbidden" });
      const account = await accountOf(lead.contactId);
      await office.attacks(attack(lead.contactId));
      for (const staffId of [own, alice])
        expect(await office.decides(id, staffId)).toMatchObject({ code: "forbidden" });
      await lead.worksAll();
      expect(paidFor(lead)).toEqual([]);
      expect((await office.approval(id)).status).toBe("pending");
      const isGone = how === "deleted" || how === "given to nobody";
      await tells(isGone ? lead.contactId : account.id);
    });

    it("moved before he asks leaves nobody who may decide", async () => {
      const { lead } = await operatorAsLead();
      expect((await factsOf(lead)).approvers.operator).toBeGreaterThan(0);
      await office.attacks(
        sql`update contact_identities set user_id = 'away' where contact_id = ${lead.contactId}`,
      );
      expect((await factsOf(lead)).approvers).toEqual({ operator: 0, admin: 0 });
    });

    it("with another in its place, or beside it, helps him no more", async () => {
      const { own, lead } = await operatorAsLead();
      const account = await accountOf(lead.contactId);
      const put = async (mac: string) => {
        const id = newId();
        await office.attacks(sql`insert into contact_identities
          (id, tenant_id, contact_id, messenger, team_id, user_id, mac)
          values (${id}, ${TENANT}, ${lead.contactId}, 'telegram', '', ${id}, ${mac})`);
        return id;
      };
      const { id } = await lead.asks();
      const beside = await put(account.mac);
      expect(await office.decides(id, own)).toMatchObject({ code: "forbidden" });
      await tells(beside);
      await office.attacks(
        sql`delete from contact_identities where contact_id = ${lead.contactId}`,
      );
      const instead = await put(account.mac);
      expect(await office.decides(id, own)).toMatchObject({ code: "forbidden" });
      await tells(instead);
    });

    it("put back as it was is believed again: he may not, another may", async () => {
      const { own, userId, lead } = await operatorAsLead();
      const { id } = await lead.asks();
      const set = (to: string) =>
        office.attacks(
          sql`update contact_identities set user_id = ${to} where contact_id = ${lead.contactId}`,
        );
      await set("elsewhere");
      expect(await office.decides(id, alice)).toMatchObject({ code: "forbidden" });
      await set(userId);
      expect(await office.decides(id, own)).toMatchObject({ code: "forbidden" });
      expect(await office.decides(id, alice)).toMatchObject({ code: "approved" });
      await lead.worksAll();
      expect(paidFor(lead)).toHaveLength(1);
    });

    it("swapped with another client's makes neither request anybody's", async () => {
      const { own, userId, lead } = await operatorAsLead();
      const other = await office.paidLead();
      const { id } = await lead.asks();
      const theirs = await accountOf(other.contactId);
      const set = (to: string, of: string) =>
        office.attacks(sql`update contact_identities set user_id = ${to} where contact_id = ${of}`);
      await set("between", other.contactId);
      await set(theirs.userId, lead.contactId);
      await set(userId, other.contactId);
      expect(await office.decides(id, own)).toMatchObject({ code: "forbidden" });
      expect(await owns(lead.contactId, alice)).toBe(true);
      expect(await owns(other.contactId, alice)).toBe(true);
      await tells(theirs.id);
    });
  });

  describe("a conversation that was given to another client", () => {
    const give = (lead: Pick<Lead, "conversationId">, contactId: string) =>
      office.attacks(
        sql`update conversations set contact_id = ${contactId} where id = ${lead.conversationId}`,
      );

    it("is no way around the own account: nobody may decide, and its facts are nobody's", async () => {
      const { own, lead } = await operatorAsLead();
      const other = await office.paidLead();
      await office.tenant((tx) =>
        setKyc(
          tx,
          { tenantId: TENANT, contactId: other.contactId },
          { status: "verified", verificationId: "v" },
        ),
      );
      const { id } = await lead.asks();
      await give(lead, other.contactId);
      for (const staffId of [own, alice])
        expect(await office.decides(id, staffId)).toMatchObject({ code: "forbidden" });
      expect(await factsOf(lead)).toMatchObject({
        ...{ contactId: UNKNOWN_CONTACT, kyc: "missing", order: null },
        approvers: { operator: 0, admin: 0 },
      });
      expect((await office.told("conversations")).ids).toContain(lead.conversationId);
      await give(lead, lead.contactId);
      expect(await office.decides(id, own)).toMatchObject({ code: "forbidden" });
      expect(await office.decides(id, alice)).toMatchObject({ code: "approved" });
    });

    it("is answered by no run until it is put back", async () => {
      expect((await says("talker", "talk-chat")).kind).toBe("run");
      const [talk] = await talksIn("talk-chat");
      if (!talk) throw new Error("no conversation");
      const { contactId } = talk;
      const [run] = await office.tenant((tx) =>
        tx.select().from(runs).where(eq(runs.conversationId, talk.id)),
      );
      const claim = () =>
        office.tenant((tx) =>
          claimRun(tx, {
            ...{ tenantId: TENANT, id: run?.id ?? "", now: office.time.now + 60_000 },
            lease: { owner: "o", token: newId(), untilMs: office.time.real + 1000 },
            realNow: office.time.real,
          }),
        );
      await give({ conversationId: talk.id }, "lead-1");
      expect(await claim()).toBeNull();
      expect((await says("talker", "talk-chat")).kind).toBe("ignored");
      await give({ conversationId: talk.id }, contactId);
      expect(await claim()).toMatchObject({ conversation: { contactId } });
    });
  });

  describe("a request of the staff themselves", () => {
    it("is its maker's alone, with or without an account of a messenger", async () => {
      const row = { tenantId: TENANT, name: "Zoe", role: "operator" as const, now: 1 };
      const zoe = await office.tenant((tx) => createStaff(tx, { ...row, identities: [] }));
      const { own } = await operatorAsLead();
      for (const maker of [zoe, own]) {
        expect(await owns(maker, maker)).toBe(true);
        expect(await owns(maker, alice)).toBe(false);
      }
      expect((await office.told("contact_identities")).ids).not.toContain(zoe);
    });

    it("of somebody who was put in is everybody's", async () => {
      const id = newId();
      await office.attacks(sql`insert into staff (id, tenant_id, name, role, status, created_at)
        values (${id}, ${TENANT}, 'Mallory', 'operator', 'active', now())`);
      expect(await owns(id, alice)).toBe(true);
      await tells(id);
    });
  });

  describe("whoever writes from an account", () => {
    it("that the product wrote is served, as the same client each time", async () => {
      expect((await says("new-1", "new-chat")).kind).toBe("run");
      expect((await says("new-1", "new-chat")).kind).toBe("run");
      const [talk] = await talksIn("new-chat");
      expect(await accountOf(talk?.contactId ?? "")).toMatchObject({ userId: "new-1", teamId: "" });
      expect(await owns(talk?.contactId ?? "", alice)).toBe(false);
    });

    it("that was given to another client is not served as that one", async () => {
      const victim = await office.paidLead();
      const id = newId();
      await office.attacks(sql`insert into contact_identities
        (id, tenant_id, contact_id, messenger, team_id, user_id)
        values (${id}, ${TENANT}, ${victim.contactId}, 'telegram', '', 'mallory')`);
      expect((await says("mallory", "chat-of-mallory")).kind).toBe("ignored");
      expect(await talksIn("chat-of-mallory")).toEqual([]);
      await tells(id);
    });

    it("that was swapped with another's is not served, and neither is blocked for the other", async () => {
      const [one, two] = [await office.paidLead(), await office.paidLead()];
      const [first, second] = [await accountOf(one.contactId), await accountOf(two.contactId)];
      const set = (to: string, id: string) =>
        office.attacks(sql`update contact_identities set contact_id = ${to} where id = ${id}`);
      await set(two.contactId, first.id);
      await set(one.contactId, second.id);
      expect((await says(first.userId, "another-chat")).kind).toBe("ignored");
      expect(await talksIn("another-chat")).toEqual([]);
      await blocks(second.userId, "another-chat");
      const rows = await office.tenant((tx) =>
        tx.select().from(contacts).where(sql`id in (${one.contactId}, ${two.contactId})`),
      );
      expect(rows.map(({ blockedAt }) => blockedAt)).toEqual([null, null]);
      for (const { id } of [first, second]) await tells(id);
    });
  });
});
