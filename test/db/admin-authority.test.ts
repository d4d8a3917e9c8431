import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PolicyRow } from "../../src/domain/policy-row.ts";
import { queryRows, withOwner, withTenant } from "../../src/store/db.ts";
import { upsertDestination } from "../../src/store/destinations.ts";
import { addPolicyRows } from "../../src/store/policies.ts";
import { upsertChannel } from "../../src/store/tenants.ts";
import { type AdminPart, AUTHORITY_RULE, startAdminPart } from "../support/admin-part.ts";

const WALLET = "TJtc7HX9ttjj26qEk6LjNtwDcu7eokALUA";
const RULE: PolicyRow = {
  ...{ id: "payout", tool_name: "issue_exchange_payout", role: "*", condition_json: {} },
  ...{ allow_call: true, requires_approval: true, approvals_required: 1, is_active: true },
  ...{ approver_role: "operator", approval_ttl_s: null, max_calls_per_run: 1 },
  max_payload_size: 2000,
};

let part: AdminPart;
let tenants = 0;

beforeAll(async () => {
  part = await startAdminPart();
});
afterAll(() => part.close());

/** A tenant that is open, with people of its own and a chat of the operators. */
async function openOffice({ admins = 1 } = {}) {
  tenants += 1;
  const tenant = `office-${tenants}`;
  await part.addTenant(tenant);
  const first = await part.addPerson(tenant, "admin");
  const others = [];
  for (let count = 1; count < admins; count += 1)
    others.push(await part.addPerson(tenant, "admin"));
  const operator = await part.addPerson(tenant, "operator");
  expect((await part.call("POST", `/tenants/${tenant}/open`)).status).toBe(200);
  const as = (token: string) => (method: string, path: string, body?: unknown) =>
    part.call(method, path, { token, body });
  return {
    tenant,
    ids: { admin: first.id, others: others.map(({ id }) => id), operator: operator.id },
    tokens: { admin: first.token, operator: operator.token },
    admin: as(first.token),
    operator: as(operator.token),
    as,
  };
}
type Office = Awaited<ReturnType<typeof openOffice>>;

const servesOperators = ({ tenant }: Office) =>
  withTenant(part.deps.db, tenant, (tx) =>
    upsertDestination(tx, {
      ...{ tenantId: tenant, purpose: "operators" as const, channelId: `tg-${tenant}` },
      ...{ messenger: "telegram" as const, chatId: "-100", now: part.deps.clock.now() },
    }),
  );
const pending = async ({ admin }: Office) =>
  (await admin("GET", "/approvals?status=pending")).body.items;

