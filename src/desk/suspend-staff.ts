import { UserError } from "../domain/errors.ts";
import type { Language } from "../domain/language.ts";
import { lockApproval, lockPerson } from "../store/approvals.ts";
import { writeAudit } from "../store/audit.ts";
import type { Tx } from "../store/db.ts";
import { asOwner } from "../store/enter-tenant.ts";
import { lockActiveAdmins, type StaffMember, staffById, updateStaff } from "../store/staff.ts";
import { countStandingVotes } from "../store/standing-votes.ts";
import {
  dropDraftsOf,
  lockUndoneOf,
  openRequestsOf,
  voidUndoneVotes,
} from "../store/suspension.ts";
import { revokeTokensOf } from "../store/tokens.ts";
import { announce } from "./announce.ts";
import { cancelRequest } from "./cancel-request.ts";
import { type ShowDeps, showCards } from "./show-approval.ts";

/** `language`: of the refusals. */
export interface Suspension {
  tenantId: string;
  staffId: string;
  /** Staff id, or `setup`. */
  by: string;
  reason: string;
  language: Language;
}

/**
 * At once, by anybody of the staff: what the person has not finished counts no more. Votes on what
 * is open or approved and not sent, tokens, requests and typed codes go with it; what was carried out
 * stays. Throws UserError. False: the person was suspended already.
 */
export async function suspendStaff(
  tx: Tx,
  deps: ShowDeps,
  suspension: Suspension,
): Promise<boolean> {
  const { tenantId, staffId, by, language } = suspension;
  const now = deps.clock.now();
  const texts = TEXTS[language];
  // a click of the person that is under way ends first, or sees that it comes too late
  await lockPerson(tx, tenantId, staffId);
  await lockUndoneOf(tx, { tenantId, staffIds: [staffId] });
  const admins = await lockActiveAdmins(tx, tenantId);
  const person = await staffById(tx, tenantId, staffId);
  if (!person) throw new UserError("not_found", texts.unknown(staffId));
  if (person.status === "suspended") return false;
  if (admins.length === 1 && admins[0] === staffId)
    throw new UserError("conflict", texts.lastAdmin(person.name, staffId));
  const change = { status: "suspended", suspendedAt: now, suspendedBy: by } as const;
  await updateStaff(tx, { tenantId, staffId }, change);
  await asOwner(tx, tenantId, () => revokeTokensOf(tx, { tenantId, staffId, now }));
  await voidVotesOf(tx, deps, suspension);
  await cancelRequestsOf(tx, deps, suspension);
  await dropDraftsOf(tx, { tenantId, staffId, now });
  await tell(tx, deps, suspension, person);
  return true;
}

/** The cards show how many are left. */
async function voidVotesOf(
  tx: Tx,
  deps: ShowDeps,
  { tenantId, staffId }: Suspension,
): Promise<void> {
  const now = deps.clock.now();
  for (const id of await voidUndoneVotes(tx, { tenantId, staffId, now })) {
    const approval = await lockApproval(tx, tenantId, id);
    if (!approval) continue;
    const votes = await countStandingVotes(tx, approval);
    await showCards(tx, deps, approval, { votes, outcome: null });
  }
}

/** Nobody decides any more on what the person asked for as staff. */
async function cancelRequestsOf(
  tx: Tx,
  deps: ShowDeps,
  { tenantId, staffId }: Suspension,
): Promise<void> {
  for (const id of await openRequestsOf(tx, { tenantId, staffId })) {
    const approval = await lockApproval(tx, tenantId, id);
    const outcome = TEXTS[deps.dress.staffLanguage].makerSuspended;
    if (approval) await cancelRequest(tx, deps, approval, outcome);
  }
}

async function tell(
  tx: Tx,
  deps: ShowDeps,
  { tenantId, staffId, by, reason }: Suspension,
  person: StaffMember,
): Promise<void> {
  const now = deps.clock.now();
  const texts = TEXTS[deps.dress.staffLanguage];
  const who = (await staffById(tx, tenantId, by))?.name ?? by;
  const text = texts.suspended(person.name, who, reason);
  await announce(tx, { jobs: deps.dress.jobs, tenantId, now }, text);
  const refs = { staffId, ...(reason === "" ? {} : { reason }) };
  const summary = `${person.role} was suspended`;
  await writeAudit(tx, [
    { tenantId, userId: by, createdAt: now, eventType: "staff.suspended", summary, refs },
  ]);
}

const TEXTS = {
  en: {
    unknown: (id: string) => `There is no staff member ${id}; read the list for who there is`,
    lastAdmin: (name: string, id: string) =>
      `${name} is the last active admin: without one nobody could restore anybody, so nothing was changed. /stop all holds the money back at once. If ${name}'s account is in other hands, the owner changes it in the shell of the host: npm run tokens -- create --staff ${id} gives a new token, with which another admin can be made.`,
    makerSuspended: "Cancelled: whoever asked for it was suspended",
    suspended: (name: string, who: string, why: string) =>
      `⛔ ${who} suspended ${name}${why === "" ? "" : `: ${why}`}. Votes on what is not carried out yet, tokens and requests of ${name} count no more; what was approved by such a vote and not sent is asked anew. An admin restores: /staff restore ${name}`,
  },
  ru: {
    unknown: (id: string) => `Сотрудника ${id} нет; посмотрите список`,
    lastAdmin: (name: string, id: string) =>
      `${name}: последний активный администратор. Без него некому было бы возвращать людей, поэтому ничего не изменено. /stop all сразу задержит деньги. Если аккаунт в чужих руках, владелец выдаёт новый токен в консоли сервера: npm run tokens -- create --staff ${id}, и с ним заводит другого администратора.`,
    makerSuspended: "Отменено: кто просил, отстранён",
    suspended: (name: string, who: string, why: string) =>
      `⛔ ${who} отстраняет: ${name}${why === "" ? "" : ` (${why})`}. Голоса за то, что ещё не выполнено, токены и запросы этого человека больше не действуют; одобренное таким голосом и не отправленное снова ждёт решения. Возвращает администратор: /staff restore ${name}`,
  },
} as const satisfies Record<Language, unknown>;
