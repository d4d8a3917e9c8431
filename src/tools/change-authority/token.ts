import { z } from "zod";
import { UserError } from "../../domain/errors.ts";
import type { Language } from "../../domain/language.ts";
import { writeAudit } from "../../store/audit.ts";
import { asOwner } from "../../store/enter-tenant.ts";
import { staffById } from "../../store/staff.ts";
import { storePersonalToken } from "../../store/tokens.ts";
import { type AuthorityKind, auditRow, oldToNew } from "./kind.ts";

const DAY_MS = 86_400_000;

const tokenArgs = z.strictObject({
  kind: z.literal("token"),
  staffId: z.string().min(1).max(64),
  /** Of a token that whoever asked for it holds already; it opens nothing before it is stored. */
  tokenHash: z.string().regex(/^[0-9a-f]{64}$/),
  days: z.int().min(1).max(365),
});
export type TokenArgs = z.infer<typeof tokenArgs>;

/** A personal token for somebody else: whoever holds it acts in that person's name. */
export const token: AuthorityKind<TokenArgs> = {
  args: tokenArgs,
  async plan(tx, _deps, { tenantId, language }, { staffId, tokenHash, days }) {
    const texts = TEXTS[language];
    const person = await staffById(tx, tenantId, staffId);
    if (!person) throw new UserError("not_found", texts.unknown(staffId));
    if (person.status !== "active") throw new UserError("conflict", texts.suspended(person.name));
    return {
      subject: `${staffId}:${tokenHash}`,
      before: null,
      after: { staffId, tokenHash, days },
      material: [
        { label: texts.acts, value: `${person.name}, ${person.role}` },
        { label: texts.token, value: oldToNew(texts.none, texts.days(days)) },
      ],
    };
  },
  async apply(tx, _deps, scope, { staffId, tokenHash, days }) {
    const { tenantId, now } = scope;
    const expiresAt = now + days * DAY_MS;
    const id = await asOwner(tx, tenantId, () =>
      storePersonalToken(tx, { tenantId, staffId, tokenHash, expiresAt, now }),
    );
    const summary = `A personal token for ${days} days was made`;
    const refs = { staffId, tokenId: id };
    await writeAudit(tx, [auditRow(scope, { eventType: "token.created", summary, refs })]);
    return refs;
  },
};

const TEXTS = {
  en: {
    acts: "Acts as",
    token: "Token of the admin API",
    none: "none",
    days: (days: number) => `one for ${days} days`,
    unknown: (id: string) => `There is no staff member ${id}; read the list for who there is`,
    suspended: (name: string) => `${name} is suspended; restore the person first`,
  },
  ru: {
    acts: "Действует как",
    token: "Токен админского API",
    none: "нет",
    days: (days: number) => `на ${days} дн.`,
    unknown: (id: string) => `Сотрудника ${id} нет; посмотрите список`,
    suspended: (name: string) => `${name}: отстранён; сначала верните человека`,
  },
} as const satisfies Record<Language, unknown>;
