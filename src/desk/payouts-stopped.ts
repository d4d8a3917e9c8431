import type { Language } from "../domain/language.ts";
import { paysOut } from "../domain/pays-out.ts";
import type { ApprovalRow } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import { payoutStopOf } from "../store/payout-stop.ts";
import { standingLines } from "./stops.ts";

/** Why an approval may not be granted now, for the person; null when no stop stands in its way. */
export async function payoutStopText(
  tx: Tx,
  approval: Pick<ApprovalRow, "tenantId" | "toolName" | "riskLevel">,
  language: Language,
): Promise<string | null> {
  if (!paysOut({ name: approval.toolName, risk: approval.riskLevel })) return null;
  return stopNotice(tx, approval.tenantId, language);
}

/** The same for what pays out without an approval of its own, as a typed code does. */
export async function stopNotice(
  tx: Tx,
  tenantId: string,
  language: Language,
): Promise<string | null> {
  const payouts = await payoutStopOf(tx, tenantId);
  if (!payouts) return null;
  return [...standingLines({ payouts, orders: null }, language), NEXT[language]].join(" ");
}

const NEXT: Record<Language, string> = {
  en: "An admin resumes them: /resume payouts REASON. The request stays; nothing was changed.",
  ru: "Возобновляет администратор: /resume payouts ПРИЧИНА. Запрос остаётся, ничего не изменено.",
};
