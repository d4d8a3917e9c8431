import type { LabWorld } from "../quality/evals/lab.ts";
import { makeParts } from "../sandbox/parts.ts";
import { startStandalone } from "../sandbox/standalone.ts";
import type { Unwinder } from "../unwind.ts";

const LIMIT_MS = 10_000;

/** The played outside on a free port of this machine; its journal lies in `dir`. */
export async function playWorld(
  dir: string,
  unwinder: Unwinder,
): Promise<{ world: LabWorld; env: Record<string, string> }> {
  const played = await startStandalone({
    port: 0,
    dataDir: dir,
    parts: (world, origin) => makeParts(world, origin),
  });
  unwinder.push("played world", () => played.stop());
  const api = (path: string, body?: object) => ask(`${played.origin}/sandbox/api/${path}`, body);
  return {
    env: played.env,
    world: {
      addFault: async (fault) => void (await api("faults", fault)),
      async clearFaults(faults) {
        for (const { service, kind } of faults) await api("faults", { service, kind, count: 0 });
      },
      addTransfer: async (transfer, at) => void (await api("chain/transfers", { at, ...transfer })),
      async counts() {
        const [mail, payouts] = await Promise.all([api("mail"), api("payouts")]);
        return { letters: lengthOf(mail), payouts: lengthOf(payouts) };
      },
    },
  };
}

async function ask(url: string, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    ...(body
      ? {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        }
      : {}),
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  const answer: unknown = await response.json();
  if (response.ok) return answer;
  const { error } = answer as { error?: { message?: string } };
  throw new Error(`the played world refused it: ${error?.message ?? response.status}`);
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}
