import type { Language } from "../../domain/language.ts";
import { shownTime } from "../texts.ts";

/** What staff are told of a code. `mask` is all of it that others may read. */
export const CODE_TEXTS = {
  en: {
    askOpen: "Type the code into the form. If none has opened, press once more.",
    askReply: "Answer my question with the code. I delete your message at once.",
    again: "Type the code again.",
    noPayout: (order: string, status: string) =>
      `${order} is ${status}, not being paid out: it takes no code. Nothing was changed.`,
    sentBefore: (order: string) =>
      `A code for ${order} was sent already. Nothing was changed; another one cannot be sent here.`,
    otherTyping: (order: string, who: string, until: string) =>
      `${who} has typed a code for ${order} and can send it until ${until}. Nothing was changed.`,
    nothingTyped: (order: string) => `No code for ${order} waits to be sent. Type it first.`,
    notYours: (who: string) =>
      `${who} typed this code, so only ${who} can send it. Nothing was changed.`,
    ended: "This code's time has passed meanwhile. Nothing was sent; type another one.",
    typed: (typed: { order: string; code: string; until: number | null }) =>
      `You typed ${typed.code} for ${typed.order}${until(typed, ", valid until ")} – send it?`,
    typedMasked: (typed: { order: string; mask: string; who: string; until: number | null }) =>
      `${typed.order}: code ${typed.mask}, typed by ${typed.who}${until(typed, ", valid until ")}. Send shows the whole code to ${typed.who} first.`,
    check: (order: string, mask: string) => `${order}: code ${mask}. Press Send once more to send.`,
    checkWhole: (typed: { order: string; code: string; until: number | null }) =>
      `${typed.order}: ${typed.code}${until(typed, ", until ")}. Right? Press Send once more.`,
    sent: (order: string, mask: string) => `${order}: code ${mask} is on its way to the client.`,
    send: "Send",
    typeAgain: "Type again",
    card: "Code",
    cardValue: (mask: string, who: string, when: number, ends: number | null) =>
      `${mask}, sent by ${who}, ${shownTime(when)}${until({ until: ends }, ", valid until ")}`,
    notDeleted:
      "I could not delete your message with the code: delete it yourself, and make me an administrator who may delete messages.",
    handedOver: (who: string, when: string) => `Handed over: ${who}, ${when}`,
    underWay: "The payout gateway has not said yet how this payout ended. Nothing was changed.",
  },
  ru: {
    askOpen: "Введите код в форму. Если она не открылась, нажмите ещё раз.",
    askReply: "Ответьте кодом на мой вопрос. Ваше сообщение я сразу удалю.",
    again: "Введите код ещё раз.",
    noPayout: (order: string, status: string) =>
      `${order} в состоянии ${status}, не на выдаче: код ей не нужен. Ничего не изменено.`,
    sentBefore: (order: string) =>
      `Код для ${order} уже отправлен. Ничего не изменено; другой отсюда отправить нельзя.`,
    otherTyping: (order: string, who: string, until: string) =>
      `${who} уже вводит код для ${order} и может отправить его до ${until}. Ничего не изменено.`,
    nothingTyped: (order: string) => `Для ${order} нет введённого кода. Сначала введите его.`,
    notYours: (who: string) =>
      `Этот код вводит ${who}, отправить может только он или она. Ничего не изменено.`,
    ended: "Срок этого кода уже вышел. Ничего не отправлено; введите другой.",
    typed: (typed: { order: string; code: string; until: number | null }) =>
      `Вы ввели ${typed.code} для ${typed.order}${until(typed, ", действует до ")} – отправить?`,
    typedMasked: (typed: { order: string; mask: string; who: string; until: number | null }) =>
      `${typed.order}: код ${typed.mask}, ввёл ${typed.who}${until(typed, ", действует до ")}. «Отправить» сначала покажет весь код, только для ${typed.who}.`,
    check: (order: string, mask: string) =>
      `${order}: код ${mask}. Нажмите «Отправить» ещё раз, и он уйдёт клиенту.`,
    checkWhole: (typed: { order: string; code: string; until: number | null }) =>
      `${typed.order}: ${typed.code}${until(typed, ", до ")}. Верно? Нажмите «Отправить» ещё раз.`,
    sent: (order: string, mask: string) => `${order}: код ${mask} отправляется клиенту.`,
    send: "Отправить",
    typeAgain: "Ввести заново",
    card: "Код",
    cardValue: (mask: string, who: string, when: number, ends: number | null) =>
      `${mask}, отправил ${who}, ${shownTime(when)}${until({ until: ends }, ", действует до ")}`,
    notDeleted:
      "Не удалось удалить ваше сообщение с кодом: удалите его сами и сделайте меня администратором с правом удалять сообщения.",
    handedOver: (who: string, when: string) => `Выдано: ${who}, ${when}`,
    underWay: "Платёжный шлюз ещё не сообщил, чем кончилась эта выплата. Ничего не изменено.",
  },
} as const satisfies Record<Language, unknown>;

function until({ until: ends }: { until: number | null }, words: string): string {
  return ends === null ? "" : `${words}${shownTime(ends)}`;
}
