import { z } from "zod";
import type { AdminRequest, Send } from "../admin/desk-requests.ts";

const account = z.object({
  messenger: z.string(),
  user_id: z.string(),
  team_id: z.string().default(""),
});
const wantedSchema = z.object({ name: z.string(), identities: z.array(account) });
const listSchema = z.object({
  items: z.array(z.object({ id: z.string(), name: z.string(), identities: z.array(account) })),
});
const refusalSchema = z.object({ error: z.object({ message: z.string() }) });
const askedSchema = z.object({ message: z.string() });

type Account = z.infer<typeof account>;

/** Lines for the owner; `missing`: what the person still has to be given, with why. */
export interface Completed {
  lines: string[];
  missing: string[];
}

const STAFF = "/api/admin/staff";

export function isNewPerson({ method, path }: AdminRequest): boolean {
  return method === "POST" && path === STAFF;
}

/**
 * Somebody has accounts of this person already: whoever that is gets the others, and the name where
 * the environment gave none.
 */
export async function completePerson(request: AdminRequest, send: Send): Promise<Completed> {
  const wanted = wantedSchema.parse(request.body);
  const done: Completed = { lines: [], missing: [] };
  const all = listSchema.parse((await send({ method: "GET", path: STAFF })).body).items;
  const has = (one: { identities: Account[] }, account: Account) =>
    one.identities.some((other) => nameOf(other) === nameOf(account));
  const person = all.find((one) => wanted.identities.some((account) => has(one, account)));
  if (!person) return done;
  for (const account of wanted.identities.filter((one) => !has(person, one))) {
    const body = { messenger: account.messenger, user_id: account.user_id };
    const path = `${STAFF}/${person.id}/identities`;
    const answer = await send({ method: "POST", path, body });
    const why = unless(201, answer);
    done.lines.push(`POST ${path}: ${nameOf(account)} ${why ?? `is ${wanted.name}'s now`}`);
    if (why !== null) done.missing.push(`${wanted.name} lacks ${nameOf(account)} (${why})`);
  }
  if (!person.identities.some((account) => nameOf(account) === person.name)) return done;
  const path = `${STAFF}/${person.id}`;
  const why = unless(200, await send({ method: "PATCH", path, body: { name: wanted.name } }));
  done.lines.push(`PATCH ${path}: ${person.name} ${why ?? `is called ${wanted.name} now`}`);
  if (why !== null) done.missing.push(`${person.name} is not called ${wanted.name} (${why})`);
  return done;
}

/** As the environment's people are called, too. */
function nameOf({ messenger, user_id: userId }: Account): string {
  return `${messenger} ${userId}`;
}

/** Why it is not done; null: it is. */
function unless(wanted: number, { status, body }: { status: number; body: unknown }) {
  if (status === wanted) return null;
  if (status === 202) return askedSchema.safeParse(body).data?.message ?? "waits for an admin";
  const message = refusalSchema.safeParse(body).data?.error.message;
  return `was refused with ${status}: ${message ?? "no reason told"}`;
}