describe("a change of authority, once the tenant is open", () => {
  it.each<[string, string, string, (office: Office) => [string, unknown]]>([
    ["where clients pay", "POST", "/exchange/requisites", () => ["", { exchange_binance_id: "7" }]],
    [
      "who pays out",
      "PUT",
      "/exchange/settings",
      () => ["", { payout_providers: { office_cash: "http" } }],
    ],
    [
      "what one person may approve a day",
      "PUT",
      "/exchange/settings",
      () => ["", { operator_daily_cap: "100000" }],
    ],
    ["the policy", "PUT", "/policies", () => ["", [RULE]]],
    ["a new person", "POST", "/staff", () => ["", { name: "Eve", role: "operator" }]],
    ["a role", "PATCH", "/staff", ({ ids }) => [`/${ids.operator}`, { role: "admin" }]],
    [
      "a new account of a person",
      "POST",
      "/staff",
      ({ ids }) => [`/${ids.operator}/identities`, { messenger: "telegram", user_id: "4001" }],
    ],
    ["a token for somebody else", "POST", "/staff", ({ ids }) => [`/${ids.operator}/tokens`, {}]],
  ])("is asked for and not done: %s", async (_what, method, path, given) => {
    const office = await openOffice({ admins: 2 });
    const [rest, body] = given(office);
    const before = await office.admin("GET", path === "/staff" ? "/staff" : path);
    const answer = await office.admin(method, path + rest, body);
    expect([answer.status, answer.body.approval]).toEqual([202, "A-1"]);
    expect(answer.body.message).toMatch(/A-1: another admin has to approve it/);
    expect(answer.body.approves_itself_at).toBeUndefined();
    expect(await office.admin("GET", path)).toEqual(before);
    expect(await pending(office)).toMatchObject([
      { tool_name: "change_authority", approver_role: "admin", requested_by: office.ids.admin },
    ]);
  });

  it("of a lone admin promises no time before its card stands anywhere", async () => {
    const office = await openOffice();
    const { status, body } = await office.admin("POST", "/exchange/requisites", {
      exchange_binance_id: "7",
    });
    expect(status).toBe(202);
    expect(body.approves_itself_at).toBeNull();
    expect(body.message).toMatch(/no chat of operators.*does not take effect by itself/);
    await servesOperators(office);
    const asked = await office.admin("POST", "/exchange/requisites", { exchange_binance_id: "8" });
    expect(asked.body.approves_itself_at).toBeNull();
    expect(asked.body.message).toMatch(/within 10 min; that time starts when the card stands/);
    const shown = await pending(office);
    expect(shown.length).toBeGreaterThan(0);
    for (const one of shown) expect(one.approves_itself_at).toBeNull();
  });

  it("of an admin who has just suspended the other one waits a day", async () => {
    const office = await openOffice({ admins: 2 });
    await servesOperators(office);
    await office.admin("POST", `/staff/${office.ids.others[0]}/suspend`, {});
    const { body } = await office.admin("PUT", "/policies", [RULE]);
    expect(body.message).toMatch(/within 24 h; that time starts when the card stands/);
  });

  it("that changes nothing is answered at once", async () => {
    const office = await openOffice();
    const rules = await office.admin("GET", "/policies");
    expect((await office.admin("PUT", "/policies", rules.body)).status).toBe(200);
    const providers = { payout_providers: { office_cash: "manual" } };
    expect((await office.admin("PUT", "/exchange/settings", providers)).status).toBe(200);
    expect(await pending(office)).toEqual([]);
  });

  it("equal to one that waits is the same request", async () => {
    const office = await openOffice({ admins: 2 });
    const ask = () => office.admin("POST", "/exchange/requisites", { exchange_binance_id: "7" });
    expect((await ask()).body.approval).toBe("A-1");
    expect((await ask()).body.approval).toBe("A-1");
    const other = await office.admin("POST", "/exchange/requisites", { exchange_binance_id: "8" });
    expect(other.body.approval).toBe("A-2");
    expect((await pending(office)).map(({ number }: { number: number }) => number)).toEqual([2]);
  });

  it("shows a new wallet whole, and its request holds it sealed", async () => {
    const office = await openOffice({ admins: 2 });
    await office.admin("POST", "/exchange/requisites", { exchange_wallet_usdt_trc20: WALLET });
    const [approval] = await pending(office);
    expect(approval.material_json).toEqual([
      { label: "Asked for by", value: expect.stringMatching(/^admin of /) },
      { label: "exchange_wallet_usdt_trc20", value: `not set → ${WALLET}` },
    ]);
    const rows = await withTenant(part.database.db, office.tenant, (tx) =>
      queryRows<{ row: string }>(
        tx,
        sql`select c::text as row from tool_call_candidates c union all select k::text from tool_argument_checks k
          union all select l::text from audit_log l`,
      ),
    );
    expect(rows.map(({ row }) => row).join()).not.toContain(WALLET);
  });

  it("that no card could show is refused", async () => {
    const office = await openOffice();
    const rules = Array.from({ length: 21 }, (_, index) => ({ ...RULE, id: `rule-${index}` }));
    const answer = await office.admin("PUT", "/policies", rules);
    expect(answer.status).toBe(422);
    expect(answer.body.error.message).toMatch(/in parts/);
  });

  it("is an admin's to ask for", async () => {
    const office = await openOffice();
    expect((await office.operator("PUT", "/policies", [RULE])).status).toBe(403);
    expect(await pending(office)).toEqual([]);
  });
});

