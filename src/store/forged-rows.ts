import { messageOf } from "../domain/errors.ts";
import type { Jobs } from "../domain/jobs.ts";
import type { Language } from "../domain/language.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { writeAudit } from "./audit.ts";
import { type Db, type Tx, withOwner, withTenant } from "./db.ts";
import { destinationsOf } from "./destinations.ts";
import { writeOutgoing } from "./outbox.ts";
import { type ForgedRow, onForgedRow } from "./row-mac.ts";
import type { SignedTable } from "./row-meaning.ts";
import { listTenantIds, tenantById } from "./tenants.ts";

export interface ForgedRows {
  /** When all that was found is told. */
  settled(): Promise<void>;
}

/** Somebody who writes thousands of rows must not drown the operators' chats: the log has them all. */
const MOST_TOLD = 200;

/**
 * Tells people of rows that something else than the product wrote: log, trail and a line in the
 * operators' chats, once a row and process. In a transaction of its own: the one that found the row
 * may be taken back.
 */
export function tellOfForgedRows(deps: {
  db: Db;
  clock: Clock;
  jobs: Pick<Jobs<Tx>, "wakeDelivery">;
  log: Pick<Log, "error">;
}): ForgedRows {
  const { db, log } = deps;
  const told = new Set<string>();
  let current: Promise<unknown> = Promise.resolve();
  onForgedRow(db, (row) => {
    const name = JSON.stringify([row.table, row.tenantId, row.id]);
    if (told.has(name)) return;
    told.add(name);
    const { table, tenantId: tenant, id } = row;
    log.error({ table, tenant, row: id }, "a row was written by something else than Countersign");
    if (told.size > MOST_TOLD) return;
    current = current
      .then(() => tell(deps, row))
      .catch((error: unknown) =>
        log.error({ table, error: messageOf(error) }, "a forged row could not be told of"),
      );
  });
  return {
    async settled() {
      await current;
    },
  };
}

type Telling = Parameters<typeof tellOfForgedRows>[0];

async function tell(deps: Telling, row: ForgedRow): Promise<void> {
  const concerned =
    row.tenantId === null ? await withOwner(deps.db, listTenantIds) : [row.tenantId];
  for (const tenantId of concerned)
    await withTenant(deps.db, tenantId, (tx) => tellTenant(tx, deps, { ...row, tenantId }));
}

async function tellTenant(
  tx: Tx,
  { clock, jobs }: Telling,
  { table, tenantId, id }: ForgedRow & { tenantId: string },
): Promise<void> {
  const now = clock.now();
  await writeAudit(tx, [
    {
      tenantId,
      eventType: "row.forged",
      summary: `a row of ${table} is not as the product wrote it, and is not believed`,
      decision: "deny",
      createdAt: now,
      refs: { table, row: id },
    },
  ]);
  const { what, text } = TEXTS[(await tenantById(tx, tenantId))?.language ?? "en"];
  const content = { kind: "text" as const, text: text(`${what[table]}${shownId(id)}`) };
  const places = await destinationsOf(tx, tenantId, "operators");
  await writeOutgoing(
    tx,
    { jobs, tenantId, now },
    places.map(({ channelId, chatId }) => ({ channelId, chatId, purpose: "notice", content })),
  );
}

/** Whoever wrote the row chose its id: nothing is shown that could be read as a message or a link. */
function shownId(id: string): string {
  return /^[\w-]{1,40}$/.test(id) ? ` (${id})` : "";
}

interface Texts {
  what: Record<SignedTable, string>;
  text(what: string): string;
}

const TEXTS: Record<Language, Texts> = {
  en: {
    what: {
      api_tokens: "a token of the admin API",
      approval_queue: "a request for approval",
      approval_votes: "somebody's decision on a request",
      contact_identities: "a client's account",
      conversations: "a client's conversation",
      destinations: "a chat of the staff",
      exchange_orders: "an order",
      exchange_settings: "the exchange settings",
      inbox: "a click, command or form",
      row_lists: "a list of rules, accounts or settings",
      staff: "a staff member",
      staff_identities: "a staff member's account",
      tenants: "the office's own row",
      tool_policy: "a rule about tools",
    },
    text: (what) =>
      `ALERT: something other than Countersign has changed the database: ${what}. It is not believed, and nothing is paid on it. Find out who can write the database; then put the row back as it was, or restore a backup.`,
  },
  ru: {
    what: {
      api_tokens: "токен админского API",
      approval_queue: "запрос на одобрение",
      approval_votes: "чьё-то решение по запросу",
      contact_identities: "аккаунт клиента",
      conversations: "разговор с клиентом",
      destinations: "чат сотрудников",
      exchange_orders: "заявка",
      exchange_settings: "настройки обмена",
      inbox: "нажатие, команда или форма",
      row_lists: "список правил, аккаунтов или настроек",
      staff: "сотрудник",
      staff_identities: "аккаунт сотрудника",
      tenants: "собственная строка офиса",
      tool_policy: "правило об инструментах",
    },
    text: (what) =>
      `ТРЕВОГА: базу данных изменил не Countersign: ${what}. Бот этому не верит, и по этой записи ничего не выплачивается. Выясните, кто может писать в базу; затем верните строку как была или восстановите копию.`,
  },
};
