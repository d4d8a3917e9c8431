import type { Language } from "../domain/language.ts";
import { paysOut } from "../domain/pays-out.ts";
import type { ApprovalRow } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import { type PayoutStop, payoutStopOf } from "../store/payout-stop.ts";
import { shownTime } from "./texts.ts";

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
  const stop = await payoutStopOf(tx, tenantId);
  return stop && `${stoppedSince(stop, language)} ${TEXTS[language].next}`;
}

export function stoppedSince({ stoppedAt, reason }: PayoutStop, language: Language): string {
  return TEXTS[language].since(shownTime(stoppedAt), reason);
}

const TEXTS = {
  en: {
    since: (time: string, reason: string) => `Payouts are stopped since ${time}: ${reason}.`,
    next: "An admin resumes them: /resume payouts REASON. The request stays; nothing was changed.",
  },
  ru: {
    since: (time: string, reason: string) => `Выплаты остановлены с ${time}: ${reason}.`,
    next: "Возобновляет администратор: /resume payouts ПРИЧИНА. Запрос остаётся, ничего не изменено.",
  },
} as const satisfies Record<Language, unknown>;
