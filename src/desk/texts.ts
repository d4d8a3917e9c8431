import type { Language } from "../domain/language.ts";

/** What staff are told in private. */
export const DESK_TEXTS: Record<Language, DeskTexts> = {
  en: {
    notAllowed: "You have no right to decide here. Nothing was changed.",
    ownRequest: "This came from your own account: somebody else must decide. Nothing was changed.",
    needsAdmin: "Only an admin may decide this. Nothing was changed.",
    gone: "This request does not exist any more. Nothing was changed.",
    votedBefore: "Your approval is counted already.",
    underWay: "The same action is already under way. Nothing was changed.",
    approved: (name) => `${name} approved. It is being carried out.`,
    counted: (name, votes, needed) => `${name}: approval ${votes} of ${needed} counted.`,
    rejected: (name) => `${name} rejected.`,
    reasonSaved: "The reason is noted.",
    reasonStands: (reason) => `A reason was given already: ${reason}`,
    decided: (status, who, when) =>
      `Already ${status}${who ? ` by ${who}` : ""}${when ? ` at ${when}` : ""}. Nothing was changed.`,
    outcomeApproved: (who, when) => `Approved by ${who}, ${when}`,
    outcomeRejected: (who, when, reason) =>
      `Rejected by ${who}, ${when}${reason ? `: ${reason}` : ""}`,
    outcomeExpired: "Expired: nobody decided in time. Not executed.",
    outcomeHappened: (who, when) => `${who} says it happened, ${when}`,
    outcomeNotHappened: (who, when) => `${who} says it did not happen, ${when}`,
    status: {
      approved: "approved",
      rejected: "rejected",
      expired: "expired",
      superseded: "superseded by a newer request",
      cancelled: "cancelled",
      frozen: "frozen",
      pending: "pending",
    },
    rejectTitle: "Reject",
    rejectReason: "Reason (the client is told)",
    rejectReasonInside: "Reason (the staff reads it)",
    unknownCommand: (name, known) => `I do not know /${name}. Known here: ${known}.`,
    adminOnly: "Only an admin may do this. Nothing was changed.",
    forStaff: "Commands here are for the staff. Just write what you need.",
    notStaff: (id) =>
      `Commands here are for the staff. Just write what you need. New on the staff? Your id is ${id}: an admin adds you.`,
    editedCommand: "Edited commands are not carried out; send it anew.",
    elsewhere: (name) =>
      `The answer names clients, and everybody in this group would read it. Use /${name} in the operators' group or in a private chat with me.`,
    whoami: ({ name, role, id }) => `${name}, ${role}. Your id: ${id}`,
    whoamiStranger: (id) =>
      `Your id: ${id}. Clients need none: just write what you need. New on the staff? Give it to an admin.`,
    doneBefore: "Already done. Nothing was changed.",
    resentBefore: "It was sent again already. Nothing was changed.",
    outcomeOver: (when) => `Settled, ${when}`,
    outcomeDone: (who, when) => `Done: ${who}, ${when}`,
    outcomeResent: (who, when) => `Sent again: ${who}, ${when}`,
    failed: "That did not work. Nothing was changed; please try again in a minute.",
    unknownButton: "This button does nothing any more.",
  },
  ru: {
    notAllowed: "У вас нет права решать здесь. Ничего не изменено.",
    ownRequest:
      "Запрос пришёл с вашего аккаунта: решить должен другой человек. Ничего не изменено.",
    needsAdmin: "Это решает только администратор. Ничего не изменено.",
    gone: "Такого запроса больше нет. Ничего не изменено.",
    votedBefore: "Ваше одобрение уже учтено.",
    underWay: "Такое же действие уже выполняется. Ничего не изменено.",
    approved: (name) => `${name} одобрено. Выполняется.`,
    counted: (name, votes, needed) => `${name}: учтено одобрение ${votes} из ${needed}.`,
    rejected: (name) => `${name} отклонено.`,
    reasonSaved: "Причина записана.",
    reasonStands: (reason) => `Причина уже указана: ${reason}`,
    decided: (status, who, when) =>
      `Уже ${status}${who ? `: ${who}` : ""}${when ? `, ${when}` : ""}. Ничего не изменено.`,
    outcomeApproved: (who, when) => `Одобрено: ${who}, ${when}`,
    outcomeRejected: (who, when, reason) =>
      `Отклонено: ${who}, ${when}${reason ? `: ${reason}` : ""}`,
    outcomeExpired: "Срок вышел: никто не решил вовремя. Не выполнено.",
    outcomeHappened: (who, when) => `${who}: это произошло, ${when}`,
    outcomeNotHappened: (who, when) => `${who}: этого не произошло, ${when}`,
    status: {
      approved: "одобрено",
      rejected: "отклонено",
      expired: "срок вышел",
      superseded: "заменено новым запросом",
      cancelled: "отменено",
      frozen: "заморожено",
      pending: "ждёт решения",
    },
    rejectTitle: "Отклонить",
    rejectReason: "Причина (её узнает клиент)",
    rejectReasonInside: "Причина (её увидят сотрудники)",
    unknownCommand: (name, known) => `Не знаю команды /${name}. Здесь есть: ${known}.`,
    adminOnly: "Это может только администратор. Ничего не изменено.",
    forStaff: "Команды здесь только для сотрудников. Просто напишите, что вам нужно.",
    notStaff: (id) =>
      `Команды здесь только для сотрудников. Просто напишите, что вам нужно. Вы новый сотрудник? Ваш id ${id}: вас добавит администратор.`,
    editedCommand: "Изменённые команды не выполняются; отправьте её заново.",
    elsewhere: (name) =>
      `В ответе есть имена клиентов, а в этой группе его прочтут все. Отправьте /${name} в группе операторов или мне в личный чат.`,
    whoami: ({ name, role, id }) => `${name}, ${role}. Ваш id: ${id}`,
    whoamiStranger: (id) =>
      `Ваш id: ${id}. Клиентам он не нужен: просто напишите, что вам нужно. Вы новый сотрудник? Передайте его администратору.`,
    doneBefore: "Уже готово. Ничего не изменено.",
    resentBefore: "Ответ уже отправлен ещё раз. Ничего не изменено.",
    outcomeOver: (when) => `Вопрос решён, ${when}`,
    outcomeDone: (who, when) => `Готово: ${who}, ${when}`,
    outcomeResent: (who, when) => `Отправлено ещё раз: ${who}, ${when}`,
    failed: "Не получилось. Ничего не изменено; попробуйте ещё раз через минуту.",
    unknownButton: "Эта кнопка больше ничего не делает.",
  },
};

