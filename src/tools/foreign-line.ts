import { cleanLine } from "./normalise.ts";
import { withoutSecrets } from "./secret-shapes.ts";

const LONGEST = 200;
/** What is not cut yet may be anything, of any length. */
const LONGEST_READ = 4_000;

/** Any address, with whatever stands in it. */
const LINK = /(?<![\w])(?:[a-z][a-z0-9+.-]{1,20}:\/\/|www\.)[^\s"'<>]{1,2000}/gi;
/** A machine by its number or by a name that only its own network knows. */
const MACHINE =
  /(?<![\w.])(?:\d{1,3}(?:\.\d{1,3}){3}|localhost|(?:[\w-]{1,63}\.){1,5}(?:internal|local|lan|svc|intra|corp))(?::\d{1,5})?(?![\w])(?!\.\w)/gi;
/** From the root of a disk; of a few words divided by slashes nothing is taken. */
const PATH =
  /(?<![\w/.:])(?:~|\.{1,2})?(?:\/[\w.@%+~-]{1,100}){2,20}\/?(?::\d{1,6}){0,2}|(?<!\w)[A-Za-z]:\\[^\s"'<>]{1,300}/g;

/** Where something stands on a disk or in a network is nobody's business but the log's. */
export function withoutPlaces(text: string): string {
  return text.replace(LINK, "[link]").replace(PATH, "[file]").replace(MACHINE, "[address]");
}

/** A line of ours that may hold somebody else's words; `kept`: what people need letter by letter. */
export function withoutInnards(text: string, kept: string | null | undefined): string {
  if (!kept) return withoutPlaces(withoutSecrets(text));
  return text
    .split(kept)
    .map((part) => withoutInnards(part, null))
    .join(kept);
}

/** An account by its international number; spaces as people write it. */
const IBAN = /(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?!\w)/g;
/** Accounts, codes and phones look alike; sums have a fraction, dates their own form. */
const NUMBER = /(?<![\w.,+-])(?!\d{4}-\d{2}-\d{2}(?!\d))\d(?:[ -]?\d){7,33}(?!\w|[.,-]\d)/g;
/** A value that is said to be secret, however short; the code of an error is none. */
const NAMED_CODE =
  /((?<![\p{L}\p{N}])(?<!(?:error|status|reply|reason|result)[ _-])(?:key|token|code|secret|auth(?:orization)?|signature|ключ|код|токен)["']?\s{0,3}[:=#]?\s{0,3}["']?)(?=[^\s"',;]{0,200}\d)([^\s"',;]{4,200})/giu;

/**
 * What a service outside said, as people may be shown it: one line, without keys, addresses, paths
 * and personal data. `sent`: what it was sent and may say back. No model is shown any of it.
 */
export function foreignLine(text: string, sent: readonly string[] = []): string {
  const line = text
    .slice(0, LONGEST_READ)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  const said = withoutSent(line, sent);
  const clean = withoutPlaces(cleanLine(said))
    .replace(NAMED_CODE, "$1[removed]")
    .replace(IBAN, "[number]")
    .replace(NUMBER, "[number]");
  return clean.slice(0, LONGEST).trim();
}

const SHORTEST_SENT = 4;

function withoutSent(text: string, sent: readonly string[]): string {
  return [...sent, ...sent.flatMap(namesIn)]
    .filter((value) => value.trim().length >= SHORTEST_SENT)
    .sort((one, other) => other.length - one.length)
    .reduce((left, value) => left.replaceAll(formOf(value), "[ours]"), text);
}

/** Words of a longer text that look like a name or a number. */
function namesIn(value: string): string[] {
  return value.split(/[\s,;:]+/).filter((word) => /^\p{Lu}|\d/u.test(word));
}

/** In capitals or not, however its words are spaced. */
function formOf(value: string): RegExp {
  const words = value
    .trim()
    .split(/\s+/)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`(?<![\\p{L}\\p{N}])${words.join("\\s+")}(?![\\p{L}\\p{N}])`, "giu");
}
