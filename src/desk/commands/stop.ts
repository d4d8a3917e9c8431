import type { Language } from "../../domain/language.ts";
import type { PayoutsToCheck, PayoutToCheck } from "../../store/payouts-to-check.ts";
import {
  LONGEST_REASON,
  type ResumedDesk,
  resumeDesk,
  standingLines,
  stopDesk,
  stoppable,
} from "../stops.ts";
import { ADMINS, type Command, echoed, STAFF, splitArgs } from "./command.ts";
import { STOP_TEXTS } from "./stop-texts.ts";

const CONFIRM = "confirm";

/** At once, by anybody of the staff: no payout, no new order, or neither. */
export const stop: Command = {
  roles: STAFF,
  usage: "payouts | orders | all [REASON]",
  help: {
    en: "stops payouts, new orders or both at once",
    ru: "сразу останавливает выплаты, новые заявки или всё",
  },
  async run(tx, deps, { tenantId, staff, command }) {
    const { dress, clock } = deps;
    const language = dress.staffLanguage;
    const texts = STOP_TEXTS[language];
    const { word, rest } = splitArgs(command.args);
    const what = stoppable(word);
    if (!what) return texts.usageStop;
    const asked = { tenantId, staff, what, reason: rest, now: clock.now() };
    const { stands, held } = await stopDesk(tx, dress, asked);
    const named = {
      payouts: what.includes("payouts") ? stands.payouts : null,
      orders: what.includes("orders") ? stands.orders : null,
    };
    const said = what.map((one) => texts.stopped[one]);
    const lines = [...standingLines(named, language), ...said, texts.endedBy(word)];
    return [...lines, ...texts.held(held)].join("\n");
  },
};

/** Payouts show what has to be looked through first; the word `confirm` ends their stop. */
export const resume: Command = {
  roles: ADMINS,
  namesClients: true,
  usage: "payouts | orders | all [confirm] REASON",
  help: {
    en: "ends a stop; of payouts after a list of what to look through",
    ru: "возобновляет остановленное; выплаты после списка, что проверить",
  },
  async run(tx, deps, { tenantId, staff, command }) {
    const { dress, clock } = deps;
    const texts = STOP_TEXTS[dress.staffLanguage];
    const { word, rest } = splitArgs(command.args);
    const said = splitArgs(rest);
    const confirmed = said.word === CONFIRM;
    const reason = (confirmed ? said.rest : rest).slice(0, LONGEST_REASON);
    const what = stoppable(word);
    if (!what || reason === "") return texts.usageResume;
    const asked = { tenantId, staff, what, reason, confirmed, now: clock.now() };
    const resumed = await resumeDesk(tx, dress, asked);
    return answerOf(resumed, { word, reason, confirmed, language: dress.staffLanguage });
  },
};

function answerOf(
  resumed: ResumedDesk,
  asked: { word: string; reason: string; confirmed: boolean; language: Language },
): string {
  const { word, reason, confirmed, language } = asked;
  const texts = STOP_TEXTS[language];
  switch (resumed.kind) {
    case "not_stopped":
      return texts.notStopped[word] ?? texts.usageResume;
    case "look_through":
      return [
        ...(confirmed ? [texts.notShown] : []),
        ...standingLines({ payouts: resumed.stop, orders: null }, language),
        ...listLines(resumed.list, language),
        texts.goOn(word, CONFIRM, echoed(reason)),
      ].join("\n");
    case "resumed":
      return resumed.what
        .map((one) => (one === "payouts" ? texts.payoutsGoOn(resumed.sent) : texts.ordersGoOn))
        .join("\n");
    default:
      return resumed satisfies never;
  }
}

function listLines({ items, total }: PayoutsToCheck, language: Language): string[] {
  const texts = STOP_TEXTS[language];
  if (items.length === 0) return [texts.nothingOpen];
  const more = total > items.length ? [texts.more(total - items.length)] : [];
  return [texts.lookThrough, ...items.map((one) => `– ${lineOf(one, language)}`), ...more];
}

function lineOf(one: PayoutToCheck, language: Language): string {
  const { name, kind, status, client, about, fallen } = one;
  const texts = STOP_TEXTS[language];
  const state = texts.states[`${kind} ${status}`] ?? status;
  const anew = fallen ? [texts.askedAnew(fallen.join(", "))] : [];
  // a name is what its owner wrote: it must not begin a line of its own
  return [name, state, client, about, ...anew]
    .map((part) => part.replace(/\s+/gu, " "))
    .join(" · ");
}
