import type { Language } from "../domain/language.ts";

/** What staff are told of requests that a client objected to. */
export const FREEZE_TEXTS = {
  en: {
    clientSays: "client says",
    nextStep: "what now",
    frozen: {
      title: (names: string) => `✋ The client objects, nobody can approve it now: ${names}`,
      next: "Read what the client says, or ask what is wrong; Unfreeze on the card lets people decide again, Reject ends it.",
    },
    tooLate: {
      title: (names: string) => `✋ The client objects too late to ${names}`,
      next: "It is already approved and under way or done: it was not stopped. Write to the client.",
    },
    takenBack: {
      title: (names: string) => `↩ The client takes the objection back: ${names}`,
      next: "It stays frozen until somebody presses Unfreeze.",
    },
    refused: (name: string) =>
      `${name} is frozen: the client objected. Press Unfreeze first, once that is cleared up. Nothing was changed.`,
    unfrozen: (name: string) => `${name} is open again: it can be approved or rejected.`,
    sentOn: (name: string) => `${name} goes on: it was approved before the client objected.`,
    notFrozen: (name: string) => `${name} is not frozen. Nothing was changed.`,
    heldBy: (who: string) => `Unfrozen by ${who}`,
  },
  ru: {
    clientSays: "клиент пишет",
    nextStep: "что дальше",
    frozen: {
      title: (names: string) => `✋ Клиент возражает, одобрить сейчас нельзя: ${names}`,
      next: "Прочитайте, что пишет клиент, или спросите, в чём дело; «Разморозить» на карточке снова откроет решение, «Отклонить» закончит.",
    },
    tooLate: {
      title: (names: string) => `✋ Клиент возражает слишком поздно: ${names}`,
      next: "Это уже одобрено и выполняется или выполнено: остановить не получилось. Напишите клиенту.",
    },
    takenBack: {
      title: (names: string) => `↩ Клиент снял возражение: ${names}`,
      next: "Останется замороженным, пока кто-нибудь не нажмёт «Разморозить».",
    },
    refused: (name: string) =>
      `${name} заморожено: клиент возразил. Разберитесь с этим и сначала нажмите «Разморозить». Ничего не изменено.`,
    unfrozen: (name: string) => `${name} снова открыто: можно одобрить или отклонить.`,
    sentOn: (name: string) => `${name} выполняется дальше: одобрено до возражения клиента.`,
    notFrozen: (name: string) => `${name} не заморожено. Ничего не изменено.`,
    heldBy: (who: string) => `Разморожено: ${who}`,
  },
} as const satisfies Record<Language, unknown>;
