import type { Admin } from "./admin/app.ts";
import { loadDeskRequests, sendRequests, toRequest } from "./admin/desk-requests.ts";
import type { Outside } from "./config.ts";
import type { MessengerName } from "./domain/inbound.ts";
import type { Clock } from "./lib/clock.ts";
import { type Db, type Tx, withOwner, withTenant } from "./store/db.ts";
import { applyNamedDestinations } from "./store/destinations.ts";
import { ensureStaffIdentity } from "./store/staff.ts";
import { joinDoubledStaff } from "./store/staff-join.ts";
import { ensureTenant, listTenants, tenantById, upsertChannel } from "./store/tenants.ts";
import { ensureSetupToken } from "./store/tokens.ts";

/** Tokens of the environment mean this tenant; other tenants have no messenger yet. */
export const DEFAULT_TENANT = "default";

/** Our name of a bot account of the environment. */
export function channelOf(messenger: MessengerName): string {
  return `${messenger}:${DEFAULT_TENANT}`;
}

/** Where Telegram delivers when the bot does not poll. */
export function telegramWebhookUrl(publicUrl: string): string {
  return `${publicUrl}/telegram/webhook/${channelOf("telegram")}`;
}

/** For the first start on an empty database. */
export interface BootstrapDeps {
  db: Db;
  clock: Clock;
  /** Tools and default policies of a tenant. */
  prepareTenant(tx: Tx, tenantId: string): Promise<void>;
}

/** The example desk, through the same admin handler that owners use, in the process. */
export async function seedExampleDesk(admin: Admin): Promise<void> {
  await sendRequests(loadDeskRequests(), async (request) => {
    const answer = await admin.handleAs({ kind: "setup" }, toRequest(request));
    return { status: answer.status, body: await answer.json() };
  });
}

/** False: this is the first start. */
export async function hasTenants(db: Db): Promise<boolean> {
  return (await withOwner(db, listTenants)).length > 0;
}

/** What the environment names: tenant, bot accounts, operator chats, staff. Never raises or restores. */
export async function applyEnvironment(deps: BootstrapDeps, outside: Outside): Promise<void> {
  const { db, clock } = deps;
  const now = clock.now();
  const tenantId = DEFAULT_TENANT;
  await withOwner(db, async (tx) => {
    await ensureTenant(tx, { id: tenantId, name: "Countersign", now });
    for (const messenger of messengersOf(outside))
      await upsertChannel(tx, {
        id: channelOf(messenger),
        tenantId,
        messenger,
        botUserId: null,
        now,
      });
  });
  await withTenant(db, tenantId, async (tx) => {
    await deps.prepareTenant(tx, tenantId);
    const named = outside.operatorChats.map((chat) => ({
      ...chat,
      channelId: channelOf(chat.messenger),
    }));
    await applyNamedDestinations(tx, { tenantId, named, now });
    for (const person of outside.staffIds)
      await ensureStaffIdentity(tx, { tenantId, ...person, now });
  });
}

/** Every start brings all tenants' tool registries and staff up to the code. */
export async function prepareTenants(deps: BootstrapDeps): Promise<void> {
  for (const { id } of await withOwner(deps.db, listTenants))
    await withTenant(deps.db, id, async (tx) => {
      await deps.prepareTenant(tx, id);
      await joinDoubledStaff(tx, { tenantId: id, now: deps.clock.now() });
    });
}

/** The token to print once, when one was made. */
export function setupToken(
  db: Db,
  clock: Clock,
  fromEnv: string | undefined,
): Promise<string | null> {
  return withOwner(db, (tx) =>
    ensureSetupToken(tx, { ...(fromEnv ? { fromEnv } : {}), now: clock.now() }),
  );
}

/** All of them, also those still being set up; read as owner, past the tenants' own rights. */
export async function tenantIds(db: Db): Promise<string[]> {
  return (await withOwner(db, listTenants)).map((tenant) => tenant.id);
}

/** Of the default tenant: one installation has one language for its cards. */
export async function staffLanguage(db: Db): Promise<"ru" | "en"> {
  const tenant = await withOwner(db, (tx) => tenantById(tx, DEFAULT_TENANT));
  return tenant?.language ?? "en";
}

function messengersOf(outside: Outside): MessengerName[] {
  return [
    ...(outside.telegram ? (["telegram"] as const) : []),
    ...(outside.slack ? (["slack"] as const) : []),
  ];
}
