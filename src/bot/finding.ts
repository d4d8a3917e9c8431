import type { DestinationPurpose } from "../store/destinations.ts";

/** One thing that was looked at in a messenger, in the owner's words; no secret is in it. */
export interface Finding {
  ok: boolean;
  what: string;
  /** What to do; empty when there is nothing. A finding that is ok and has one is a mere note. */
  nextStep: string;
  /** The messenger takes nothing from us at all before that is done. */
  stops?: true;
}

/** A chat of the staff's, to be looked at. */
export interface StaffChat {
  chatId: string;
  purpose: DestinationPurpose;
}

/** Nothing has to be done. */
export function isWell(what: string): Finding {
  return { ok: true, what, nextStep: "" };
}

/** It works, and could be better. */
export function note(what: string, nextStep: string): Finding {
  return { ok: true, what, nextStep };
}

/** Something will not work before `nextStep` is done. */
export function problem(what: string, nextStep: string): Finding {
  return { ok: false, what, nextStep };
}

/** Nothing at all will work before `nextStep` is done. */
export function refusal(what: string, nextStep: string): Finding {
  return { ...problem(what, nextStep), stops: true };
}

/** A chat that serves several purposes is looked at once. */
export function purposesByChat(
  chats: readonly StaffChat[],
): Map<string, Set<StaffChat["purpose"]>> {
  const all = new Map<string, Set<StaffChat["purpose"]>>();
  for (const { chatId, purpose } of chats)
    all.set(chatId, (all.get(chatId) ?? new Set()).add(purpose));
  return all;
}
