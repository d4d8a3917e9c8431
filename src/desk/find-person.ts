import type { StaffWithIdentities } from "../store/staff.ts";

/** Whom a typed word means; with `several` it has to be typed more exactly. */
export type FoundPerson =
  | { kind: "found"; person: StaffWithIdentities }
  | { kind: "nobody" }
  /** Whom the word may mean. */
  | { kind: "several"; people: StaffWithIdentities[] };

/** By the whole name, the id, or the beginning of either, as long as it means one person. */
export function findPerson(people: readonly StaffWithIdentities[], typed: string): FoundPerson {
  const wanted = plain(typed);
  if (wanted === "") return { kind: "nobody" };
  const exact = people.filter(({ id, name }) => id === typed.trim() || plain(name) === wanted);
  const begins = people.filter(
    ({ id, name }) => plain(name).startsWith(wanted) || id.startsWith(wanted),
  );
  const meant = exact.length > 0 ? exact : begins;
  const [first, ...others] = meant;
  if (!first) return { kind: "nobody" };
  return others.length > 0 ? { kind: "several", people: meant } : { kind: "found", person: first };
}

/** A leading @ is how people address each other. */
function plain(name: string): string {
  return name.trim().replace(/^@/, "").replace(/\s+/gu, " ").toLowerCase();
}
