import { z } from "zod";
import { EXISTS_ALREADY, UserError } from "../../domain/errors.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { Language } from "../../domain/language.ts";
import { writeAudit } from "../../store/audit.ts";
import type { Tx } from "../../store/db.ts";
import {
  addStaffIdentities,
  createStaff,
  identityHolder,
  lockActiveAdmins,
  type StaffIdentity,
  type StaffMember,
  staffById,
  updateStaff,
} from "../../store/staff.ts";
import { isOfEnvironment, joinStaff, refuseJoined } from "../../store/staff-join.ts";
import { lockUndoneOf } from "../../store/suspension.ts";
import {
  type AuthorityKind,
  auditRow,
  type ChangePlan,
  type ChangeScope,
  oldToNew,
} from "./kind.ts";

const identity = z.strictObject({
  messenger: z.enum(["telegram", "slack"]),
  teamId: z.string().max(20),
  userId: z.string().min(1).max(24),
});
const role = z.enum(["operator", "admin"]);
const staffId = z.string().min(1).max(64);

const staffArgs = z.strictObject({
  kind: z.literal("staff"),
  change: z.discriminatedUnion("op", [
    z.strictObject({
      op: z.literal("create"),
      name: z.string().min(1).max(100),
      role,
      identities: z.array(identity).max(10),
    }),
    z.strictObject({
      op: z.literal("update"),
      staffId,
      role: role.optional(),
      restore: z.literal(true).optional(),
    }),
    z.strictObject({
      op: z.literal("identities"),
      staffId,
      add: z.array(identity).min(1).max(10),
    }),
  ]),
});
export type StaffArgs = z.infer<typeof staffArgs>;
type Change<Op> = Extract<StaffArgs["change"], { op: Op }>;

/** Who belongs to the staff, as what, and by which accounts. */
export const staff: AuthorityKind<StaffArgs> = {
  args: staffArgs,
  async plan(tx, _deps, scope, { change }) {
    switch (change.op) {
      case "create":
        return planNew(tx, scope, change);
      case "update":
        return planUpdate(tx, scope, change);
      case "identities":
        return planIdentities(tx, scope, change);
      default:
        return change satisfies never;
    }
  },
  async apply(tx, _deps, scope, { change }) {
    switch (change.op) {
      case "create":
        return create(tx, scope, change);
      case "update":
        return update(tx, scope, change);
      case "identities":
        return addIdentities(tx, scope, change);
      default:
        return change satisfies never;
    }
  },
};

async function planNew(tx: Tx, scope: ChangeScope, made: Change<"create">): Promise<ChangePlan> {
  const texts = TEXTS[scope.language];
  await refuseTaken(tx, scope, made.identities);
  const accounts = made.identities.map(accountText);
  return {
    subject: `new:${accounts.join(",") || made.name}`,
    before: null,
    after: { name: made.name, role: made.role, accounts },
    material: [
      { label: texts.person, value: oldToNew(texts.nobody, `${made.name}, ${texts[made.role]}`) },
      { label: texts.accounts, value: accounts.join(", ") || "–" },
    ],
  };
}

async function planUpdate(
  tx: Tx,
  scope: ChangeScope,
  change: Change<"update">,
): Promise<ChangePlan> {
  const texts = TEXTS[scope.language];
  const person = await existing(tx, scope, change.staffId);
  const next = {
    role: change.role ?? person.role,
    status: change.restore ? "active" : person.status,
  };
  const admins = await lockActiveAdmins(tx, scope.tenantId);
  if (next.role !== "admin" && admins.length === 1 && admins[0] === person.id)
    throw new UserError("conflict", texts.lastAdmin(person.name));
  const material: ChangePlan["material"] = [{ label: texts.person, value: person.name }];
  if (next.role !== person.role)
    material.push({ label: texts.role, value: oldToNew(texts[person.role], texts[next.role]) });
  if (next.status !== person.status)
    material.push({ label: texts.state, value: oldToNew(texts.suspended, texts.active) });
  return {
    subject: person.id,
    before: { role: person.role, status: person.status },
    after: next,
    material,
  };
}

async function planIdentities(
  tx: Tx,
  scope: ChangeScope,
  change: Change<"identities">,
): Promise<ChangePlan> {
  const texts = TEXTS[scope.language];
  const person = await existing(tx, scope, change.staffId);
  const { joined } = await sortAccounts(tx, scope, person, change.add);
  const added = change.add.map(accountText);
  const asPerson = `${person.name}, ${texts[person.role]}`;
  const joining = joined.map(({ name, role }) => oldToNew(`${name}, ${texts[role]}`, asPerson));
  return {
    subject: `accounts:${person.id}`,
    before: [],
    after: joined.length === 0 ? added : { added, joined: joined.map(({ id }) => id) },
    material: [
      { label: texts.person, value: asPerson },
      { label: texts.newAccounts, value: added.join(", ") },
      ...joining.map((value) => ({ label: texts.onePerson, value })),
    ],
  };
}

