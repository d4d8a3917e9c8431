import { eq } from "drizzle-orm";
import { presentTrace } from "../../src/admin/routes/conversations.ts";
import { createTelegramBot } from "../../src/bot/telegram/bot.ts";
import { handleApproval } from "../../src/desk/approval-steps.ts";
import { createDesk } from "../../src/desk/desk.ts";
import { heedObjection } from "../../src/desk/freeze.ts";
import type { JsonObject } from "../../src/domain/json.ts";
import { handleExecution } from "../../src/engine/execution.ts";
import { handleRun } from "../../src/engine/run.ts";
import { createOutbound } from "../../src/outbound/deliver.ts";
import type { Fault } from "../../src/sandbox/faults.ts";
import { conversationTrace } from "../../src/store/conversation-trace.ts";
import { removeDestination, upsertDestination } from "../../src/store/destinations.ts";
import { type DueWork, findDueWork, findOpenWork } from "../../src/store/due-work.ts";
import { insertOrder } from "../../src/store/orders.ts";
import { type ReceiveContext, receive } from "../../src/store/receive.ts";
import { conversations } from "../../src/store/schema/chat.ts";
import type { OpenDatabase } from "./database.ts";
import { type Life, makeMortal } from "./mortal-database.ts";
import { one, TENANT } from "./office.ts";
import { PAY, paymentRules, paymentTool } from "./office-payment.ts";
import { createScriptedModel } from "./office-run.ts";
import { OPERATORS_CHAT, openPayingOffice } from "./paying-office.ts";
import type { Played } from "./played-world.ts";
import { withTestKey } from "./row-key.ts";
import { openTelegramWorld } from "./telegram-world.ts";
import { openTrails } from "./trail.ts";

/** Telegram's ids of who reads the operators' group; Eve is none of the staff. */
export const READERS = { alice: 2001, bob: 2002, eve: 4001 } as const;
export type Reader = keyof typeof READERS;

/** The operators' group of the played Telegram. */
export const OPERATORS = -1_002_000_000_001;

/** Work whose worker may be lost. */
export type MortalWork = Extract<DueWork["kind"], "run" | "execution">;

const WORKER_LIMIT_MS = 20_000;
/** Looks for work until nothing is left; more means that something never ends. */
const MOST_LOOKS = 60;
const STEP_MS = 61_000;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * The product's parts on a real database, behind a played Telegram and a played gateway. Nothing
 * runs by itself: each worker's turn is a test's own act, so that acts come in any order.
 */
