import { approvalsByIds, digestById } from "../store/approval-digests.ts";
import { lockPerson } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import { exchangeSettingsOf } from "../store/exchange-settings.ts";
import { namesOf, showInDigest } from "../tools/approval-digest.ts";
import { isBelow } from "../tools/bulk-group.ts";
import { decide } from "./decide.ts";
import { DECISION_TEXTS } from "./decision-texts.ts";
import type { DeskDeps } from "./deps.ts";
import type { Press } from "./desk-event.ts";
import { DESK_TEXTS } from "./texts.ts";

/**
 * Grants each request that the list's button named, as it was shown there: one decision after the
 * other, so that every one has its own row, its own checks and its own refusal.
 */
export async function approveAll(tx: Tx, deps: DeskDeps, press: Press): Promise<string> {
  const { tenantId, staff, click } = press;
  const language = deps.dress.staffLanguage;
  const texts = DECISION_TEXTS[language];
  const digest = await digestById(tx, tenantId, click.value);
  if (!digest) return DESK_TEXTS[language].gone;
  const shown = new Map(
    digest.itemsJson
      .filter(({ inBulk }) => inBulk)
      .map(({ approvalId, actionDigest }) => [approvalId, actionDigest]),
  );
  if (staff) await lockPerson(tx, tenantId, staff.id);
  const rows = await approvalsByIds(tx, tenantId, [...shown.keys()]);
  const { bulkApprovalLimit: limit, quoteAsset } = await exchangeSettingsOf(tx, tenantId);
  const taken: typeof rows = [];
  const left: typeof rows = [];
  for (const row of rows) {
    // the limit may have been lowered since the list was shown
    const mayBulk = limit !== null && isBelow(row, { limit, quoteAsset });
    const decision = { tenantId, approvalId: row.id, staff, decision: "approve" } as const;
    const bound = {
      ...{ via: click.messenger, place: click, seen: shown.get(row.id) ?? "" },
      isOneOfMany: true,
    };
    const decided = mayBulk ? await decide(tx, deps, { ...decision, ...bound }) : null;
    if (decided?.accepted) taken.push(row);
    else left.push(row);
    if (decided && staff?.status !== "active") return decided.message; // the same for all
  }
  const approvalIds = taken.map(({ id }) => id);
  await showInDigest(tx, deps.dress, { tenantId, now: deps.clock.now(), approvalIds });
  if (left.length === 0) return texts.allTaken(namesOf(taken));
  return texts.someTaken(taken.length === 0 ? "" : namesOf(taken), namesOf(left));
}