async function create(tx: Tx, scope: ChangeScope, made: Change<"create">): Promise<JsonObject> {
  const { tenantId, now } = scope;
  const { name, role: asRole, identities } = made;
  const id = await createStaff(tx, { tenantId, name, role: asRole, identities, now });
  const summary = `${asRole} with ${identities.length} accounts`;
  await writeAudit(tx, [
    auditRow(scope, { eventType: "staff.created", summary, refs: { staffId: id } }),
  ]);
  return { staffId: id };
}

async function update(tx: Tx, scope: ChangeScope, change: Change<"update">): Promise<JsonObject> {
  const { tenantId } = scope;
  const patch = {
    ...(change.role ? { role: change.role } : {}),
    ...(change.restore ? { status: "active" as const } : {}),
  };
  await updateStaff(tx, { tenantId, staffId: change.staffId }, patch);
  const summary = Object.entries(patch)
    .map(([field, value]) => `${field} is now ${value}`)
    .join(", ");
  const refs = { staffId: change.staffId };
  await writeAudit(tx, [auditRow(scope, { eventType: "staff.changed", summary, refs })]);
  return refs;
}

async function addIdentities(
  tx: Tx,
  scope: ChangeScope,
  change: Change<"identities">,
): Promise<JsonObject> {
  const { tenantId, now } = scope;
  const refs = { staffId: change.staffId };
  const person = await existing(tx, scope, change.staffId);
  const { fresh, joined } = await sortAccounts(tx, scope, person, change.add);
  for (const { id: from } of joined) {
    await joinStaff(tx, { tenantId, from, into: person.id, by: scope.by, now });
    const summary = "became one person with another row, with accounts and rights of that one";
    const joins = { staffId: from, into: person.id };
    await writeAudit(tx, [auditRow(scope, { eventType: "staff.changed", summary, refs: joins })]);
  }
  await addStaffIdentities(tx, { tenantId, ...refs, identities: fresh, now });
  const summary = `${change.add.length} accounts were added`;
  await writeAudit(tx, [auditRow(scope, { eventType: "staff.changed", summary, refs })]);
  return refs;
}

async function existing(tx: Tx, scope: ChangeScope, id: string): Promise<StaffMember> {
  const person = await staffById(tx, scope.tenantId, id);
  const texts = TEXTS[scope.language];
  if (!person) throw new UserError("not_found", texts.unknown(id));
  await refuseJoined(tx, { tenantId: scope.tenantId, staffId: id }, (into) =>
    texts.joinedBefore(person.name, into),
  );
  return person;
}

/** Accounts that nobody has, and the people whose account one of them is. */
async function sortAccounts(
  tx: Tx,
  scope: ChangeScope,
  person: StaffMember,
  add: readonly StaffIdentity[],
): Promise<{ fresh: StaffIdentity[]; joined: StaffMember[] }> {
  const fresh: StaffIdentity[] = [];
  const joined = new Map<string, StaffMember>();
  for (const one of add) {
    const holder = await identityHolder(tx, { tenantId: scope.tenantId, ...one });
    if (holder?.id === person.id) throw new UserError("conflict", EXISTS_ALREADY);
    if (!holder) fresh.push(one);
    else joined.set(holder.id, await joinable(tx, scope, { person, holder, account: one }));
  }
  await keepAnAdmin(tx, scope, [...joined.values()]);
  return { fresh, joined: [...joined.values()] };
}

/** Two people whom somebody of the staff made are two. */
async function joinable(
  tx: Tx,
  { tenantId, language }: ChangeScope,
  of: { person: StaffMember; holder: StaffMember; account: StaffIdentity },
): Promise<StaffMember> {
  const { person, holder } = of;
  const texts = TEXTS[language];
  const account = accountText(of.account);
  if (!(await isOfEnvironment(tx, tenantId, holder))) {
    const isReverse = await isOfEnvironment(tx, tenantId, person);
    const text = isReverse ? texts.joinThere(account, holder) : texts.twoPeople(account, holder);
    throw new UserError("conflict", text);
  }
  if (holder.status !== "active")
    throw new UserError("conflict", texts.holderSuspended(account, holder));
  return holder;
}