export async function openLiveOffice(open: OpenDatabase) {
  const script = createScriptedModel();
  const supplied: JsonObject[] = [];
  const office = await openPayingOffice(open, {
    model: script.model,
    // what is no payment of the client's money ends when nobody decides in time
    more: [{ ...paymentTool(supplied), risk: "external_write" } as never], // as lists do
  });
  const { db, time, clock, jobs, tenant, gateway } = office;
  // messages carry the played Telegram's time
  time.now = Date.now();
  time.real = time.now;
  await office.rules(paymentRules({ approvals_required: 2 }));
  const trails = await openTrails(office.database, clock.now);
  const telegram = await openTelegramWorld();
  const desk = createDesk(office.desk);
  const intake: ReceiveContext = {
    ...{ db, jobs, clock, coalesceMs: 0 },
    heed: (tx, said) => heedObjection(tx, office.desk, said),
  };
  const edge = createTelegramBot({
    ...{ channelId: "tg", tenantId: TENANT, desk, clock, log: quiet, isCommand: () => false },
    token: telegram.env.TELEGRAM_BOT_TOKEN ?? "",
    apiRoot: telegram.env.TELEGRAM_API_ROOT ?? "",
    receive: (event) => receive(intake, TENANT, event),
  });
  await edge.check();
  edge.start();
  await tenant(async (tx) => {
    const place = {
      tenantId: TENANT,
      messenger: "telegram" as const,
      purpose: "operators" as const,
    };
    await removeDestination(tx, { ...place, chatId: OPERATORS_CHAT });
    const chatId = String(OPERATORS);
    await upsertDestination(tx, { ...place, chatId, channelId: "tg", now: time.now });
  });
  for (const reader of ["alice", "bob"] as const)
    await office.person("operator", [
      { messenger: "telegram", userId: String(READERS[reader]), teamId: "" },
    ]);
  const messengers = new Map([["tg", edge.messenger]]);
  const handlers: Record<DueWork["kind"], (work: DueWork) => Promise<unknown>> = {
    run: (work) => handleRun(office.engine, work, AbortSignal.timeout(WORKER_LIMIT_MS)),
    execution: (work) => handleExecution(office.engine, work, AbortSignal.timeout(WORKER_LIMIT_MS)),
    approval: (work) => handleApproval(office.desk, work),
    desk: ({ id }) => desk.handle({ tenantId: TENANT, inboxId: id }),
  };
  const live = {
    ...{ office, telegram, script, supplied, trails },
    /** Telegram delivers what it has; resolves when the bot has taken all of it. */
    async delivers(...updates: object[]): Promise<void> {
      await telegram.play("telegram/updates", updates);
      await live.taken();
    },
    taken: async () => void (await telegram.get("/sandbox/api/idle?timeout_ms=20000")),
    /** Workers take what is due; with `twice` two take each. How much that was. */
    async works(kind: DueWork["kind"] | null, twice = false): Promise<number> {
      const due = await findDueWork(db, { now: time.now, realNow: time.real });
      const own = due.filter((work) => kind === null || work.kind === kind);
      const taken = twice ? [...own, ...own] : own;
      await Promise.all(taken.map((work) => handlers[work.kind](work)));
      return own.length;
    },
    /** Workers of a process that dies at a commit take what is due; nobody ends it for them. */
    async dies(kind: MortalWork, at: Pick<Life, "diesAt" | "moment">): Promise<void> {
      const due = await findDueWork(db, { now: time.now, realNow: time.real });
      const own = withTestKey({ ...office.database, db: Object.create(db) as typeof db });
      makeMortal(own, { isDead: false, commits: 0, ...at });
      const engine = { ...office.engine, db: own.db };
      const take = kind === "run" ? handleRun : handleExecution;
      const chosen = due.filter((work) => work.kind === kind);
      const taken = chosen.map((work) => take(engine, work, AbortSignal.timeout(WORKER_LIMIT_MS)));
      await Promise.allSettled(taken); // what a killed process would have said, nobody hears
    },
    /** A process of its own sends what is due. */
    async sends(): Promise<number> {
      const realNow = () => time.real;
      const outbound = createOutbound({ db, clock, messengers, log: quiet, realNow });
      let sent = 0;
      for (let took = 1; took > 0; sent += took) took = await outbound.runOnce();
      return sent;
    },
    /** All workers look once. */
    async looks(): Promise<number> {
      return (await live.works(null)) + (await live.sends());
    },
    async fault(service: "payout" | "telegram", fault: Omit<Fault, "service">): Promise<void> {
      if (service === "payout") gateway.fault({ service, ...fault });
      else await telegram.play("faults", { service, ...fault });
    },
    passes(ms: number): void {
      time.now += ms;
      time.real += ms;
    },
    /** Plays on until nothing is due, whatever was left open; what is left after that. */
    async settles(): Promise<string[]> {
      let before = "";
      for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
        await live.taken();
        const due = await findDueWork(db, { now: time.now, realNow: time.real });
        const names = due.map(({ kind, id }) => `${kind} ${id}`).join();
        const did = await live.looks();
        const isStuck = names !== "" && names === before; // behind the lease of a worker that died
        before = names;
        const { waiting } = await findOpenWork(db, time.now + 50 * STEP_MS);
        const left = waiting.filter((name) => !name.startsWith("approval"));
        if (left.length === 0 && did === 0) return [];
        if (did === 0 || isStuck) live.passes(STEP_MS);
      }
      return (await findOpenWork(db, time.now + STEP_MS)).waiting;
    },
    /** Everything of a chat's conversation, as the admin API shows it. */
    async trace(chatId: number): Promise<Played> {
      const { id: conversationId } = await conversationOf(chatId);
      const trace = await tenant((tx) =>
        conversationTrace(tx, { tenantId: TENANT, conversationId }),
      );
      return trace && presentTrace(trace);
    },
    /** From here on the client of the chat has an order that is paid, and may ask for the payout. */
    async isPaid(chatId: number): Promise<void> {
      const { id: conversationId, contactId } = await conversationOf(chatId);
      await tenant(async (tx) => {
        await tx
          .update(conversations)
          .set({ stage: "payment_verified", language: "en" })
          .where(eq(conversations.id, conversationId));
        await insertOrder(tx, paidOrder({ conversationId, contactId, number: chatId }, time.now));
      });
    },
    messages: (chatId: number) => telegram.chat(chatId) as Promise<Played[]>,
    async close() {
      await edge.stop();
      await telegram.stop();
      trails.close();
      await office.close();
    },
  };
  const conversationOf = (chatId: number) =>
    one(
      tenant((tx) =>
        tx
          .select()
          .from(conversations)
          .where(eq(conversations.chatId, String(chatId))),
      ),
    );
  return live;
}
export type LiveOffice = Awaited<ReturnType<typeof openLiveOffice>>;

export const SUPPLIER = PAY;

function paidOrder(of: { conversationId: string; contactId: string; number: number }, now: number) {
  return {
    ...{ ...of, tenantId: TENANT, quoteId: "Q", status: "paid" as const },
    ...{ asset: "USDT", network: "TRC20", quoteAsset: "THB", rate: "32.5" },
    ...{ amountMode: "source_amount" as const, amountFrom: "40", amountTo: "1300" },
    ...{ paymentMethod: "crypto", payoutMethod: "thai_bank_transfer" },
    ...{ payoutDestinationJson: { bank: "SCB", account: "111", holder: "Lea" } },
    ...{ amountReceived: "40", quoteLockedAt: now, paidAt: now, expiresAt: now, createdAt: now },
  };
}
