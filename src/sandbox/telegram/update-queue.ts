import type { TelegramCore } from "./core.ts";
import type { QueuedUpdate, Update } from "./events.ts";

/** Kinds that a bot gets only when it asks for them by name. */
const OPT_IN_TYPES = ["message_reaction", "message_reaction_count", "chat_member"];
const DEFAULT_TYPES = [
  "message",
  "edited_message",
  "channel_post",
  "edited_channel_post",
  "business_connection",
  "business_message",
  "edited_business_message",
  "deleted_business_messages",
  "inline_query",
  "chosen_inline_result",
  "callback_query",
  "shipping_query",
  "pre_checkout_query",
  "purchased_paid_media",
  "poll",
  "poll_answer",
  "my_chat_member",
  "chat_join_request",
  "chat_boost",
  "removed_chat_boost",
];

const DAY_MS = 86_400_000;
const CALLBACK_LIFE_MS = 150_000;

/** Names that do not exist are dropped; an empty list means the default set. */
export function knownTypes(types: readonly unknown[]): string[] {
  const all = new Set<unknown>([...DEFAULT_TYPES, ...OPT_IN_TYPES]);
  return types.filter((type): type is string => all.has(type));
}

/** Updates with their ids, in order; those that the bot did not ask for are left out. */
export function makeUpdates(
  core: TelegramCore,
  wanted: readonly (readonly [kind: string, body: unknown])[],
): QueuedUpdate[] {
  return wanted
    .filter(([kind]) => isAllowed(core, kind))
    .map(([kind, body], index) => {
      const update = { update_id: core.state.last.updateId + 1 + index, [kind]: body };
      return { update, expiresAt: expiryOf(core, update) };
    });
}

/** An update as somebody made it up, whatever the bot asked for. */
export function injectUpdate(core: TelegramCore, update: Update): QueuedUpdate {
  return { update, expiresAt: expiryOf(core, update), outOfOrder: true };
}

/**
 * In the order in which the bot will get them; expired ones are left out and stay until dropped.
 */
export function pendingUpdates(core: TelegramCore) {
  const now = core.world.clock.now();
  return core.state.queue.filter(({ expiresAt }) => expiresAt > now);
}

/** The kind of an update: the name of its field besides the id. */
export function kindOf(update: Update): string {
  return Object.keys(update).find((key) => key !== "update_id") ?? "empty";
}

/**
 * What one delivery hands over. Ids in it only grow, because the bot confirms by the last one.
 * `lost` says that a played fault swallowed the first attempt of an update.
 */
export function takeBatch(core: TelegramCore, limit: number): { updates: Update[]; lost: boolean } {
  dropExpired(core);
  const updates: Update[] = [];
  let lost = false;
  for (const { update, attempts } of core.state.queue) {
    const lastId = updates.at(-1)?.update_id ?? Number.NEGATIVE_INFINITY;
    if (updates.length >= limit || update.update_id <= lastId) break;
    lost = attempts === 0 && core.world.faults.take("telegram", ["lose_first"]) !== undefined;
    if (lost) {
      core.emit("delivery_lost", { updateId: update.update_id });
      break;
    }
    updates.push(update);
  }
  if (updates.length > 0) {
    core.emit("delivered", { updateIds: updates.map(({ update_id }) => update_id) });
  }
  return { updates, lost };
}

/** A positive offset confirms all before it; a negative one keeps that many of the newest. */
export function confirmByOffset(core: TelegramCore, offset: number): void {
  const { queue } = core.state;
  const confirmed =
    offset < 0
      ? queue.slice(0, Math.max(0, queue.length + offset))
      : queue.filter(
          ({ update, attempts, outOfOrder }) =>
            update.update_id < offset && (attempts > 0 || !outOfOrder),
        );
  confirm(core, confirmed);
}

/** As `drop_pending_updates` asks for it. */
export function dropPending(core: TelegramCore): void {
  confirm(core, core.state.queue);
}

function confirm(core: TelegramCore, updates: readonly QueuedUpdate[]): void {
  if (updates.length === 0) return;
  core.emit("confirmed", { updateIds: updates.map(({ update }) => update.update_id) });
}

/** The journal says so, or a replay would have them still. */
export function dropExpired(core: TelegramCore): void {
  const now = core.world.clock.now();
  const expired = core.state.queue.filter(({ expiresAt }) => expiresAt <= now);
  if (expired.length === 0) return;
  core.emit("expired", { updateIds: expired.map(({ update }) => update.update_id) });
}

function isAllowed({ state }: TelegramCore, kind: string): boolean {
  if (state.allowedUpdates.length > 0) return state.allowedUpdates.includes(kind);
  return !OPT_IN_TYPES.includes(kind);
}

function expiryOf({ world }: TelegramCore, update: Update): number {
  return world.clock.now() + ("callback_query" in update ? CALLBACK_LIFE_MS : DAY_MS);
}
