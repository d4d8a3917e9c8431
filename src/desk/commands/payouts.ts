import type { Language } from "../../domain/language.ts";
import { stopPayouts } from "../../store/payout-stop.ts";
import type { PayoutsToCheck, PayoutToCheck } from "../../store/payouts-to-check.ts";
import { waitingPayouts } from "../../store/waiting-payouts.ts";
import { stoppedSince } from "../payouts-stopped.ts";
import { resumePayouts } from "../resume-payouts.ts";
import { ADMINS, type Command, echoed, STAFF, splitArgs } from "./command.ts";

const LONGEST_REASON = 300;
const CONFIRM = "confirm";

/** At once, by anybody of the staff: nothing that sends money out goes any more. */
export const stop: Command = {
  roles: STAFF,
  usage: "payouts REASON",
  help: { en: "stops all payouts at once", ru: "сразу останавливает все выплаты" },
  async run(tx, deps, { tenantId, staff, command }) {
    const language = deps.dress.staffLanguage;
    const texts = TEXTS[language];
    const { word, rest } = splitArgs(command.args);
    if (word !== "payouts" || rest === "") return texts.usageStop;
    const stopping = { tenantId, by: staff.id, now: deps.clock.now() };
    const stands = await stopPayouts(tx, { ...stopping, reason: rest.slice(0, LONGEST_REASON) });
    const held = await waitingPayouts(tx, tenantId);
    return [stoppedSince(stands, language), texts.stopped, ...texts.held(held.length)].join("\n");
  },
};

/** First the list of what has to be looked through; the word `confirm` ends the stop. */
export const resume: Command = {
  roles: ADMINS,
  namesClients: true,
  usage: "payouts [confirm] REASON",
  help: {
    en: "shows what to look through, then ends a stop of payouts",
    ru: "показывает, что проверить, и возобновляет выплаты",
  },
  async run(tx, deps, { tenantId, staff, command }) {
    const language = deps.dress.staffLanguage;
    const texts = TEXTS[language];
    const { word, rest } = splitArgs(command.args);
    const said = splitArgs(rest);
    const confirmed = said.word === CONFIRM;
    const reason = (confirmed ? said.rest : rest).slice(0, LONGEST_REASON);
    if (word !== "payouts" || reason === "") return texts.usageResume;
    const by = { tenantId, by: staff.id, now: deps.clock.now() };
    const resumed = await resumePayouts(tx, deps.dress.jobs, { ...by, reason, confirmed });
    switch (resumed.kind) {
      case "not_stopped":
        return texts.notStopped;
      case "look_through":
        return [
          ...(confirmed ? [texts.notShown] : []),
          stoppedSince(resumed.stop, language),
          ...listLines(resumed.list, language),
          texts.goOn(echoed(reason)),
        ].join("\n");
      case "resumed":
        return texts.resumed(resumed.sent);
      default:
        return resumed satisfies never;
    }
  },
};

function listLines({ items, total }: PayoutsToCheck, language: Language): string[] {
  const texts = TEXTS[language];
  if (items.length === 0) return [texts.nothingOpen];
  const more = total > items.length ? [texts.more(total - items.length)] : [];
  return [texts.lookThrough, ...items.map((one) => `– ${lineOf(one, language)}`), ...more];
}

function lineOf({ name, kind, status, client, about }: PayoutToCheck, language: Language): string {
  const state = TEXTS[language].states[`${kind} ${status}`] ?? status;
  // a name is what its owner wrote: it must not begin a line of its own
  return [name, state, client, about].map((part) => part.replace(/\s+/gu, " ")).join(" · ");
}

interface PayoutTexts {
  usageStop: string;
  usageResume: string;
  stopped: string;
  held(count: number): string[];
  notStopped: string;
  notShown: string;
  lookThrough: string;
  nothingOpen: string;
  more(count: number): string;
  goOn(reason: string): string;
  resumed(sent: number): string;
  /** By kind and status. */
  states: Record<string, string>;
}

const TEXTS: Record<Language, PayoutTexts> = {
  en: {
    usageStop: "Use /stop payouts REASON.",
    usageResume: "Use /resume payouts REASON; it shows what to look through first.",
    stopped: "Nothing that sends money out goes now. An admin ends it: /resume payouts REASON",
    held: (count) => (count === 0 ? [] : [`Approved and not sent yet, so held: ${count}`]),
    notStopped: "Payouts are not stopped.",
    notShown: "You were not shown this list in the last 10 minutes, so nothing was changed.",
    lookThrough:
      "Go through these and compare with the gateway and your books: was it paid meanwhile?",
    nothingOpen:
      "Nothing is open here. Compare the gateway and your books with what clients ask for.",
    more: (count) => `… and ${count} more: GET /api/admin/exchange/orders`,
    goOn: (reason) => `Then send: /resume payouts ${CONFIRM} ${reason}`,
    resumed: (sent) =>
      sent === 0 ? "Payouts go on." : `Payouts go on. Held until now and sent: ${sent}`,
    states: {
      "execution queued": "approved, not sent",
      "execution retry_scheduled": "approved, tried again later",
      "execution running": "being sent",
      "execution unknown": "outcome not known, looked up",
      "execution waiting_approval": "outcome not known, you are asked",
      "order paid": "paid by the client",
      "order payout": "being paid out",
      "order awaiting_payment": "waits for the client's payment",
      "approval pending": "waits for a decision",
      "approval frozen": "frozen",
    },
  },
  ru: {
    usageStop: "Напишите /stop payouts ПРИЧИНА.",
    usageResume: "Напишите /resume payouts ПРИЧИНА; сначала придёт список, что проверить.",
    stopped: "Деньги сейчас не уходят. Возобновляет администратор: /resume payouts ПРИЧИНА",
    held: (count) => (count === 0 ? [] : [`Одобрено и ещё не отправлено, задержано: ${count}`]),
    notStopped: "Выплаты не остановлены.",
    notShown: "За последние 10 минут вы этого списка не видели, поэтому ничего не изменено.",
    lookThrough: "Пройдите по списку и сверьте со шлюзом и учётом: не выплачено ли уже?",
    nothingOpen: "Открытого здесь нет. Сверьте шлюз и учёт с тем, о чём просят клиенты.",
    more: (count) => `… и ещё ${count}: GET /api/admin/exchange/orders`,
    goOn: (reason) => `Затем отправьте: /resume payouts ${CONFIRM} ${reason}`,
    resumed: (sent) =>
      sent === 0 ? "Выплаты идут." : `Выплаты идут. Было задержано и отправлено: ${sent}`,
    states: {
      "execution queued": "одобрено, не отправлено",
      "execution retry_scheduled": "одобрено, будет повтор",
      "execution running": "отправляется",
      "execution unknown": "исход неизвестен, выясняется",
      "execution waiting_approval": "исход неизвестен, спрашивают вас",
      "order paid": "клиент оплатил",
      "order payout": "выдаётся",
      "order awaiting_payment": "ждёт оплаты клиента",
      "approval pending": "ждёт решения",
      "approval frozen": "заморожено",
    },
  },
};