async function keepAnAdmin(
  tx: Tx,
  { tenantId, language }: ChangeScope,
  joined: readonly StaffMember[],
): Promise<void> {
  if (joined.length === 0) return;
  await lockUndoneOf(tx, { tenantId, staffIds: joined.map(({ id }) => id) }); // before rows of staff
  const admins = await lockActiveAdmins(tx, tenantId);
  const lost = joined.find(({ id }) => admins.includes(id));
  const left = admins.filter((id) => joined.every((one) => one.id !== id));
  if (lost && left.length === 0)
    throw new UserError("conflict", TEXTS[language].lastAdmin(lost.name));
}

/** What one person has already is there; else it is told how the accounts become one person's. */
async function refuseTaken(
  tx: Tx,
  { tenantId, language }: ChangeScope,
  identities: readonly StaffIdentity[],
): Promise<void> {
  const holders: (StaffMember | null)[] = [];
  for (const one of identities) holders.push(await identityHolder(tx, { tenantId, ...one }));
  const taken = holders.findIndex((holder) => holder !== null);
  const [first, account] = [holders[taken], identities[taken]];
  if (!first || !account) return;
  const isAll = holders.every((holder) => holder?.id === first.id);
  const text = isAll ? EXISTS_ALREADY : TEXTS[language].addThere(accountText(account), first);
  throw new UserError("conflict", text);
}

function accountText({ messenger, teamId, userId }: StaffIdentity): string {
  return [messenger, teamId, userId].filter(Boolean).join(" ");
}

type Named = Pick<StaffMember, "name" | "id">;

const TEXTS = {
  en: {
    person: "Person",
    nobody: "nobody",
    role: "Role",
    state: "State",
    accounts: "Accounts",
    newAccounts: "New accounts",
    onePerson: "Become one person",
    operator: "operator",
    admin: "admin",
    active: "active",
    suspended: "suspended",
    unknown: (id: string) => `There is no staff member ${id}; read the list for who there is`,
    lastAdmin: (name: string) => `${name} is the last active admin; make another admin first`,
    joinedBefore: (name: string, into: string) =>
      `${name} became one person with ${into}; change that one`,
    addThere: (account: string, { name, id }: Named) =>
      `${account} is an account of ${name} already; give that person the others: POST /api/admin/staff/${id}/identities`,
    joinThere: (account: string, { name, id }: Named) =>
      `${account} is an account of ${name}, whom somebody of the staff made; join the other way round: POST /api/admin/staff/${id}/identities with the account that the environment named`,
    twoPeople: (account: string, { name, id }: Named) =>
      `${account} is an account of ${name}; only people whom the environment named are joined with others: POST /api/admin/staff/${id}/suspend, or leave the account where it is`,
    holderSuspended: (account: string, { name, id }: Named) =>
      `${account} is an account of ${name}, who is suspended; restore that person first: PATCH /api/admin/staff/${id} {"status":"active"}`,
  },
  ru: {
    person: "Сотрудник",
    nobody: "никого",
    role: "Роль",
    state: "Состояние",
    accounts: "Аккаунты",
    newAccounts: "Новые аккаунты",
    onePerson: "Становятся одним человеком",
    operator: "оператор",
    admin: "администратор",
    active: "работает",
    suspended: "отстранён",
    unknown: (id: string) => `Сотрудника ${id} нет; посмотрите список`,
    lastAdmin: (name: string) =>
      `${name}: последний активный администратор; сначала нужен другой администратор`,
    joinedBefore: (name: string, into: string) =>
      `${name}: теперь один человек с ${into}; меняйте ту запись`,
    addThere: (account: string, { name, id }: Named) =>
      `${account}: уже аккаунт человека ${name}; добавьте остальные ему: POST /api/admin/staff/${id}/identities`,
    joinThere: (account: string, { name, id }: Named) =>
      `${account}: аккаунт человека ${name}, которого завели сами сотрудники; объедините наоборот: POST /api/admin/staff/${id}/identities с аккаунтом, названным в переменных`,
    twoPeople: (account: string, { name, id }: Named) =>
      `${account}: аккаунт человека ${name}; с другими объединяют только тех, кого назвали переменные: POST /api/admin/staff/${id}/suspend, или оставьте аккаунт там`,
    holderSuspended: (account: string, { name, id }: Named) =>
      `${account}: аккаунт человека ${name}, он отстранён; сначала верните его: PATCH /api/admin/staff/${id} {"status":"active"}`,
  },
} as const satisfies Record<Language, unknown>;