describe("while a tenant is set up", () => {
  it("changes of authority are done at once and audited", async () => {
    await part.addTenant("fresh");
    const done = await part.call("PUT", "/policies?tenant=fresh", { body: [RULE] });
    expect(done.status).toBe(200);
    expect(done.body.policies).toEqual([...AUTHORITY_RULE, RULE]);
    const { body } = await part.call("GET", "/audit?tenant=fresh");
    expect(body.items[0]).toMatchObject({ event_type: "policies.replaced", user_id: "setup" });
  });
});

it("a shipped rule that was taken away stays away when the product starts again", async () => {
  await part.addTenant("leaner");
  const shipped = { ...RULE, id: "shipped" };
  const start = () =>
    withTenant(part.database.db, "leaner", (tx) => addPolicyRows(tx, "leaner", [shipped]));
  await start();
  const ids = async () => {
    const { body } = await part.call("GET", "/policies?tenant=leaner");
    return body.policies.map(({ id }: { id: string }) => id);
  };
  expect(await ids()).toContain("shipped");
  await part.call("PUT", "/policies?tenant=leaner", { body: AUTHORITY_RULE });
  await start();
  expect(await ids()).not.toContain("shipped");
  // and does so too after another change, until people want it again
  await part.call("PUT", "/policies?tenant=leaner", { body: [RULE] });
  await start();
  expect(await ids()).not.toContain("shipped");
  await part.call("PUT", "/policies?tenant=leaner", { body: [shipped] });
  expect(await ids()).toContain("shipped");
});

describe("the rule of such changes", () => {
  it("is fixed, and leaving it out keeps it", async () => {
    await part.addTenant("fixed");
    const [rule] = AUTHORITY_RULE;
    const looser = { ...rule, requires_approval: false };
    const refused = await part.call("PUT", "/policies?tenant=fixed", { body: [looser] });
    expect([refused.status, refused.body.error.path]).toEqual([422, "policies"]);
    await part.call("PUT", "/policies?tenant=fixed", { body: [RULE] });
    const { body } = await part.call("GET", "/policies?tenant=fixed");
    expect(body.policies).toEqual([...AUTHORITY_RULE, RULE]);
  });

  it("cannot be got round by switching its tool off", async () => {
    await part.addTenant("switch");
    const body = { is_active: false };
    const off = await part.call("PATCH", "/tools/change_authority?tenant=switch", { body });
    expect(off.status).toBe(409);
  });
});

describe("a personal token", () => {
  it("of one's own is made at once, also when the tenant is open", async () => {
    const office = await openOffice();
    const own = await office.admin("POST", `/staff/${office.ids.admin}/tokens`, {});
    expect(own.status).toBe(201);
    expect((await office.as(own.body.token)("GET", "/staff")).status).toBe(200);
  });

  it("for somebody else opens nothing before it is decided on", async () => {
    const office = await openOffice({ admins: 2 });
    const asked = await office.admin("POST", `/staff/${office.ids.operator}/tokens`, {});
    expect(asked.status).toBe(202);
    expect((await office.as(asked.body.token)("GET", "/staff")).status).toBe(401);
  });
});

describe("a suspension", () => {
  it("is anybody's of the staff, at once, and kills the token", async () => {
    const office = await openOffice({ admins: 2 });
    const path = `/staff/${office.ids.admin}/suspend`;
    const done = await office.operator("POST", path, { reason: "the phone was stolen" });
    expect(done.body).toMatchObject({ id: office.ids.admin, status: "suspended" });
    expect((await office.admin("GET", "/staff")).status).toBe(401);
    const { body } = await office.operator("GET", "/audit?event_type=staff.suspended");
    expect(body.items).toMatchObject([
      { user_id: office.ids.operator, refs: { reason: "the phone was stolen" } },
    ]);
  });

  it("leaves one admin, and says what to do instead", async () => {
    const office = await openOffice();
    const refused = await office.operator("POST", `/staff/${office.ids.admin}/suspend`, {});
    expect(refused.status).toBe(409);
    expect(refused.body.error.message).toContain(
      `npm run tokens -- create --staff ${office.ids.admin}`,
    );
    expect((await office.admin("GET", "/staff")).status).toBe(200);
  });

  it("ends only by a change of authority", async () => {
    const office = await openOffice();
    await office.operator("POST", `/staff/${office.ids.operator}/suspend`, {});
    const restored = await office.admin("PATCH", `/staff/${office.ids.operator}`, {
      status: "active",
    });
    expect(restored.status).toBe(202);
    const { body } = await office.admin("GET", "/staff");
    expect(body.items).toContainEqual(
      expect.objectContaining({ id: office.ids.operator, status: "suspended" }),
    );
  });
});

