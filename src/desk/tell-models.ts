import type { Language } from "../domain/language.ts";
import type { PoolChange } from "../domain/model-desk.ts";
import { writeAudit } from "../store/audit.ts";
import type { AuditEvent } from "../store/audit-events.ts";
import { newestOf } from "../store/audit-newest.ts";
import type { Tx } from "../store/db.ts";
import type { WriteOutgoing } from "../store/outbox.ts";
import { announce } from "./announce.ts";

/** The same is not told again within this time, whichever process sees it. Product time. */
const AGAIN_MS = 10 * 60_000;

const EVENTS: Record<PoolChange["level"], AuditEvent> = {
  full: "models.well",
  degraded: "models.degraded",
  all_cooling: "models.gone",
  none: "models.gone",
};

/** A line in the operators' chats and in the trail; nothing when people know it already. */
export async function tellModels(
  tx: Tx,
  write: WriteOutgoing,
  { change, language }: { change: PoolChange; language: Language },
): Promise<void> {
  const { tenantId, now } = write;
  const eventType = EVENTS[change.level];
  const last = await newestOf(tx, { tenantId, eventTypes: Object.values(EVENTS) });
  const isBad = last !== null && last.eventType !== "models.well";
  if (change.level === "full" && !isBad) return;
  if (last?.eventType === eventType && now - last.createdAt < AGAIN_MS) return;
  const { en } = textsOf(change);
  await writeAudit(tx, [{ tenantId, eventType, summary: en, createdAt: now }]);
  await announce(tx, write, textsOf(change)[language]);
}

function textsOf({ level, providersUsable, providersTotal }: PoolChange): Record<Language, string> {
  switch (level) {
    case "full":
      return { en: "The language models answer again.", ru: "Языковые модели снова отвечают." };
    case "degraded":
      return {
        en: `Of ${providersTotal} providers of language models ${providersUsable} can be asked. Clients are answered, but nobody stands in any more. npm run doctor says what is wrong.`,
        ru: `Из ${providersTotal} поставщиков языковых моделей доступен ${providersUsable}. Клиентам бот отвечает, но замены больше нет. Что не так, скажет npm run doctor.`,
      };
    case "all_cooling":
      return {
        en: "ALERT: no language model answers. The bot asks again by itself; until then clients are handed to people. npm run doctor says what is wrong.",
        ru: "ТРЕВОГА: ни одна языковая модель не отвечает. Бот пробует снова сам; до тех пор клиентов получают люди. Что не так, скажет npm run doctor.",
      };
    case "none":
      return {
        en: "ALERT: no language model can be asked: a key is rejected or missing, or an account is used up. Clients are handed to people. Set or renew the key (npm run doctor says which), then reload the models or restart.",
        ru: "ТРЕВОГА: ни одну языковую модель нельзя спросить: ключ не принят или не задан, либо счёт исчерпан. Клиентов получают люди. Задайте или обновите ключ (какой, скажет npm run doctor), затем перечитайте модели или перезапустите бота.",
      };
    default:
      return level satisfies never;
  }
}
