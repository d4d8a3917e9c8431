import { and, desc, eq, inArray, isNull } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Card } from "../../src/domain/messenger.ts";
import { exchangeSettingsOf, putExchangeSettings } from "../../src/store/exchange-settings.ts";
import { approvalVotes } from "../../src/store/schema/approvals.ts";
import { outbox } from "../../src/store/schema/chat.ts";
import { toolExecutionQueue } from "../../src/store/schema/tools.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, TENANT } from "../support/office.ts";
import { addLead, type OfficeLead } from "../support/office-lead.ts";
import {
  type Account,
  asksPayment,
  officeDesk,
  openPayingOffice,
} from "../support/office-payment.ts";

type Row = Awaited<ReturnType<OfficeLead["approval"]>>;

forEachEngine((open) => {
  let office: Office;
  let desk: ReturnType<typeof officeDesk>;
  const alice: Account = { messenger: "telegram", userId: "2001" };
  const bob: Account = { messenger: "telegram", userId: "2002" };
  beforeAll(async () => {
    office = await openPayingOffice(open);
    desk = officeDesk(office);
    for (const userId of ["2001", "2002"])
      await office.person("operator", [{ messenger: "telegram", teamId: "", userId }]);
  });
  afterAll(() => office.close());

  const settings = (change: { operatorDailyCap?: string; bulkApprovalLimit?: string }) =>
    office.tenant(async (tx) => {
      const before = await exchangeSettingsOf(tx, TENANT);
      await putExchangeSettings(tx, { ...before, ...change }, { tenantId: TENANT, now: 0 });
    });
  /** The list's card in the group as it stands now; null: there is none. */
  const list = async (): Promise<Card | null> => {
    const rows = await office.tenant((tx) =>
      tx
        .select()
        .from(outbox)
        .where(and(isNull(outbox.conversationId), inArray(outbox.purpose, ["card", "card_edit"])))
        .orderBy(desc(outbox.seq)),
    );
    const { content } = rows[0] ?? {};
    return content?.kind === "card" || content?.kind === "card_edit" ? content.card : null;
  };
  const postedLists = () =>
    office.tenant((tx) =>
      tx
        .select({ id: outbox.id })
        .from(outbox)
        .where(and(isNull(outbox.conversationId), eq(outbox.purpose, "card"))),
    );
  const press = async (by: Account, label: string, card?: Card) => {
    const button = (card ?? (await list()))?.buttons.find((one) => one.label === label);
    if (!button) throw new Error(`there is no button ${label}`);
    return desk.says(desk.click(by, button));
  };
  const ask = async (count: number, sum: (index: number) => string): Promise<Row[]> => {
    const rows: Row[] = [];
    for (let index = 0; index < count; index += 1)
      rows.push(await asksPayment(await addLead(office), { amount: sum(index) }));
    return rows;
  };
  const nameOf = ({ number }: Row) => `A-${number}`;
  const statuses = async (rows: Row[]) =>
    Promise.all(rows.map(async ({ id }) => (await office.approval(id)).status));
  const decideAll = async (rows: Row[]) => {
    const staffId = await office.person();
    for (const { id } of rows) await office.decides(id, staffId, { decision: "reject" });
  };

  describe("S25: thirty payments that wait", () => {
    let rows: Row[];
    beforeAll(async () => {
      await settings({ bulkApprovalLimit: "500" });
      rows = await ask(30, (index) => String(index < 27 ? 100 + index : 5_000 + index));
    }, 120_000);

    it("are one list beside their cards, each with buttons of its own", async () => {
      expect(await postedLists()).toHaveLength(1);
      const card = await list();
      expect(card?.title).toBe("Requests that wait: 30");
      expect(card?.facts.map(({ label }) => label)).toEqual(rows.map(nameOf));
      expect(card?.facts[0]?.value).toContain("100 THB");
      const labels = card?.buttons.map(({ label }) => label) ?? [];
      for (const row of rows)
        for (const word of ["Approve", "Reject", "Open"])
          expect(labels).toContain(`${word} ${nameOf(row)}`);
      expect(labels.length).toBe(91);
      expect(labels.at(-1)).toBe("Approve all 27 below 500 THB");
      expect(JSON.stringify(card?.facts).length).toBeLessThan(4_096);
    });

    it("one is decided by its own button, and the list says so", async () => {
      const [first, second] = rows as [Row, Row];
      expect(await press(alice, `Approve ${nameOf(first)}`)).toMatch(/approved/);
      expect(await press(alice, `Reject ${nameOf(second)}`)).toMatch(/rejected/);
      const card = await list();
      expect(card?.title).toBe("Requests that wait: 28");
      expect(card?.facts.slice(0, 2).map(({ value }) => value)).toEqual([
        expect.stringMatching(/^approved: operator/),
        expect.stringMatching(/^rejected: operator/),
      ]);
      expect(card?.buttons.some(({ label }) => label.endsWith(nameOf(first)))).toBe(false);
    });

    it("Open shows the whole card in the chat", async () => {
      const third = rows[2] as Row;
      const before = await sentOf(third);
      expect(await press(alice, `Open ${nameOf(third)}`)).toBe(`${nameOf(third)} stands below.`);
      const after = await sentOf(third);
      expect(after.length).toBe(before.length + 1);
      expect(after.at(-1)?.content).toMatchObject({
        card: { title: expect.stringContaining(nameOf(third)) },
      });
    });

    it("one press grants those below the limit that it named; each keeps its own vote", async () => {
      const shown = (await list()) as Card;
      const late = await asksPayment(await addLead(office), { amount: "120" });
      const said = await press(bob, "Approve all 25 below 500 THB", shown);
      expect(said).toMatch(/^Approved: A-.*\(25\)\.$/);
      const named = rows.slice(2, 27);
      expect(new Set(await statuses(named))).toEqual(new Set(["approved"]));
      expect(new Set(await statuses(rows.slice(27)))).toEqual(new Set(["pending"]));
      expect((await office.approval(late.id)).status).toBe("pending");
      const ids = named.map(({ id }) => id);
      const votes = await office.tenant((tx) =>
        tx.select().from(approvalVotes).where(inArray(approvalVotes.approvalId, ids)),
      );
      expect(new Set(votes.map(({ approvalId }) => approvalId)).size).toBe(25);
      expect(votes).toHaveLength(25);
      const executed = await office.tenant((tx) =>
        tx.select().from(toolExecutionQueue).where(inArray(toolExecutionQueue.approvalId, ids)),
      );
      expect(executed).toHaveLength(25);
      expect(await press(bob, "Approve all 25 below 500 THB", shown)).toMatch(/^Not approved: /);
      await decideAll([late]);
    });

    it("ends when nothing of it waits any more", async () => {
      await decideAll(rows.slice(27));
      expect(await list()).toMatchObject({
        ...{ title: "Requests that wait: 0", buttons: [] },
        outcome: "Nothing of this list waits any more",
      });
    });

    const sentOf = ({ id }: Row) =>
      office.tenant((tx) =>
        tx
          .select()
          .from(outbox)
          .where(and(eq(outbox.approvalId, id), eq(outbox.purpose, "card")))
          .orderBy(outbox.seq),
      );
  });

  describe("a list", () => {
    it("is made of five that come within minutes, and not of four, nor of a day's", async () => {
      office.time.now += 3_600_000;
      const before = (await postedLists()).length;
      const slow = [];
      for (let hour = 0; hour < 4; hour += 1) {
        slow.push(...(await ask(1, () => "600")));
        office.time.now += 600_000;
      }
      const quick = await ask(4, () => "600");
      expect((await postedLists()).length).toBe(before);
      const fifth = await ask(1, () => "600");
      expect((await postedLists()).length).toBe(before + 1);
      expect((await list())?.title).toBe("Requests that wait: 9");
      await decideAll([...slow, ...quick, ...fifth]);
    });

    it("misses none of the decisions that are made on it at once", async () => {
      office.time.now += 3_600_000;
      const rows = await ask(8, () => "600");
      const people = [await office.person(), await office.person()];
      const answers = await Promise.all(
        rows.map(({ id }, index) =>
          office.decides(id, people[index % 2] as string, { decision: "reject" }),
        ),
      );
      expect(answers.map(({ code }) => code)).toEqual(rows.map(() => "rejected"));
      const card = await list();
      expect(card?.title).toBe("Requests that wait: 0");
      const shown = new Map(card?.facts.map(({ label, value }) => [label, value]));
      for (const row of rows) expect(shown.get(nameOf(row))).toMatch(/^rejected/);
    });

    it("is pressed by a stranger in vain, in one line of the trail", async () => {
      office.time.now += 3_600_000;
      const rows = await ask(5, (index) => String(100 + index));
      const eve: Account = { messenger: "telegram", userId: "4001" };
      expect(await press(eve, "Approve all 5 below 500 THB")).toMatch(/no right/);
      expect(await press(eve, `Open ${nameOf(rows[0] as Row)}`)).toMatch(/no right/);
      expect(new Set(await statuses(rows))).toEqual(new Set(["pending"]));
      await decideAll(rows);
    });

    it("leaves out of one press what was changed, or is above a limit lowered since", async () => {
      office.time.now += 3_600_000;
      const rows = await ask(5, (index) => String(100 + index));
      const shown = (await list()) as Card;
      const [edited] = rows as [Row];
      const staffId = await office.person();
      await settings({ bulkApprovalLimit: "104" });
      const answer = await office.decides(edited.id, staffId, { edit: { amount: "90" } });
      expect(answer.code).toBe("approved");
      const said = await press(alice, "Approve all 5 below 500 THB", shown);
      expect(said).toContain(`Not approved: ${nameOf(edited)}, ${nameOf(rows[4] as Row)}`);
      expect(await statuses(rows)).toEqual([...Array(4).fill("approved"), "pending"]);
      await settings({ bulkApprovalLimit: "500" });
      await decideAll(rows.slice(4));
    });

    it("is given by /pending, too, with the same buttons", async () => {
      office.time.now += 3_600_000;
      const rows = await ask(2, () => "300");
      const command = desk.click(alice, { action: "", value: "" });
      const { action: _a, value: _v, messageId: _m, ...origin } = command;
      const { said } = await desk.take({ ...origin, kind: "command", name: "pending", args: "" });
      const labels = said?.buttons?.map(({ label }) => label) ?? [];
      expect(labels).toContain(`Approve ${nameOf(rows[0] as Row)}`);
      expect(labels.at(-1)).toBe("Approve all 2 below 500 THB");
      const all = said?.buttons?.at(-1);
      expect(await desk.says(desk.click(alice, all ?? { action: "", value: "" }))).toMatch(
        /^Approved: /,
      );
      expect(new Set(await statuses(rows))).toEqual(new Set(["approved"]));
    });
  });

  describe("the daily cap of one person (R5)", () => {
    it("counts what the person approved today, names what is left, and leaves others free", async () => {
      office.time.now += 2 * 86_400_000;
      await settings({ operatorDailyCap: "1000" });
      const [first, second, third] = (await ask(
        3,
        (index) => ["600", "500", "400"][index] ?? "",
      )) as [Row, Row, Row];
      const staffId = await office.person();
      const other = await office.person();
      expect((await office.decides(first.id, staffId)).code).toBe("approved");
      const refused = await office.decides(second.id, staffId);
      expect(refused).toMatchObject({ accepted: false, code: "daily_cap" });
      expect(refused.message).toMatch(/capped at 1000 THB.*400 THB is left.*500 THB is more/);
      expect((await office.approval(second.id)).status).toBe("pending");
      expect((await office.decides(third.id, staffId)).code).toBe("approved");
      expect((await office.decides(second.id, other)).code).toBe("approved");
    });

    it("holds for the sum as it was lowered, and begins anew with the day", async () => {
      const [first, second] = (await ask(2, () => "900")) as [Row, Row];
      const staffId = await office.person();
      expect((await office.decides(first.id, staffId)).code).toBe("approved");
      const tooMuch = await office.decides(second.id, staffId, { edit: { amount: "101" } });
      expect(tooMuch.code).toBe("daily_cap");
      expect(await office.approval(second.id)).toMatchObject({
        ...{ approvedActionJson: null, actionDigest: second.actionDigest },
      });
      office.time.now += 86_400_000;
      expect((await office.decides(second.id, staffId)).code).toBe("approved");
    });

    it("holds for two approvals of one person at the same moment", async () => {
      const rows = await ask(4, () => "600");
      const staffId = await office.person();
      const answers = await Promise.all(rows.map(({ id }) => office.decides(id, staffId)));
      expect(answers.map(({ code }) => code).sort()).toEqual([
        "approved",
        ...Array(3).fill("daily_cap"),
      ]);
      await decideAll(rows.filter((_row, index) => answers[index]?.code === "daily_cap"));
    });
  });
});
