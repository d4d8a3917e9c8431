/** Ids are numbers in the Bot API; a public chat may also be named. */
export function toChatId(chatId: string): number | string {
  const id = Number(chatId);
  return Number.isSafeInteger(id) ? id : chatId;
}