describe("the chats of the staff", () => {
  const CHANNEL = { id: "tg:chats", tenantId: "chats", messenger: "telegram", botUserId: null };
  const place = (chat_id: string) => ({ channel_id: CHANNEL.id, chat_id, purpose: "operators" });
  const add = (chat: string) =>
    part.call("POST", "/channels/destinations?tenant=chats", { body: place(chat) });
  const remove = (id: string) => part.call("DELETE", `/channels/destinations/${id}?tenant=chats`);
  const shown = async () =>
    (await part.call("GET", "/channels?tenant=chats")).body.destinations.map(
      ({ id, chat_id }: { id: string; chat_id: string }) => ({ id, chat_id }),
    );

  it("are changed at once during the set-up, and the last one of the operators stays", async () => {
    await part.addTenant("chats");
    expect((await add("-1")).status).toBe(404); // there is no such bot account
    await withOwner(part.database.db, (tx) =>
      upsertChannel(tx, { ...CHANNEL, messenger: "telegram", now: 1000 }),
    );
    expect((await add("-1")).status).toBe(201);
    const [first] = await shown();
    const refused = await remove(first.id);
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      expect.stringMatching(/last chat of the operators/),
    ]);
    await add("-2");
    expect((await remove(first.id)).status).toBe(204);
    expect((await shown()).map(({ chat_id }: { chat_id: string }) => chat_id)).toEqual(["-2"]);
  });
});

describe("secrets", () => {
  it.each([
    ["PUT", "/secrets/telegram_webhook_secret", 403],
    ["DELETE", "/secrets/telegram_webhook_secret", 403],
    ["DELETE", "/secrets/exchange_binance_id", 400],
    ["DELETE", "/secrets/tool_booking_url", 400],
  ])("that give power are not changed here: %s %s", async (method, path, status) => {
    const answer = await part.call(method, path, {
      body: method === "PUT" ? { value: "x" } : undefined,
    });
    expect(answer.status).toBe(status);
  });
});

describe("stops over the API", () => {
  it("are anybody's of the staff to make, and an admin's to end", async () => {
    const office = await openOffice();
    const stopped = await office.operator("POST", "/stops", { what: "all" });
    expect(stopped.body).toMatchObject({
      payouts: { stopped: true, reason: expect.stringMatching(/^operator of .* gave no reason$/) },
      orders: { stopped: true },
      held: 0,
    });
    expect((await office.operator("POST", "/stops/resume", { what: "orders" })).status).toBe(403);
    const orders = await office.admin("POST", "/stops/resume", { what: "orders", reason: "over" });
    expect(orders.body).toMatchObject({ resumed: ["orders"], orders: { stopped: false } });
    const body = { what: "all", reason: "looked through" };
    const asked = await office.admin("POST", "/stops/resume", body);
    expect(asked.body).toMatchObject({ resumed: [], look_through: [], payouts: { stopped: true } });
    const done = await office.admin("POST", "/stops/resume", { ...body, confirmed: true });
    expect(done.body).toMatchObject({ resumed: ["payouts"], payouts: { stopped: false } });
  });

  it("are a person's, not the set-up's", async () => {
    const answer = await part.call("POST", "/stops", { body: { what: "all" } });
    expect(answer.status).toBe(403);
  });
});
