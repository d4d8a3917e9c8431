import { decide } from "../src/desk/decide.ts";
import { newId } from "../src/domain/ids.ts";
import { pendingApprovals } from "../src/store/approvals.ts";
import { withTenant } from "../src/store/db.ts";
import { staffById } from "../src/store/staff.ts";
import { SEND } from "./bench-tools.ts";
import type { Counts } from "./counters.ts";
import { drained } from "./drained.ts";
import { type House, openHouse } from "./house.ts";
import { startModel } from "./model-process.ts";
import { openBenchDatabase } from "./throwaway-database.ts";

export interface SuspendReport {
  approvals: number;
  /** Transactions that wrote, of engine and desk, for one approval. */
  suspend_commits: number;
  resume_commits: number;
  suspend_and_resume_commits: number;
  /** With the queue's, the deliveries' of replies and cards, and the turn's own two. */
  all_commits: number;
  approve_to_reply_p50_ms: number;
  database: string;
}

/** Opening the run and sending its reply: what the turn takes without any call. */
const TURN_ALONE = 2;

/**
 * A call that waits for a person. Suspended: the call is parked; the turn goes on and the client is
 * answered. Resumed: from the press of the button to the outcome's reply.
 */
export async function runSuspend(options: {
  approvals: number;
  database: string | undefined;
}): Promise<SuspendReport> {
  const model = await startModel({ rounds: 1, parallel: 1, tool: SEND });
  const opened = await openBenchDatabase(options.database);
  try {
    const house = await openHouse(opened.database, model.url);
    try {
      await playOne(house);
      return { ...(await measure(house, options.approvals)), database: opened.place };
    } finally {
      await house.close();
    }
  } finally {
    await opened.drop();
    await model.stop();
  }
}

interface Played {
  suspended: Counts;
  resumed: Counts;
  ms: number;
}

async function measure(house: House, approvals: number): Promise<Omit<SuspendReport, "database">> {
  const played: Played[] = [];
  for (let index = 0; index < approvals; index += 1) played.push(await playOne(house));
  const mean = (of: (one: Played) => number) =>
    played.reduce((sum, one) => sum + of(one), 0) / approvals;
  const suspend = mean(({ suspended }) => engineOf(suspended) - TURN_ALONE);
  const resume = mean(({ resumed }) => engineOf(resumed) + (resumed.commits.get("desk") ?? 0));
  const times = played.map(({ ms }) => ms).toSorted((left, right) => left - right);
  return {
    approvals,
    suspend_commits: suspend,
    resume_commits: resume,
    suspend_and_resume_commits: suspend + resume,
    all_commits: mean(({ suspended, resumed }) => allOf(suspended) + allOf(resumed)),
    approve_to_reply_p50_ms: Math.round((times[Math.floor(approvals / 2)] ?? 0) * 100) / 100,
  };
}

async function playOne(house: House): Promise<Played> {
  const { counters, listener } = house;
  const chatId = newId();
  counters.begin();
  const answered = listener.hears(chatId);
  await house.says(chatId, "Please send me the first item.");
  await answered;
  await drained(house);
  const suspended = counters.counts();
  counters.begin();
  const startedAt = performance.now();
  const told = listener.hears(chatId);
  await counters.as("desk", () => approve(house));
  await told;
  const ms = performance.now() - startedAt;
  await drained(house);
  counters.end();
  return { suspended, resumed: counters.counts(), ms };
}

function approve({ desk, tenantId, staffId }: House): Promise<void> {
  return withTenant(desk.db, tenantId, async (tx) => {
    const [approval] = await pendingApprovals(tx, tenantId);
    if (!approval) throw new Error("no approval waits: the call was not parked");
    const staff = await staffById(tx, tenantId, staffId);
    const by = { tenantId, approvalId: approval.id, staff, via: "api" as const };
    const { accepted, message } = await decide(tx, desk, { ...by, decision: "approve" });
    if (!accepted) throw new Error(message);
  });
}

function engineOf({ commits }: Counts): number {
  return commits.get("engine") ?? 0;
}

function allOf({ commits }: Counts): number {
  return [...commits.values()].reduce((sum, one) => sum + one, 0);
}
