import type { Language } from "../../domain/language.ts";
import type { Stoppable } from "../stops.ts";

interface StopTexts {
  usageStop: string;
  usageResume: string;
  stopped: Record<Stoppable, string>;
  endedBy(what: string): string;
  held(count: number): string[];
  /** By what was to be resumed. */
  notStopped: Record<string, string>;
  notShown: string;
  lookThrough: string;
  nothingOpen: string;
  more(count: number): string;
  goOn(what: string, confirm: string, reason: string): string;
  payoutsGoOn(sent: number): string;
  ordersGoOn: string;
  /** Of one that is approved and not sent. */
  askedAnew(who: string): string;
  /** By kind and status. */
  states: Record<string, string>;
}

/** What staff read of `/stop` and `/resume`; `states` are keyed by kind of row and status. */
export const STOP_TEXTS: Record<Language, StopTexts> = {
  en: {
    usageStop: "Use /stop payouts, /stop orders or /stop all; a reason may follow.",
    usageResume:
      "Use /resume payouts REASON, /resume orders REASON or /resume all REASON; of payouts it shows what to look through first.",
    stopped: {
      payouts: "Nothing that sends money out goes now.",
      orders: "No new order is made now; orders that are open go on.",
    },
    endedBy: (what) => `An admin ends it: /resume ${what} REASON`,
    held: (count) => (count === 0 ? [] : [`Approved and not sent yet, so held: ${count}`]),
    notStopped: {
      payouts: "Payouts are not stopped.",
      orders: "New orders are not stopped.",
      all: "Nothing is stopped.",
    },
    notShown: "You were not shown this list in the last 10 minutes, so nothing was changed.",
    lookThrough:
      "Go through these and compare with the gateway and your books: was it paid meanwhile?",
    nothingOpen:
      "Nothing is open here. Compare the gateway and your books with what clients ask for.",
    more: (count) => `… and ${count} more: GET /api/admin/exchange/orders`,
    goOn: (what, confirm, reason) => `Then send: /resume ${what} ${confirm} ${reason}`,
    payoutsGoOn: (sent) =>
      sent === 0 ? "Payouts go on." : `Payouts go on. Held until now and sent: ${sent}`,
    ordersGoOn: "New orders are taken again.",
    askedAnew: (who) => `the vote of ${who} counts no more: it is not sent, you are asked anew`,
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
    usageStop: "Есть /stop payouts, /stop orders и /stop all; после них можно написать причину.",
    usageResume:
      "Есть /resume payouts ПРИЧИНА, /resume orders ПРИЧИНА и /resume all ПРИЧИНА; для выплат сначала придёт список, что проверить.",
    stopped: {
      payouts: "Деньги сейчас не уходят.",
      orders: "Новые заявки сейчас не создаются; открытые идут дальше.",
    },
    endedBy: (what) => `Возобновляет администратор: /resume ${what} ПРИЧИНА`,
    held: (count) => (count === 0 ? [] : [`Одобрено и ещё не отправлено, задержано: ${count}`]),
    notStopped: {
      payouts: "Выплаты не остановлены.",
      orders: "Новые заявки не остановлены.",
      all: "Ничего не остановлено.",
    },
    notShown: "За последние 10 минут вы этого списка не видели, поэтому ничего не изменено.",
    lookThrough: "Пройдите по списку и сверьте со шлюзом и учётом: не выплачено ли уже?",
    nothingOpen: "Открытого здесь нет. Сверьте шлюз и учёт с тем, о чём просят клиенты.",
    more: (count) => `… и ещё ${count}: GET /api/admin/exchange/orders`,
    goOn: (what, confirm, reason) => `Затем отправьте: /resume ${what} ${confirm} ${reason}`,
    payoutsGoOn: (sent) =>
      sent === 0 ? "Выплаты идут." : `Выплаты идут. Было задержано и отправлено: ${sent}`,
    ordersGoOn: "Новые заявки снова принимаются.",
    askedAnew: (who) => `голос (${who}) больше не считается: не уйдёт, вас спросят заново`,
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
