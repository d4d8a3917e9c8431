import type { ApprovalRow } from "../store/approvals.ts";

/** Beside the earlier words of the card: both fit. */
const MOST_WORDS = 400;

/** What the client wishes stands in it, mostly: people read it where they decide. */
export function oneLine(text: string): string {
  const characters = [...text.replace(/\s+/gu, " ").trim()];
  const isLong = characters.length > MOST_WORDS;
  return isLong ? `${characters.slice(0, MOST_WORDS - 1).join("")}…` : characters.join("");
}

const MOST_KEPT = 1_000;

/** The newest words first: a card shows the beginning. */
export function saidNow({ clientSays }: Pick<ApprovalRow, "clientSays">, words: string): string {
  return clientSays === null ? words : `${words} / ${clientSays}`.slice(0, MOST_KEPT);
}
