import { z } from "zod";
import { UserError } from "../../domain/errors.ts";
import type { Language } from "../../domain/language.ts";
import { parseUrl } from "../../domain/web-address.ts";
import { writeAudit } from "../../store/audit.ts";
import { type KeyChange, type Secrets, sealAnew } from "../../store/secrets.ts";
import { isExchangeSecretName, isWriteOnlySecret } from "../exchange/secret-names.ts";
import { isTronAddress } from "../exchange/tron-address.ts";
import { type AuthorityKind, auditRow, type ChangeScope, oldToNew } from "./kind.ts";

/** A value as it waits for people: it opens at its own place alone, and its hash is what they decide on. */
const sealedValue = z.strictObject({ sealed: z.base64(), hash: z.string().length(64) });

const requisitesArgs = z.strictObject({
  kind: z.literal("requisites"),
  /** null: taken away. */
  values: z
    .record(z.string().max(64), sealedValue.nullable())
    .refine((values) => Object.keys(values).length > 0),
});
export type RequisitesArgs = z.infer<typeof requisitesArgs>;

/** Where leads pay, and what they are told of the office. */
export const requisites: AuthorityKind<RequisitesArgs> = {
  args: requisitesArgs,
  async plan(tx, deps, scope, { values }) {
    const texts = TEXTS[scope.language];
    const names = Object.keys(values).sort();
    const standing = await deps.secrets.all(tx, scope.tenantId, PREFIX);
    const material = names.map((name) => {
      const old = standing.get(name);
      const given = values[name] ?? null;
      const fresh = given && openValue(deps.secrets, scope, name, given);
      const was = old === undefined ? texts.none : lastCharacters(name, old);
      const now = fresh === null ? texts.none : shownWhole(name, fresh);
      return { label: name, value: oldToNew(was, now) };
    });
    const hashOf = (name: string) => {
      const old = standing.get(name);
      return old === undefined ? null : fingerprintOf(deps.secrets, scope.tenantId, name, old);
    };
    return {
      subject: names.join(","),
      before: Object.fromEntries(names.map((name) => [name, hashOf(name)])),
      after: Object.fromEntries(names.map((name) => [name, values[name]?.hash ?? null])),
      material,
    };
  },
  async apply(tx, deps, scope, { values }) {
    const { tenantId, by, now } = scope;
    for (const [name, given] of Object.entries(values)) {
      const value = given && openValue(deps.secrets, scope, name, given);
      if (value === null) await deps.secrets.remove(tx, tenantId, name);
      else await deps.secrets.set(tx, { tenantId, name, value, by, now });
      const summary = `${name} was ${value === null ? "removed" : "set"}`;
      await writeAudit(tx, [
        auditRow(scope, { eventType: "requisite.set", summary, refs: { name } }),
      ]);
    }
    deps.toolsChanged(tx, tenantId);
    return {};
  },
};

const PREFIX = "exchange_";

/** Checks the values and seals them: from here on they stand nowhere in the clear. Throws UserError. */
export function sealRequisites(
  secrets: Secrets,
  tenantId: string,
  values: Record<string, string | null>,
): RequisitesArgs {
  const entries = Object.entries(values).map(([name, value]) => {
    refuseUnusable(name, value);
    if (value === null) return [name, null] as const;
    const sealed = secrets.seal(value, placeOf(tenantId, name)).toString("base64");
    return [name, { sealed, hash: fingerprintOf(secrets, tenantId, name, value) }] as const;
  });
  return { kind: "requisites", values: Object.fromEntries(entries) };
}

const storedRequest = z.looseObject({ change: requisitesArgs });

/**
 * The sealed texts in a stored request's arguments -> the same under another key; null in the place
 * of one that does not open with the old one. Only for requests that are over: the hashes in an
 * action that people have yet to decide on belong to the old key.
 */
export function sealRequestAnew(
  tenantId: string,
  args: unknown,
  change: KeyChange,
): Map<string, string | null> {
  const parsed = storedRequest.safeParse(args);
  const anew = new Map<string, string | null>();
  for (const [name, given] of Object.entries(parsed.data?.change.values ?? {})) {
    if (!given) continue;
    const old = Buffer.from(given.sealed, "base64");
    const sealed = sealAnew(old, placeOf(tenantId, name), change);
    anew.set(given.sealed, sealed?.toString("base64") ?? null);
  }
  return anew;
}

function refuseUnusable(name: string, value: string | null): void {
  if (!isExchangeSecretName(name))
    throw new UserError("unknown_field", `${name}: the desk has no such requisite`, name);
  if (value === null) return;
  if (/^exchange_wallet_[a-z0-9]+_(trc20|tron)$/.test(name) && !isTronAddress(value))
    throw new UserError("invalid", `${name}: this is no TRON address; look for a typo`, name);
  if (name.endsWith("_url") && parseUrl(value)?.protocol !== "https:")
    throw new UserError("invalid", `${name}: a link that starts with https:// is wanted`, name);
}

/** Throws when it was not sealed for this place, or is not what people decided on. */
function openValue(
  secrets: Secrets,
  { tenantId }: ChangeScope,
  name: string,
  { sealed, hash }: z.infer<typeof sealedValue>,
): string {
  const value = secrets.open(Buffer.from(sealed, "base64"), placeOf(tenantId, name));
  if (fingerprintOf(secrets, tenantId, name, value) !== hash)
    throw new Error(`the value of ${name} is not the one that was asked for`);
  return value;
}

function fingerprintOf(secrets: Secrets, tenantId: string, name: string, value: string): string {
  return secrets.fingerprint(value, placeOf(tenantId, name));
}

function placeOf(tenantId: string, name: string): string {
  return JSON.stringify(["requisite", tenantId, name]);
}

/**
 * Clients are going to pay there: people compare every letter, as a look-alike may end the same. A
 * key of another service is told to nobody.
 */
function shownWhole(name: string, value: string): string {
  return isWriteOnlySecret(name) ? lastCharacters(name, value) : value;
}

/** Enough for a person who knows the value to recognise it. */
function lastCharacters(name: string, value: string): string {
  const shown = isWriteOnlySecret(name) || value.length < 12 ? 2 : 6;
  return `…${value.slice(-Math.min(shown, Math.floor(value.length / 3)))}`;
}

const TEXTS: Record<Language, { none: string }> = {
  en: { none: "not set" },
  ru: { none: "не задано" },
};
