import { and, desc, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { answerCommand } from "../../src/desk/commands/answer-command.ts";
import { COMMANDS, commandMenu } from "../../src/desk/commands/table.ts";
import { createDesk } from "../../src/desk/desk.ts";
import { setupChecklist } from "../../src/desk/setup-checklist.ts";
import type { ChatFacts } from "../../src/domain/chat-facts.ts";
import { newId } from "../../src/domain/ids.ts";
import type { CommandEvent } from "../../src/domain/inbound.ts";
import { listDestinations } from "../../src/store/destinations.ts";
import { setExecution } from "../../src/store/executions.ts";
import { upsertRate } from "../../src/store/rates.ts";
import { receive } from "../../src/store/receive.ts";
import { conversations, outbox } from "../../src/store/schema/chat.ts";
import { auditLog } from "../../src/store/schema/tenancy.ts";
import { staffById } from "../../src/store/staff.ts";
import { activeToolNames } from "../../src/store/tool-registry.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, openOffice, TENANT } from "../support/office.ts";
import { addLead, type OfficeLead } from "../support/office-lead.ts";

const LINK = "https://calendly.com/acme/intro";
const FORUM: ChatFacts = {
  ...{ kind: "known", isMember: true, isForum: true, isAdmin: true },
  ...{ mayManageTopics: true, mayDeleteMessages: true },
};

forEachEngine((open) => {
  let office: Office;
  let admin: string;
  let operator: string;
  let changed: string[];
  beforeAll(async () => {
    office = await openOffice(open);
    admin = await office.person("admin");
    operator = await office.person();
    office.desk.toolsChanged = (_tx, tenantId) => changed.push(tenantId);
  });
  beforeEach(() => {
    changed = [];
  });
  afterAll(() => office.close());

  const typed = (text: string, over: Partial<CommandEvent> = {}): CommandEvent => {
    const [name = "", ...args] = text.slice(1).split(" ");
    return {
      ...{ kind: "command", name, args: args.join(" "), messenger: "telegram", channelId: "tg" },
      ...{ eventKey: newId(), chatId: "-200", chatKind: "group", threadId: null },
      ...{ sentAt: office.time.now, person: { id: "7", teamId: "", name: "P", isBot: false } },
      ...over,
    };
  };
  const says = (
    staffId: string | null,
    text: string,
    { chat = null, ...over }: Partial<CommandEvent> & { chat?: ChatFacts | null } = {},
  ) =>
    office.tenant(async (tx) => {
      const staff = staffId === null ? null : await staffById(tx, TENANT, staffId);
      const command = typed(text, over);
      const said = await answerCommand(tx, office.desk, { tenantId: TENANT, staff, command, chat });
      return said.kind === "answer" ? said.text : said.kind;
    });
  const lastAudit = async () => {
    const rows = await office.tenant((tx) =>
      tx.select().from(auditLog).orderBy(desc(auditLog.id)).limit(1),
    );
    return rows[0];
  };

  describe("the table", () => {
    it("is what the edges know, and each line of a menu is short enough for Telegram", () => {
      expect([...COMMANDS]).toEqual(commandMenu("en").map(({ command }) => command));
      for (const { command, description } of [...commandMenu("en"), ...commandMenu("ru")]) {
        expect(command).toMatch(/^[a-z0-9_]{1,32}$/);
        expect(description.length).toBeLessThanOrEqual(256);
      }
    });

    it("is shown by /help as far as the person may use it", async () => {
      expect(await says(admin, "/help")).toContain("/tool on NAME | off NAME: ");
      expect(await says(operator, "/help")).not.toContain("/tool on");
      expect(await says(null, "/help")).toMatch(/for the staff/);
    });

    it("answers a word that is not in it, and a name of an object's own", async () => {
      expect(await says(operator, "/rocket")).toMatch(/do not know \/rocket/);
      expect(await says(operator, "/constructor")).toMatch(/do not know \/constructor/);
      expect(await says(null, "/rocket")).toMatch(/New on the staff\? Your id is 7:/);
    });

    it("answers what /help is asked about", async () => {
      expect(await says(operator, "/help /pending")).toBe(
        "/pending: what waits for a decision or a person",
      );
      expect(await says(operator, "/help tool")).toMatch(
        /^\/tool on NAME.*\nOnly admins may use it/,
      );
      expect(await says(operator, "/help rates")).toMatch(
        /do not know \/rates. Known here: \/pending/,
      );
    });

    it("carries out no command that was edited, and says so", async () => {
      const edited = { editOf: "message:1:2" };
      expect(await says(admin, `/booking set ${LINK}`, edited)).toBe(
        "Edited commands are not carried out; send it anew.",
      );
      expect(await says(admin, "/booking")).toMatch(/No booking link/);
      expect(await says(null, "/pending", edited)).toMatch(/for the staff/);
    });

    it("is silent when the messenger calls edited what is the same", async () => {
      const first = typed("/whoami");
      const isDesk = async (event: CommandEvent) => {
        const { db, clock } = office;
        const context = { db, clock, jobs: office.jobs, coalesceMs: 1 };
        return (await receive(context, TENANT, event)).kind === "desk";
      };
      expect(await isDesk(first)).toBe(true);
      const editOf = first.eventKey;
      expect(await isDesk(typed("/whoami", { editOf }))).toBe(false);
      expect(await isDesk(typed("/pending", { editOf }))).toBe(true);
    });

    it("speaks to a client in the client's language, and of no id", async () => {
      const lead = await addLead(office, { userId: "5301" });
      await office.tenant((tx) =>
        tx
          .update(conversations)
          .set({ language: "ru" })
          .where(eq(conversations.id, lead.conversationId)),
      );
      const person = { id: "5301", teamId: "", name: "L", languageCode: "en", isBot: false };
      expect(await says(null, "/pending", { person })).toBe(
        "Команды здесь только для сотрудников. Просто напишите, что вам нужно.",
      );
      expect(await says(null, "/help", { person })).toMatch(/^Команды здесь/);
      expect(await says(null, "/whoami", { person })).toMatch(/^Ваш id: 5301\. Клиентам/);
    });

    it("speaks to somebody new as their messenger does, and tells the id", async () => {
      const person = { id: "5302", teamId: "", name: "N", languageCode: "ru", isBot: false };
      expect(await says(null, "/pending", { person })).toMatch(/^Команды здесь.*Ваш id 5302:/);
      const other = { ...person, languageCode: null };
      expect(await says(null, "/whoami", { person: other })).toMatch(/^Your id: 5302\. Clients/);
    });

    it("repeats no more of what was typed than a line holds", async () => {
      const long = "x".repeat(4000);
      for (const text of [`/tool off ${long}`, `/${long}`]) {
        const said = await says(admin, text);
        expect(said).toContain(`${"x".repeat(64)}…`);
        expect(said).not.toContain("x".repeat(65));
      }
      expect((await says(admin, `/booking set https://${long}.test/a`)).length).toBeLessThan(300);
    });
  });

  describe("what only admins may", () => {
    it.each(["/booking set https://calendly.com/a/b", "/booking off", "/tool off read_price"])(
      "%s is refused to an operator and to a stranger, and the former stands in the trail",
      async (command) => {
        expect(await says(null, command)).toMatch(/New on the staff\? Your id is 7:/);
        expect(await says(operator, command)).toMatch(/Only an admin/);
        expect(await lastAudit()).toMatchObject({
          ...{ eventType: "command.refused", userId: operator, decision: "forbidden" },
        });
        expect(changed).toEqual([]);
      },
    );

    it("changes the link, drops what is cached, and is audited without the link's path", async () => {
      expect(await says(admin, `/booking set ${LINK}`)).toContain(LINK);
      expect(changed).toEqual([TENANT]);
      expect(await lastAudit()).toMatchObject({ eventType: "booking.set", userId: admin });
      expect(JSON.stringify(await lastAudit())).not.toContain("intro");
      expect(await says(operator, "/booking")).toContain(LINK);
      expect(await says(admin, `/booking set <${LINK}|my link>`)).toContain(LINK);
      expect(await says(admin, "/booking off")).toMatch(/removed/);
      expect(await says(admin, "/booking off")).toMatch(/No booking link/);
    });

    it("tells in the staff's language why a link is not taken", async () => {
      office.desk.dress.staffLanguage = "ru";
      expect(await says(admin, "/booking set http://calendly.com/a")).toMatch(
        /не подходит: адрес должен начинаться с https/,
      );
      office.desk.dress.staffLanguage = "en";
      expect(changed).toEqual([]);
    });

    it("switches a tool once; the same again says so and changes nothing", async () => {
      expect(await says(admin, "/tool off READ_PRICE")).toMatch(/read_price is off/);
      const active = () => office.tenant((tx) => activeToolNames(tx, TENANT));
      expect(await active()).not.toContain("read_price");
      expect(await says(admin, "/tool off read_price")).toMatch(/was off already/);
      expect(changed).toEqual([TENANT]);
      expect(await says(operator, "/tools")).toMatch(/^read_price · off/m);
      await says(admin, "/tool on read_price");
      expect(await active()).toContain("read_price");
    });
  });

  describe("/setup", () => {
    const chatsOf = async (purpose: string) =>
      (await office.tenant((tx) => listDestinations(tx, TENANT)))
        .filter((row) => row.purpose === purpose)
        .map(({ chatId }) => chatId);

    it("asks what the messenger says of a group before it does anything", async () => {
      expect(await says(admin, "/setup review")).toBe("ask_chat");
      expect(await chatsOf("review")).toEqual([]);
    });

    it("names what a Telegram group lacks for reviews, and changes nothing", async () => {
      const chat = { ...FORUM, isForum: false, mayManageTopics: false };
      const answer = await says(admin, "/setup review", { chat });
      expect(answer).toMatch(/Nothing was changed/);
      expect(answer).toMatch(/no topics/);
      expect(answer).toMatch(/manage topics/);
      expect(await chatsOf("review")).toEqual([]);
    });

    it("makes a chat serve, once, with a test card and a line in the trail", async () => {
      for (const _ of [1, 2])
        expect(await says(admin, "/setup review", { chat: FORUM })).toMatch(/serves review/);
      expect(await chatsOf("review")).toEqual(["-200"]);
      expect(await lastAudit()).toMatchObject({
        ...{ eventType: "destination.set", summary: "telegram -200 serves review" },
      });
      const cards = await office.tenant((tx) =>
        tx
          .select()
          .from(outbox)
          .where(and(eq(outbox.chatId, "-200"), eq(outbox.purpose, "card"))),
      );
      expect(cards).toHaveLength(2);
      expect(cards[0]?.content).toMatchObject({ card: { title: "Test card", buttons: [] } });
    });

    it("warns of a missing right that part of the purpose needs", async () => {
      const chat = { ...FORUM, mayDeleteMessages: false };
      const answer = await says(admin, "/setup operators", { chat });
      expect(answer).toMatch(/serves operators/);
      expect(answer).toMatch(/may not delete messages/);
    });

    it("goes on when the messenger does not answer, and says that it is not sure", async () => {
      const chat = { kind: "unreachable" } as const;
      const answer = await says(admin, "/setup kyc", { chat });
      expect(answer).toMatch(/serves kyc/);
      expect(answer).toMatch(/could not check/);
    });

    it("in private is only the list", async () => {
      const chatKind = "private" as const;
      expect(await says(admin, "/setup operators", { chatKind })).toMatch(/in the group/);
      expect(await says(operator, "/setup", { chatKind })).toMatch(/Only an admin/);
      expect(await says(admin, "/setup", { chatKind })).toMatch(
        /^What still keeps the desk closed/,
      );
    });

    it("asks the messenger outside of the transaction, through the desk itself", async () => {
      const identity = { messenger: "telegram" as const, teamId: "", userId: "900" };
      await office.person("admin", [identity]);
      const asked: string[] = [];
      office.desk.chatFacts = async (_channel, chatId) => {
        await office.tenant(async () => {}); // on the embedded database this would wait for ever inside
        asked.push(chatId);
        return FORUM;
      };
      const { db, jobs, clock, desk } = office;
      const person = { id: "900", teamId: "", name: "A", isBot: false };
      const event = typed("/setup review", { chatId: "-100", person });
      const { inboxId } = await receive({ db, jobs, clock, coalesceMs: 0 }, TENANT, event);
      const ref = { tenantId: TENANT, inboxId };
      expect((await createDesk(desk).handle(ref))?.text).toMatch(/serves review/);
      expect((await createDesk(desk).handle(ref))?.text).toMatch(/serves review/);
      expect(asked).toEqual(["-100"]);
    });
  });

  describe("/pending", () => {
    const OURS = { chatId: "-100" };
    const uncertain = (lead: OfficeLead) =>
      office.tenant((tx) =>
        tx.insert(outbox).values({
          ...{ id: newId(), tenantId: TENANT, channelId: "tg", chatId: "1", purpose: "reply" },
          ...{ content: { kind: "text", text: "Hello" }, status: "uncertain" },
          ...{ dueAt: office.time.now, createdAt: office.time.now - 3 * 60_000 },
          conversationId: lead.conversationId,
        }),
      );

    it("lists replies that may not have arrived, by client and age", async () => {
      expect(await says(operator, "/pending", OURS)).toBe("Nothing waits for a decision.");
      await uncertain(await addLead(office));
      expect(await says(operator, "/pending", OURS)).toMatch(
        /^A reply may not have arrived: Lead \d+ · 3 min$/,
      );
    });

    it("lists what was sent and nobody knows whether it happened, until that is known", async () => {
      const lead = await addLead(office);
      const { number } = await lead.approvedPayout();
      office.cashier.next.push("unknown");
      office.cashier.lookUps.push("unreachable", "unreachable", "unreachable", "unreachable");
      await lead.works();
      office.time.now += 120_000;
      const line = (state: string) => new RegExp(`A-${number} .*${state}.* · 2 min`);
      expect(await says(operator, "/pending", OURS)).toMatch(line("the provider is asked"));
      for (const waitMs of [0, 1_000, 4_000, 25_000]) {
        await lead.works();
        office.time.now += waitMs;
      }
      await lead.works();
      expect(await says(operator, "/pending", OURS)).toMatch(line("answer on its card"));
      const { id } = await lead.execution();
      const known = { tenantId: TENANT, id, status: "completed" as const };
      await office.tenant((tx) => setExecution(tx, known));
      expect(await says(operator, "/pending", OURS)).not.toContain(`A-${number} `);
    });

    it("names no client in a group that is not ours; what names none works there", async () => {
      const elsewhere = { chatId: "-999" };
      await uncertain(await addLead(office));
      for (const text of ["/pending", "/resume payouts looked through"]) {
        const said = await says(admin, text, elsewhere);
        expect(said).toMatch(/in the operators' group or in a private chat/);
        expect(said).not.toMatch(/Lead/);
      }
      expect(await says(admin, "/whoami", elsewhere)).toMatch(/, admin\. Your id: 7$/);
      expect(await says(admin, "/help", elsewhere)).toMatch(/^\/pending/);
      expect(await says(admin, "/setup", elsewhere)).toMatch(/\/setup operators/);
    });

    it("names them in private, and in Slack, where one person reads the answer", async () => {
      const alone = { chatId: "7", chatKind: "private" as const };
      expect(await says(operator, "/pending", alone)).toMatch(/Lead/);
      const slack = { messenger: "slack" as const, channelId: "sl", chatId: "C0RANDOM" };
      expect(await says(operator, "/pending", slack)).toMatch(/Lead/);
    });
  });

  it("the list names what is missing, and nothing once it is there", async () => {
    const needs = async () =>
      (await office.tenant((tx) => setupChecklist(tx, office.desk, TENANT)))
        .filter(({ isDone, isOptional }) => !isDone && !isOptional)
        .map(({ need, missing }) => [need, ...missing].join(":"));
    expect(await needs()).toEqual(["rates", "requisites", "documents", "opened"]);
    await office.tenant((tx) =>
      upsertRate(
        tx,
        {
          ...{ asset: "USDT", network: "trc20", quoteAsset: "THB", quoteMode: "multiply" },
          ...{ baseRate: "32", marginPct: "2", feeFixed: "0", tiers: [], isActive: true },
          ...{ minAmountFrom: null, maxAmountFrom: null, autoUpdate: false },
        },
        { tenantId: TENANT, by: "setup", now: office.time.now },
      ),
    );
    expect(await needs()).toEqual(["requisites:exchange_wallet_usdt_trc20", "documents", "opened"]);
    await office.tenant((tx) =>
      office.desk.secrets.set(tx, {
        ...{ tenantId: TENANT, name: "exchange_wallet_usdt_trc20", value: "T…", by: "setup" },
        now: office.time.now,
      }),
    );
    office.desk.hasModelKey = () => false;
    expect(await needs()).toEqual(["documents", "model", "opened"]);
  });
});
