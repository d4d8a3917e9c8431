import type { JsonObject } from "../domain/json.ts";
import { amount, compareAmounts, isDecimal } from "../domain/money.ts";
import { paysOut } from "../domain/pays-out.ts";
import type { ApprovalRow } from "../store/approvals.ts";
import { grantedBy } from "../store/approver-totals.ts";
import type { Tx } from "../store/db.ts";
import { exchangeSettingsOf } from "../store/exchange-settings.ts";
import type { StaffMember } from "../store/staff.ts";
import { type Decided, refused } from "./decision.ts";
import { DECISION_TEXTS } from "./decision-texts.ts";
import type { DeskDeps } from "./deps.ts";

interface Asked {
  staff: StaffMember;
  approval: ApprovalRow;
  /** What would be carried out. */
  action: JsonObject;
}

/**
 * What one person may approve for payout on one day of product time, UTC, beside this request. The caller holds the
 * person's lock: two approvals at once are counted one after the other. null: it is within the cap.
 */
export async function capRefusal(
  tx: Tx,
  deps: DeskDeps,
  { staff, approval, action }: Asked,
): Promise<Decided | null> {
  const { tenantId, toolName, riskLevel } = approval;
  if (!paysOut({ name: toolName, risk: riskLevel })) return null;
  const { operatorDailyCap: cap, quoteAsset } = await exchangeSettingsOf(tx, tenantId);
  if (cap === null) return null;
  const texts = DECISION_TEXTS[deps.dress.staffLanguage];
  const shown = (sum: string) => `${sum} ${quoteAsset}`;
  const currency = typeof action.currency === "string" ? action.currency : quoteAsset;
  if (currency !== quoteAsset) return refused("daily_cap", texts.capOther(shown(cap), currency));
  const given = { tenantId, staffId: staff.id, since: startOfDay(deps.clock.now()) };
  const granted = (await grantedBy(tx, given)).filter(
    (one) => one.approvalId !== approval.id && paysOut({ name: one.toolName, risk: one.riskLevel }),
  );
  const used = granted.reduce((sum, one) => sum.plus(sumOf(one.action)), amount("0"));
  const left = amount(cap).minus(used);
  const wanted = sumOf(action);
  if (left.comparedTo(wanted) >= 0) return null;
  const rest = compareAmounts(left.toFixed(), "0") > 0 ? left.toFixed() : "0";
  return refused("daily_cap", texts.cap(shown(cap), shown(rest), shown(wanted)));
}

const DAY_MS = 86_400_000;

function startOfDay(now: number): number {
  return Math.floor(now / DAY_MS) * DAY_MS;
}

function sumOf(action: JsonObject): string {
  const { amount: sum } = action;
  return typeof sum === "string" && isDecimal(sum) ? sum : "0";
}
