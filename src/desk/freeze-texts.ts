import type { Language } from "../domain/language.ts";

/** What staff are told of requests that a client objected to. */
export const FREEZE_TEXTS = {
  en: {
    frozen: (names: string) =>
      `✋ The client objects, so nobody can approve this now: ${names}. Ask the client what is wrong; Unfreeze on the card lets people decide again.`,
    tooLate: (names: string) =>
      `✋ The client objects to ${names}, which is already approved and under way or done: it was not stopped. Write to the client.`,
    takenBack: (names: string) =>
      `↩ The client takes the objection back: ${names}. It stays frozen until somebody presses Unfreeze.`,
    refused: (name: string) =>
      `${name} is frozen: the client objected. Press Unfreeze first, once that is cleared up. Nothing was changed.`,
    unfrozen: (name: string) => `${name} is open again: it can be approved or rejected.`,
    sentOn: (name: string) => `${name} goes on: it was approved before the client objected.`,
    notFrozen: (name: string) => `${name} is not frozen. Nothing was changed.`,
    heldBy: (who: string) => `Unfrozen by ${who}`,
  },
  ru: {
    frozen: (names: string) =>
      `✋ Клиент возражает, одобрить сейчас нельзя: ${names}. Спросите клиента, в чём дело; «Разморозить» на карточке снова откроет решение.`,
    tooLate: (names: string) =>
      `✋ Клиент возражает против ${names}, но это уже одобрено и выполняется или выполнено: остановить не получилось. Напишите клиенту.`,
    takenBack: (names: string) =>
      `↩ Клиент снял возражение: ${names}. Останется замороженным, пока кто-нибудь не нажмёт «Разморозить».`,
    refused: (name: string) =>
      `${name} заморожено: клиент возразил. Разберитесь с этим и сначала нажмите «Разморозить». Ничего не изменено.`,
    unfrozen: (name: string) => `${name} снова открыто: можно одобрить или отклонить.`,
    sentOn: (name: string) => `${name} выполняется дальше: одобрено до возражения клиента.`,
    notFrozen: (name: string) => `${name} не заморожено. Ничего не изменено.`,
    heldBy: (who: string) => `Разморожено: ${who}`,
  },
} as const satisfies Record<Language, unknown>;
