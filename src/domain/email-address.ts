import { z } from "zod";

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const LAST_LABEL = "[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])";
const MAILBOX = new RegExp(`^${ATOM}(?:\\.${ATOM})*@(?:${LABEL}\\.)+${LAST_LABEL}$`);
const MOST_CHARS = 254;
/** `Name <address>`, or the address alone. No line may end inside: it would begin a header. */
const SENDER = /^(?:"?([^"<>\p{Cc}]*?)"?\s*<([^<>\s]+)>|([^<>\s]+))$/u;

/** One mailbox and nothing else. Domains in other scripts stand in their `xn--` form. */
export const emailAddress = z.email({ pattern: MAILBOX }).max(MOST_CHARS);

/** The same rule as `emailAddress`, for text that is no argument of a tool. */
export function isEmailAddress(text: string): boolean {
  return text.length <= MOST_CHARS && MAILBOX.test(text);
}

/** Mail servers tell no difference between `A@x.co` and `a@X.co`. */
export function isSameAddress(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}

/** `name` is empty where only an address was given; neither holds a line break. */
export interface Sender {
  name: string;
  address: string;
}

/** Whom letters come from, as the owner wrote it; null: it is no sender. */
export function parseSender(text: string): Sender | null {
  const [, name = "", named, bare] = SENDER.exec(text.trim()) ?? [];
  const address = named ?? bare ?? "";
  return isEmailAddress(address) ? { name: name.trim(), address } : null;
}
