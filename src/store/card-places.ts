import { and, eq, or, type SQL, sql } from "drizzle-orm";
import type { MessengerName } from "../domain/inbound.ts";
import { queryRows, type Tx } from "./db.ts";
import { type Destination, destinationsOf, listDestinations } from "./destinations.ts";
import { outbox } from "./schema/chat.ts";

interface CardRef {
  tenantId: string;
  approvalId: string;
}

/** Was a card of the request delivered, under an id that is known, in a chat of the operators? */
export async function standsWithOperators(
  tx: Tx,
  { tenantId, approvalId }: CardRef,
): Promise<boolean> {
  const places = await destinationsOf(tx, tenantId, "operators");
  if (places.length === 0) return false;
  const rows = await tx
    .select({ id: outbox.id })
    .from(outbox)
    .where(
      and(
        eq(outbox.tenantId, tenantId),
        eq(outbox.approvalId, approvalId),
        eq(outbox.purpose, "card"),
        eq(outbox.status, "sent"),
        sql`jsonb_array_length(external_ids) > 0`,
        or(...places.map(inPlace)),
      ),
    )
    .limit(1);
  return rows.length > 0;
}

function inPlace({
  channelId,
  chatId,
}: Pick<Destination, "channelId" | "chatId">): SQL | undefined {
  return and(eq(outbox.channelId, channelId), eq(outbox.chatId, chatId));
}

/** A message in which a button was pressed. */
export interface PressedMessage {
  messenger: MessengerName;
  channelId: string;
  chatId: string;
  /** null: the messenger does not tell it. */
  messageId: string | null;
}

/**
 * `card`: a card, or a list, that shows the request. `unsure`: it may be one, as a card of the
 * request was sent there whose id, or that of a first copy, is not known. `none`: it is neither.
 */
export type PressedOn = "card" | "unsure" | "none";

/** What the message is that a button of the request was pressed in. */
export async function pressedOn(
  tx: Tx,
  { tenantId, approvalId }: CardRef,
  { channelId, chatId, messageId }: PressedMessage,
): Promise<PressedOn> {
  const cards = await tx
    .select({ status: outbox.status, attempts: outbox.attempts, ids: outbox.externalIds })
    .from(outbox)
    .where(
      and(
        eq(outbox.tenantId, tenantId),
        or(eq(outbox.approvalId, approvalId), inList({ tenantId, approvalId })),
        eq(outbox.purpose, "card"),
        inPlace({ channelId, chatId }),
      ),
    );
  if (messageId !== null && cards.some(({ ids }) => ids.includes(messageId))) return "card";
  // sent more than once: the earlier copy may stand there, too
  const isUnsure = cards.some(({ status, attempts }) => status !== "sent" || attempts > 1);
  return isUnsure ? "unsure" : "none";
}

/** Rows of lists that name the request. */
function inList({ tenantId, approvalId }: CardRef): SQL {
  return sql`${outbox.id} in (
    select c."outboxId" from approval_digests d
    cross join lateral jsonb_to_recordset(d.cards_json) as c("outboxId" text)
    where d.tenant_id = ${tenantId} and d.posted_at is not null
      and d.items_json @> ${JSON.stringify([{ approvalId }])}::jsonb)`;
}

/** Was the request in a list that answered somebody? Such answers are not recorded as messages. */
export async function wasListedInAnswer(
  tx: Tx,
  { tenantId, approvalId }: CardRef,
): Promise<boolean> {
  const rows = await queryRows(
    tx,
    sql`select 1 from approval_digests where tenant_id = ${tenantId} and posted_at is null
      and items_json @> ${JSON.stringify([{ approvalId }])}::jsonb limit 1`,
  );
  return rows.length > 0;
}

/** `moved`: it has, or had, another id: ids of messages there prove nothing. */
export async function operatorsChat(
  tx: Tx,
  tenantId: string,
  { messenger, chatId }: Pick<PressedMessage, "messenger" | "chatId">,
): Promise<"yes" | "moved" | "no"> {
  const known = await listDestinations(tx, tenantId);
  const here = known.filter(
    (one) =>
      one.messenger === messenger &&
      one.purpose === "operators" &&
      (one.chatId === chatId || one.movedFrom === chatId),
  );
  if (here.length === 0) return "no";
  return here.some(({ movedFrom }) => movedFrom !== null) ? "moved" : "yes";
}
