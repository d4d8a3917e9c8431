import { and, eq, inArray } from "drizzle-orm";
import type { CandidateStatus } from "../domain/candidate.ts";
import { newId } from "../domain/ids.ts";
import type { JsonObject } from "../domain/json.ts";
import type { KycStatus } from "../domain/kyc.ts";
import type { Language } from "../domain/language.ts";
import type { ToolReply } from "../domain/tool.ts";
import { insertAccount } from "./contact-accounts.ts";
import { nextNumber } from "./counters.ts";
import type { Tx } from "./db.ts";
import { insertOrder, type NewOrder } from "./orders.ts";
import { macOf } from "./row-mac.ts";
import { contactAttributes, contacts, conversations, messages } from "./schema/chat.ts";
import { exchangeOrders } from "./schema/exchange.ts";
import { toolCallCandidates } from "./schema/tools.ts";
import { storable } from "./storable.ts";

export interface ScenePerson {
  name: string;
  kyc: KycStatus;
  email: string | null;
  emailVerified: boolean;
  /** Fields of the card. */
  attributes: Record<string, string>;
  order: SceneOrder | null;
}

/** Without what the scene itself gives it. `number`: null: the next one. */
export type SceneOrder = Omit<
  NewOrder,
  "tenantId" | "conversationId" | "contactId" | "number" | "quoteId" | "createdAt"
> & { number: number | null };

/** One entry of the conversation so far. A call stands with the result it had then. */
export type SceneLine =
  | { author: "lead" | "bot" | "staff"; kind: "text"; text: string }
  | { author: "system"; kind: "event"; text: string }
  | { author: "bot"; kind: "calls"; tool: string; args: JsonObject; reply: ToolReply };

/** A client in the middle of a conversation, as rows would tell of it. */
export interface Scene {
  tenantId: string;
  channelId: string;
  language: Language;
  stage: string;
  client: ScenePerson;
  /** Other clients of the tenant, with chats of their own. */
  others: ScenePerson[];
  before: SceneLine[];
  now: number;
}

/** `userId`: of the client in the messenger. */
export interface SceneRefs {
  contactId: string;
  conversationId: string;
  chatId: string;
  userId: string;
  /** Of everybody in it. */
  contactIds: string[];
  /** What the bot said before belongs to these runs, which have no rows of their own. */
  earlierRunIds: string[];
}

/** Between two lines of what was said before. */
const LINE_MS = 20_000;

/** For the lab of the evals alone: writes people, orders and what was said, past every check. */
export async function writeScene(tx: Tx, scene: Scene): Promise<SceneRefs> {
  const own = await addPerson(tx, scene, scene.client);
  const contactIds = [own.contactId];
  for (const other of scene.others) contactIds.push((await addPerson(tx, scene, other)).contactId);
  const startedAt = scene.now - scene.before.length * LINE_MS;
  const earlierRunIds: string[] = [];
  for (const [index, line] of scene.before.entries()) {
    const runId = line.author === "bot" ? newId() : null;
    if (runId !== null) earlierRunIds.push(runId);
    await addLine(tx, scene, line, { ...own, runId, at: startedAt + index * LINE_MS });
  }
  return { ...own, contactIds, earlierRunIds };
}

/** Takes orders and addresses away, so that those of the next scene are the only ones of their name. */
export async function clearScene(tx: Tx, tenantId: string, { contactIds }: SceneRefs) {
  await tx
    .delete(exchangeOrders)
    .where(
      and(eq(exchangeOrders.tenantId, tenantId), inArray(exchangeOrders.contactId, contactIds)),
    );
  await tx
    .update(contacts)
    .set({ email: null })
    .where(and(eq(contacts.tenantId, tenantId), inArray(contacts.id, contactIds)));
}

async function addPerson(tx: Tx, scene: Scene, person: ScenePerson) {
  const { tenantId, channelId, now, stage, language } = scene;
  const contactId = newId();
  const userId = newId();
  await tx.insert(contacts).values({
    ...{ id: contactId, tenantId, name: person.name, email: person.email, createdAt: now },
    emailVerifiedAt: person.email !== null && person.emailVerified ? now : null,
    attributes: person.kyc === "missing" ? {} : { exchangeKyc: kycOf(person.kyc) },
  });
  const account = { messenger: "telegram" as const, teamId: "", userId };
  await insertAccount(tx, { tenantId, contactId, ...account });
  const fields = Object.entries(person.attributes);
  if (fields.length > 0)
    await tx.insert(contactAttributes).values(
      fields.map(([name, value]) => ({
        ...{ tenantId, contactId, name, value, updatedBy: contactId, updatedAt: now },
      })),
    );
  const place = {
    ...{ id: newId(), tenantId, contactId, channelId, messenger: "telegram" as const },
    chatId: userId,
  };
  await tx.insert(conversations).values({
    ...{ ...place, mac: macOf(tx, "conversations", place), stage, language },
    ...{ createdAt: now, updatedAt: now },
  });
  const who = { contactId, conversationId: place.id, chatId: userId, userId };
  if (person.order) await addOrder(tx, scene, person.order, who);
  return who;
}

function kycOf(status: KycStatus) {
  return status === "verified" ? { status, verificationId: `ver-${newId()}` } : { status };
}

/** Ordered before the first line was said. */
async function addOrder(
  tx: Tx,
  { tenantId, now, before }: Scene,
  order: SceneOrder,
  { contactId, conversationId }: { contactId: string; conversationId: string },
): Promise<void> {
  const number = order.number ?? (await nextNumber(tx, tenantId, { name: "order", first: 20_001 }));
  const created = await insertOrder(tx, {
    ...order,
    ...{ number, tenantId, contactId, conversationId, quoteId: newId() },
    createdAt: now - (before.length + 1) * LINE_MS,
  });
  if (!created) throw new Error(`order EX-${number} is there already; give it another number`);
}

interface LinePlace {
  conversationId: string;
  contactId: string;
  runId: string | null;
  at: number;
}

async function addLine(tx: Tx, scene: Scene, line: SceneLine, place: LinePlace): Promise<void> {
  const { tenantId } = scene;
  const { conversationId, runId, at } = place;
  const id = newId();
  await tx.insert(messages).values(
    storable({
      ...{ id, tenantId, conversationId, runId, author: line.author, kind: line.kind },
      ...{ text: line.kind === "calls" ? "" : line.text, createdAt: at },
    }),
  );
  if (line.kind !== "calls") return;
  const status = statusOf(line.reply);
  await tx.insert(toolCallCandidates).values(
    storable({
      ...{ id: newId(), tenantId, runId, conversationId, messageId: id, ordinal: 0, cycle: 0 },
      ...{ source: "model" as const, maker: place.contactId, toolName: line.tool },
      ...{ argumentsRaw: JSON.stringify(line.args), argumentsJson: line.args },
      ...{ argumentsHash: newId(), schemaVersion: 1, status, reply: line.reply },
      ...{ code: line.reply.error?.code ?? null, createdAt: at, settledAt: at },
    }),
  );
}

/** As the call that gave this result stood in its row. */
function statusOf({ ok, status, error }: ToolReply): CandidateStatus {
  if (status === "waiting_approval") return "waiting_approval";
  if (ok) return "executed";
  if (error?.code === "INVALID_ARGUMENTS") return "schema_failed";
  return status === "denied" ? "blocked_by_policy" : "failed";
}
