import { type Deal, dealsOf } from "./deals.ts";
import type { GuardFacts, GuardToolResult } from "./guard-facts.ts";
import { findIdentifiers, type Identifier } from "./identifiers.ts";
import { findMoments, type Moment } from "./moments.ts";
import { findNumbers, type NumberPiece } from "./numbers.ts";
import { foldCase, normaliseText } from "./reply-text.ts";

/** Facts found in a set of texts of one degree of trust. */
export interface FactIndex {
  texts: string[];
  folded: string;
  identifiers: Identifier[];
  moments: Moment[];
  numbers: NumberPiece[];
}

/** What is known, by how far it may be believed. */
export interface Sources {
  /** Results of fetch_exchange_requisites that belong to the open order. */
  requisites: FactIndex;
  /** Other tool results and the order's own fields. */
  tools: FactIndex;
  /** Retrieved passages, also those that a search tool returned: anyone's text. */
  evidence: FactIndex;
  lead: FactIndex;
  deals: Deal[];
  /** Values under `internal`: base rate and margin. */
  internal: string[];
  exchange: boolean;
}

export interface Field {
  key: string;
  value: string;
}

const INTERNAL_KEY = /^(?:internal|base_?rate|margin(?:_?pct)?)$/iu;
const CODE_KEY = /^(?:(?:payout|pickup|withdraw\w*|cash|atm)_?)?code$|^(?:pin|otp)$/iu;
const DEAD_ORDER = /^(?:cancelled|canceled|expired)$/iu;

/** What completed calls returned; of all others the references, and the bounds of refused ones. */
export function buildSources(facts: GuardFacts): Sources {
  const results = facts.tool_results.filter((one) => one.status === "completed");
  const searches = results.filter((one) => one.tool === "search_knowledge_base");
  const payments = results.filter((one) => one.tool === "fetch_exchange_requisites");
  const others = results.filter((one) => !searches.includes(one) && !payments.includes(one));
  const orderFields = fieldsOf(facts.order);
  const waiting = facts.tool_results.filter((one) => one.status !== "completed");
  const refused = waiting.filter((one) => one.status === "failed");
  return {
    requisites: indexOf(texts(fieldsOf(openRequisites(payments, facts)?.data))),
    tools: indexOf([
      ...others.flatMap((one) => texts(fieldsOf(one.data))),
      ...texts(orderFields),
      ...payments.flatMap((one) => texts(fieldsOf(one.data).filter(isPublic))),
      ...waiting.flatMap((one) => texts(fieldsOf(one.data).filter(isReference))),
      ...refused.flatMap((one) => texts(fieldsOf(one.data).filter(isLimit))),
    ]),
    evidence: indexOf([
      ...facts.evidence.map((one) => one.text),
      ...searches.flatMap((one) => texts(fieldsOf(one.data))),
    ]),
    lead: indexOf(facts.lead_texts),
    deals: dealsOf(facts),
    internal: facts.tool_results
      .flatMap((one) => fieldsOf(one.data, "internal"))
      .map((f) => f.value),
    exchange: facts.order !== null || facts.tool_results.some((one) => /exchange/.test(one.tool)),
  };
}

/** Leaves of a result. `internal` figures and codes are left out, or they alone are given. */
export function fieldsOf(data: unknown, wanted: "public" | "internal" = "public"): Field[] {
  return leaves(data, "", false)
    .filter((leaf) => leaf.internal === (wanted === "internal"))
    .filter((leaf) => wanted === "internal" || !CODE_KEY.test(leaf.key))
    .map(({ key, value }) => ({ key, value }));
}

/** Values of fields that hold a secret code: they must never be seen in a reply. */
export function codesOf(facts: GuardFacts): string[] {
  const data: unknown[] = [...facts.tool_results.map((one) => one.data), facts.order];
  return data
    .flatMap((one) => leaves(one, "", false))
    .filter((leaf) => CODE_KEY.test(leaf.key) && leaf.value.length >= 3)
    .map((leaf) => leaf.value);
}

export function indexOf(raw: string[]): FactIndex {
  const texts = raw.map(normaliseText);
  const joined = texts.join("\n\n");
  const identifiers = findIdentifiers(joined);
  const moments = findMoments(identifiers.rest);
  return {
    texts,
    folded: foldCase(joined),
    identifiers: identifiers.found,
    moments: moments.found,
    numbers: findNumbers(moments.rest),
  };
}

/** The newest requisites; none for an order that is dead or another order's. */
function openRequisites(
  results: GuardToolResult[],
  facts: GuardFacts,
): GuardToolResult | undefined {
  const order = Object.fromEntries(fieldsOf(facts.order).map(({ key, value }) => [key, value]));
  if (DEAD_ORDER.test(order.status ?? "")) return undefined;
  return results.findLast((one) => {
    const fields = Object.fromEntries(fieldsOf(one.data).map(({ key, value }) => [key, value]));
    const foreign = order.id !== undefined && fields.orderId !== undefined;
    return fields.ok !== "false" && !(foreign && fields.orderId !== order.id);
  });
}

function texts(fields: Field[]): string[] {
  return fields.map(({ key, value }) => {
    if (/(?:ttl_?|_?)min(?:utes)?$/iu.test(key) && /^\d+$/.test(value)) return `${value} min`;
    return /sec(?:onds)?$/iu.test(key) && /^\d+$/.test(value) ? `${value} sec` : value;
  });
}

/** Of any requisites, also another order's: what is no place to pay to. */
function isPublic({ key }: Field): boolean {
  return /^(?:orderId|ttlMin|expiresAt|network|asset|status|amount\w*)$/u.test(key);
}

function isReference({ key }: Field): boolean {
  return /(?:id|approval|status)$/iu.test(key);
}

/** What a refused call names as the bound that it broke: it is the business's own. */
function isLimit({ key }: Field): boolean {
  return /^(?:limit|(?:min|max)(?:_?amount\w*)?)$/iu.test(key);
}

interface Leaf extends Field {
  internal: boolean;
}

function leaves(data: unknown, key: string, internal: boolean): Leaf[] {
  const inside = internal || INTERNAL_KEY.test(key);
  if (Array.isArray(data)) return data.flatMap((one: unknown) => leaves(one, key, inside));
  if (typeof data === "object" && data !== null) {
    return Object.entries(data).flatMap(([name, value]) => leaves(value, name, inside));
  }
  return data === null || data === undefined
    ? []
    : [{ key, value: String(data), internal: inside }];
}
