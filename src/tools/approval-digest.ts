import { approvalName } from "../domain/approval.ts";
import { newId } from "../domain/ids.ts";
import type { Jobs } from "../domain/jobs.ts";
import type { Language } from "../domain/language.ts";
import type { Card } from "../domain/messenger.ts";
import {
  type ApprovalDigest,
  approvalsByIds,
  countOpenSince,
  type DigestedApproval,
  editDigest,
  insertDigest,
  lastPostedDigest,
  lockDigest,
  mayPostDigest,
  openRequests,
  postDigest,
} from "../store/approval-digests.ts";
import { beforeCommit, type Tx } from "../store/db.ts";
import { exchangeSettingsOf } from "../store/exchange-settings.ts";
import type { DigestItem } from "../store/schema/approvals.ts";
import { type Bulk, bulkOf } from "./bulk-group.ts";
import { digestCard, replacedDigestCard } from "./digest-card.ts";

/** So many requests of this time that wait are shown together, too. Product time. */
export const DIGEST_FROM = 5;
const WITHIN_MS = 5 * 60_000;
/** What comes later than this after the card was posted makes a new one: nobody scrolls up. */
const GROWS_FOR_MS = 30 * 60_000;
/** Three buttons each, and one for all, stay below what Telegram takes: 100. */
export const MOST_ITEMS = 30;

interface DigestDress {
  jobs: Jobs<Tx>;
  staffLanguage: Language;
  sandbox: boolean;
}

interface Refreshing {
  tenantId: string;
  now: number;
}

/** A new request waits: the list that stands takes it in, or a flood of them gets one. */
export async function addToDigest(
  tx: Tx,
  dress: DigestDress,
  { tenantId, now }: Refreshing,
): Promise<void> {
  const last = await lastPostedDigest(tx, tenantId);
  if (last && now - (last.postedAt ?? 0) < GROWS_FOR_MS) {
    const state = await digestState(tx, { tenantId, known: last });
    if (state.rows.some(isOpen)) return updateAtEnd(tx, dress, { tenantId, now });
  }
  const since = Math.max(now - WITHIN_MS, last?.postedAt ?? 0);
  if ((await countOpenSince(tx, tenantId, since)) < DIGEST_FROM) return;
  if (await mayPostDigest(tx, tenantId)) await post(tx, dress, { tenantId, now, last });
}

/** Requests of the list are over, or were changed: the list says so. */
export async function showInDigest(
  tx: Tx,
  dress: DigestDress,
  { tenantId, now, approvalIds }: Refreshing & { approvalIds: readonly string[] },
): Promise<void> {
  const last = await lastPostedDigest(tx, tenantId);
  if (!last?.itemsJson.some((item) => approvalIds.includes(item.approvalId))) return;
  updateAtEnd(tx, dress, { tenantId, now });
}

/**
 * Decisions on one list come from everywhere at once. One after the other brings it up to date, when
 * its rows are written: a list is never older than its requests, and nobody waits for two at once.
 */
function updateAtEnd(tx: Tx, dress: DigestDress, { tenantId, now }: Refreshing): void {
  beforeCommit(tx, `approval digest of ${tenantId}`, async (at) => {
    await lockDigest(at, tenantId);
    const last = await lastPostedDigest(at, tenantId);
    if (!last) return;
    const state = await digestState(at, { tenantId, known: last });
    await update(at, dress, { tenantId, now, last, state });
  });
}

/**
 * What one list shows at one moment. Each change is a new state under a new id: a press on an older
 * one is seen to be old.
 */
export interface DigestState {
  /** Names the state: a button for many carries it. */
  id: string;
  /** By number. */
  rows: DigestedApproval[];
  /** What one press may grant; null: no two of the requests belong together. */
  bulk: Bulk | null;
  /** How many wait besides. */
  more: number;
}

/** What waits now, with what a card shows already. */
export async function digestState(
  tx: Tx,
  given: { tenantId: string; known: ApprovalDigest | null; most?: number },
): Promise<DigestState> {
  const { tenantId, known, most = MOST_ITEMS } = given;
  const open = await openRequests(tx, { tenantId, limit: most });
  const ids = new Set([...(known?.itemsJson ?? []).map((item) => item.approvalId), ...open.ids]);
  const all = await approvalsByIds(tx, tenantId, [...ids]);
  const rows = (all.length > most ? all.filter(isOpen) : all).slice(0, most);
  const { bulkApprovalLimit: limit, quoteAsset } = await exchangeSettingsOf(tx, tenantId);
  const bulk = limit === null ? null : bulkOf(rows.filter(isOpen), { limit, quoteAsset });
  return { id: newId(), rows, bulk, more: open.total - rows.filter(isOpen).length };
}

/** Binds the state's buttons to these requests, as they were shown. */
export function itemsOf({ rows, bulk }: DigestState): DigestItem[] {
  return rows.map(({ id, actionDigest }) => ({
    approvalId: id,
    actionDigest,
    inBulk: bulk?.ids.includes(id) ?? false,
  }));
}

interface Update extends Refreshing {
  last: ApprovalDigest;
  state: DigestState;
}

async function update(tx: Tx, dress: DigestDress, given: Update): Promise<void> {
  const { tenantId, now, last, state } = given;
  const { cardsJson: cards, postedAt } = last;
  const items = itemsOf(state);
  await insertDigest(tx, { id: state.id, tenantId, items, now, cardsJson: cards, postedAt });
  const write = { jobs: dress.jobs, tenantId, now };
  await editDigest(tx, write, { cards, card: cardOfState(state, dress) });
}

async function post(
  tx: Tx,
  dress: DigestDress,
  { tenantId, now, last }: Refreshing & { last: ApprovalDigest | null },
): Promise<void> {
  const write = { jobs: dress.jobs, tenantId, now };
  const state = await digestState(tx, { tenantId, known: null });
  const cardsJson = await postDigest(tx, write, cardOfState(state, dress));
  const items = itemsOf(state);
  await insertDigest(tx, { id: state.id, tenantId, items, now, cardsJson, postedAt: now });
  if (!last) return;
  const card = replacedDigestCard(last.itemsJson.length, dress);
  await editDigest(tx, write, { cards: last.cardsJson, card });
}

function cardOfState(state: DigestState, dress: DigestDress): Card {
  return digestCard(state, dress);
}

/** Frozen ones are not: nobody may approve them, so that no list asks for it. */
export function isOpen({ status }: Pick<DigestedApproval, "status">): boolean {
  return status === "pending";
}

/** "A-17, A-18 … (12)" */
export function namesOf(rows: readonly { number: number }[], most = 8): string {
  const names = rows.slice(0, most).map(({ number }) => approvalName(number));
  return rows.length > most ? `${names.join(", ")} … (${rows.length})` : names.join(", ");
}
