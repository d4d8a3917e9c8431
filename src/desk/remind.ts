import type { Language } from "../domain/language.ts";
import type { ApprovalRow } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import { announce } from "./announce.ts";
import { showWhereMissing } from "./cards-after-outage.ts";
import type { DeskDeps } from "./deps.ts";
import { namedWaiting } from "./waiting-lines.ts";

/** One line in every chat of the operators, however many requests it names; all of one tenant. */
export async function remindOperators(
  tx: Tx,
  deps: DeskDeps,
  approvals: readonly ApprovalRow[],
): Promise<void> {
  const tenantId = approvals[0]?.tenantId;
  if (tenantId === undefined) return;
  const { jobs, staffLanguage: language } = deps.dress;
  const now = deps.clock.now();
  await showWhereMissing(tx, deps, approvals);
  const text = `${TEXTS[language]} ${namedWaiting(approvals, now, language)}`;
  await announce(tx, { jobs, tenantId, now }, text);
}

const TEXTS: Record<Language, string> = {
  en: "⏰ Still waiting for a decision:",
  ru: "⏰ Ещё ждёт решения:",
};
