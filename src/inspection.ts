import type { EdgeStatus, MessengerEdge } from "./bot/edge.ts";
import type { Finding } from "./bot/finding.ts";
import { within } from "./bot/wait.ts";
import type { Log } from "./lib/log.ts";
import { type Db, withOwner, withTenant } from "./store/db.ts";
import { type KnownDestination, listDestinations } from "./store/destinations.ts";
import { listTenants } from "./store/tenants.ts";

/** What the start sees of our rights in the staff's chats; it refuses nothing. */
export interface Inspection {
  run(): Promise<void>;
  /** One for each thing that is not as it should be, with the next step. */
  lines(): string[];
  /** The account's status, with what was found when the process started. */
  addTo(edge: MessengerEdge, status: EdgeStatus): EdgeStatus;
}

/** A messenger that is slow must not hold up the start for longer. */
const LOOK_WITHIN_MS = 10_000;

/** Looks once, with a limit for each messenger; its lines stay until the next start. */
export function createInspection(db: Db, edges: readonly MessengerEdge[], log: Log): Inspection {
  const found = new Map<MessengerEdge, Finding[]>();
  return {
    async run() {
      const destinations = await allDestinations(db);
      await Promise.all(
        edges.map(async (edge) => {
          const { name, channelId } = edge.messenger;
          const chats = destinations.filter((one) => one.channelId === channelId);
          const findings = await within(LOOK_WITHIN_MS, edge.inspect(chats));
          if (!findings) log.warn({ messenger: name }, "rights were not looked at: no answer");
          found.set(
            edge,
            (findings ?? []).filter(({ nextStep }) => nextStep !== ""),
          );
        }),
      );
    },
    lines: () =>
      [...found].flatMap(([edge, findings]) =>
        findings.map((finding) => `${edge.messenger.name}: ${lineOf(finding)}`),
      ),
    addTo(edge, { ok, detail }) {
      const notes = (found.get(edge) ?? []).map(({ what }) => what);
      if (notes.length === 0) return { ok, detail };
      return { ok, detail: `${detail}; seen at the start: ${notes.join("; ")}` };
    },
  };
}

/** For logs and the terminal. */
export function lineOf({ what, nextStep }: Finding): string {
  return nextStep === "" ? what : `${what} – ${nextStep}`;
}

/** The chats of the staff of all tenants. */
export async function allDestinations(db: Db): Promise<KnownDestination[]> {
  const tenants = await withOwner(db, listTenants);
  const all = [];
  for (const { id } of tenants)
    all.push(...(await withTenant(db, id, (tx) => listDestinations(tx, id))));
  return all;
}
