import { and, asc, eq, isNotNull } from "drizzle-orm";
import { approvalName } from "../domain/approval.ts";
import {
  type ChainState,
  countUnsealed,
  foreignRows,
  type Problem,
  placeOf,
  type Read,
  walkChain,
} from "./audit-chain.ts";
import { findMissing } from "./audit-complete.ts";
import type { AuditKey } from "./audit-key.ts";
import { shortHead } from "./audit-mac.ts";
import type { Head } from "./audit-seal.ts";
import type { Tx } from "./db.ts";
import { approvalQueue } from "./schema/approvals.ts";

/** What was found when one tenant's trail was reckoned through. */
export interface TrailReport {
  tenantId: string;
  /** Sealed rows, as the seals count them. */
  rows: number;
  seals: number;
  /** null: nothing was ever sealed. */
  head: string | null;
  unsealed: number;
  /** By place in the trail; empty: nothing was changed. */
  problems: Problem[];
}

export interface Witnesses {
  /** What stands outside the database; read before the database is. */
  kept: Head | null;
  /** First characters of a head that somebody has read off a card; null: none is asked for. */
  card: string | null;
}

/** Has a tenant's trail been edited, cut, made anew, or kept from being written? Changes nothing. */
export async function verifyTrail(
  read: Read,
  of: { tenantId: string; key: AuditKey; witnesses: Witnesses },
): Promise<TrailReport> {
  const { tenantId, key, witnesses } = of;
  const { kept, card } = witnesses;
  const macsOf = new Set(kept ? [kept.sealNumber] : []);
  const cards = await read((tx) => cardsOf(tx, tenantId)); // before the seals that they show
  const chain = await walkChain(read, { tenantId, key: key.key, macsOf });
  const end = chain.head?.index ?? 0;
  const problems = [
    ...chain.problems,
    ...keptProblems(chain, kept),
    ...(card === null ? [] : cardProblems(chain, [{ name: "the card", head: card }])),
    ...cardProblems(chain, cards),
    ...(await read((tx) => foreignProblems(tx, tenantId, end))),
    ...(await read((tx) => findMissing(tx, { tenantId, since: key.since, after: end }))),
  ];
  return {
    tenantId,
    rows: end,
    seals: chain.seals,
    head: chain.head?.mac ?? null,
    unsealed: await read((tx) => countUnsealed(tx, tenantId)),
    problems: problems.sort((a, b) => a.index - b.index),
  };
}

/** The head outside must be one that this trail had. */
function keptProblems(chain: ChainState, kept: Head | null): Problem[] {
  if (kept === null) return [];
  const end = chain.head?.index ?? 0;
  if ((chain.head?.sealNumber ?? 0) < kept.sealNumber) {
    const what = `the trail ends at row ${end} and audit.heads knows ${kept.index}: the end was cut off`;
    return [{ index: end + 1, what }];
  }
  if (chain.macs.get(kept.sealNumber) === kept.mac) return [];
  const what = `seal ${kept.sealNumber} is another one than audit.heads knows: the trail was made anew`;
  return [{ index: kept.index, what }];
}

interface ShownHead {
  name: string;
  head: string;
}

function cardProblems(chain: ChainState, shown: readonly ShownHead[]): Problem[] {
  const index = (chain.head?.index ?? 0) + 1;
  return shown
    .filter(({ head }) => !chain.shownHeads.has(head))
    .map(({ name, head }) => ({
      index,
      what: `${name} shows the head ${head}, and no seal has it: the end was cut off, or the trail made anew`,
    }));
}

const MOST_CARDS = 100_000;

async function cardsOf(tx: Tx, tenantId: string): Promise<ShownHead[]> {
  const rows = await tx
    .select({ number: approvalQueue.number, head: approvalQueue.auditHead })
    .from(approvalQueue)
    .where(and(eq(approvalQueue.tenantId, tenantId), isNotNull(approvalQueue.auditHead)))
    .orderBy(asc(approvalQueue.number))
    .limit(MOST_CARDS);
  return rows.map(({ number, head }) => ({ name: approvalName(number), head: head ?? "" }));
}

async function foreignProblems(tx: Tx, tenantId: string, end: number): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const id of await foreignRows(tx, tenantId)) {
    const index = (await placeOf(tx, tenantId, id)) ?? end + 1;
    problems.push({ index, what: `row ${id} says that it is sealed, and no seal has it` });
  }
  return problems;
}

/** As people read it off a card, in any case. */
export function cardHead(text: string): string | null {
  const head = text.trim().toLowerCase();
  return /^[0-9a-f]{8,64}$/.test(head) ? shortHead(head) : null;
}