/**
 * What staff read of requests, in their language. Names are put in as they are: the messengers'
 * edges escape them.
 */
export interface DeskTexts {
  notAllowed: string;
  ownRequest: string;
  needsAdmin: string;
  gone: string;
  votedBefore: string;
  underWay: string;
  approved(name: string): string;
  counted(name: string, votes: number, needed: number): string;
  rejected(name: string): string;
  reasonSaved: string;
  reasonStands(reason: string): string;
  decided(status: string, who: string | null, when: string | null): string;
  outcomeApproved(who: string, when: string): string;
  outcomeRejected(who: string, when: string, reason: string | null): string;
  outcomeExpired: string;
  outcomeHappened(who: string, when: string): string;
  outcomeNotHappened(who: string, when: string): string;
  status: Record<string, string>;
  rejectTitle: string;
  rejectReason: string;
  /** Of a request that no client made. */
  rejectReasonInside: string;
  unknownCommand(name: string, known: string): string;
  adminOnly: string;
  /** To a client. */
  forStaff: string;
  /** To somebody who may be either: a client, or new on the staff. */
  notStaff(id: string): string;
  editedCommand: string;
  /** A command whose answer names clients, in a group that is not the staff's. */
  elsewhere(name: string): string;
  whoami(who: { name: string; role: string; id: string }): string;
  whoamiStranger(id: string): string;
  doneBefore: string;
  resentBefore: string;
  outcomeOver(when: string): string;
  outcomeDone(who: string, when: string): string;
  outcomeResent(who: string, when: string): string;
  failed: string;
  unknownButton: string;
}

/** As a card says a time: minutes, UTC. */
export function shownTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
