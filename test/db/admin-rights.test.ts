import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createToken } from "../../src/cli/tokens.ts";
import { withTenant } from "../../src/store/db.ts";
import { ensureStaffIdentity, findStaffByIdentity } from "../../src/store/staff.ts";
import { type AdminPart, startAdminPart } from "../support/admin-part.ts";

let part: AdminPart;

beforeAll(async () => {
  part = await startAdminPart();
});
afterAll(() => part.close());

async function openedTenant(id: string) {
  await part.addTenant(id);
  const admin = await part.addPerson(id, "admin");
  const operator = await part.addPerson(id, "operator");
  expect((await part.call("POST", `/tenants/${id}/open`)).status).toBe(200);
  return { admin, operator };
}

describe("a token", () => {
  it("is asked for, and the answer says which", async () => {
    const response = await part.admin.fetch(new Request("http://localhost/api/admin/tools"));
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    expect((await part.call("GET", "/tools", { token: "wrong" })).status).toBe(401);
  });

  it("of a person works in the person's tenant only", async () => {
    await part.addTenant("home");
    await part.addTenant("away");
    const { token } = await part.addPerson("home", "admin");
    expect((await part.call("GET", "/staff", { token })).body.items).toHaveLength(1);
    expect((await part.call("GET", "/staff?tenant=away", { token })).status).toBe(403);
    const { body } = await part.call("GET", "/tenants", { token });
    expect(body.items.map((one: { id: string }) => one.id)).toEqual(["home"]);
  });

  it("of a suspended person is dead, and stays dead when the person is restored", async () => {
    await part.addTenant("leaving");
    await part.addPerson("leaving", "admin");
    const { id, token } = await part.addPerson("leaving", "operator");
    expect((await part.call("GET", "/staff", { token })).status).toBe(200);
    await part.call("DELETE", `/staff/${id}?tenant=leaving`);
    expect((await part.call("GET", "/staff", { token })).status).toBe(401);
    await part.call("PATCH", `/staff/${id}?tenant=leaving`, { body: { status: "active" } });
    expect((await part.call("GET", "/staff", { token })).status).toBe(401);
  });

  it("is listed without what opens, and ended alone, by an admin, at once", async () => {
    const { admin, operator } = await openedTenant("listed");
    const second = await part.call("POST", `/staff/${admin.id}/tokens`, { token: admin.token });
    const path = `/staff/${admin.id}/tokens`;
    const listed = await part.call("GET", path, { token: operator.token });
    expect(listed.body.items).toEqual([
      { id: second.body.id, created_at: expect.any(String), expires_at: second.body.expires_at },
      expect.objectContaining({ id: expect.any(String) }),
    ]);
    const end = `${path}/${second.body.id}`;
    expect((await part.call("DELETE", end, { token: operator.token })).status).toBe(403);
    expect((await part.call("DELETE", end, { token: admin.token })).status).toBe(200);
    expect((await part.call("GET", "/staff", { token: second.body.token })).status).toBe(401);
    expect((await part.call("GET", "/staff", { token: admin.token })).status).toBe(200);
    expect((await part.call("DELETE", end, { token: admin.token })).status).toBe(404);
    const { body } = await part.call("GET", "/audit", { token: admin.token });
    expect(body.items[0]).toMatchObject({ event_type: "token.revoked", user_id: admin.id });
  });

  it("is made from the host's shell when the last one was lost", async () => {
    const { admin } = await openedTenant("lost");
    const lines: string[] = [];
    const parts = { ...part.deps, write: (line: string) => lines.push(line) };
    await createToken(parts, { staffId: admin.id, tenantId: "lost" });
    const token = lines[0];
    // a beginning of its own: one with a dash would be read as an option of a command
    expect(token).toMatch(/^cst_[\w-]{43}$/);
    expect((await part.call("PUT", "/exchange/settings", { token, body: {} })).status).toBe(200);
    await expect(createToken(parts, { staffId: "nobody", tenantId: "lost" })).rejects.toThrow(
      admin.id,
    );
  });
});

describe("ADMIN_TOKEN", () => {
  it("sets a tenant up, but decides nothing", async () => {
    await part.addTenant("fresh");
    const settings = { body: { rate_refresh_sec: 120 } };
    expect((await part.call("PUT", "/exchange/settings?tenant=fresh", settings)).status).toBe(200);
    const decision = { body: { decision: "approve" } };
    const refused = await part.call("POST", "/approvals/A-1/decision?tenant=fresh", decision);
    expect(refused.status).toBe(403);
    expect(refused.body.error.code).toBe("personal_token_required");
    expect(part.decisions).toEqual([]);
  });

  it.each([
    ["PUT", "/exchange/settings", {}],
    ["PUT", "/exchange/rates", {}],
    ["POST", "/exchange/requisites", {}],
    ["PUT", "/policies", []],
    ["POST", "/staff", { name: "Eve", role: "admin" }],
    ["DELETE", "/tools/booking", undefined],
    ["PUT", "/secrets/api_key", { value: "x" }],
    ["POST", "/kb/documents", { source: "a", body: "b" }],
    ["POST", "/approvals/A-1/decision", { decision: "approve" }],
  ])("only reads once the tenant is open: %s %s is refused", async (method, path, body) => {
    if ((await part.call("GET", "/staff?tenant=busy")).status === 404) await openedTenant("busy");
    const answer = await part.call(method, `${path}?tenant=busy`, { body });
    expect(answer.status).toBe(403);
    expect(answer.body.error.code).toBe("personal_token_required");
    expect((await part.call("GET", "/audit?tenant=busy")).status).toBe(200);
  });

  it("makes no token for itself once the tenant is open", async () => {
    const { admin } = await openedTenant("locked");
    const answer = await part.call("POST", `/staff/${admin.id}/tokens?tenant=locked`);
    expect(answer.status).toBe(403);
  });

  it("still makes new tenants, each with its tools", async () => {
    const made = await part.call("POST", "/tenants", { body: { id: "second", name: "Second" } });
    expect(made.status).toBe(201);
    expect(made.body.state).toBe("setup");
    const tools = await part.call("GET", "/tools?tenant=second");
    expect(tools.body.items).toHaveLength(3);
    expect((await part.call("GET", "/tools?tenant=none")).status).toBe(404);
  });
});

describe("opening a tenant", () => {
  it("needs an active admin with a token that works, and says so", async () => {
    await part.addTenant("bare");
    await part.addPerson("bare", "operator");
    const refused = await part.call("POST", "/tenants/bare/open");
    expect(refused.status).toBe(409);
    expect(refused.body.error.message).toContain("admin");
    expect((await part.call("GET", "/tenants")).body.items).toContainEqual(
      expect.objectContaining({ id: "bare", state: "setup" }),
    );
    await part.addPerson("bare", "admin");
    const opened = await part.call("POST", "/tenants/bare/open");
    expect(opened.body).toMatchObject({ state: "open" });
    expect((await part.call("POST", "/tenants/bare/open")).status).toBe(200);
  });

  it("is written to the trail once, like every other change", async () => {
    const { admin } = await openedTenant("trail");
    await part.call("POST", "/tools/booking", {
      token: admin.token,
      body: { url: "https://cal.com/anna" },
    });
    const { body } = await part.call("GET", "/audit?tenant=trail");
    const events = body.items.map((row: { event_type: string }) => row.event_type);
    expect(events).toEqual([
      "booking.set",
      "tenant.opened",
      "token.created",
      "staff.created",
      "token.created",
      "staff.created",
    ]);
    expect(body.items[0]).toMatchObject({ user_id: admin.id, tenant_id: "trail" });
    expect(body.items[5].user_id).toBe("setup");
  });
});

describe("an operator", () => {
  it("reads and decides, but changes nothing", async () => {
    const { operator } = await openedTenant("shift");
    const { token } = operator;
    expect((await part.call("GET", "/exchange/rates", { token })).status).toBe(200);
    expect((await part.call("PUT", "/policies", { token, body: [] })).status).toBe(403);
    const decided = await part.call("POST", "/approvals/A-404/decision", {
      token,
      body: { decision: "approve" },
    });
    expect(decided.status).toBe(404); // allowed, and there is none of this number
  });
});

describe("staff", () => {
  it("of one account is one person on both messengers", async () => {
    await part.addTenant("people");
    const alice = {
      name: "Alice",
      role: "operator",
      identities: [
        { messenger: "slack", user_id: "U0ALICE" },
        { messenger: "telegram", user_id: "2001" },
      ],
    };
    const made = await part.call("POST", "/staff?tenant=people", { body: alice });
    expect(made.status).toBe(201);
    const found = await withTenant(part.database.db, "people", async (tx) => [
      await findStaffByIdentity(tx, {
        tenantId: "people",
        messenger: "slack",
        teamId: "T1",
        userId: "U0ALICE",
      }),
      await findStaffByIdentity(tx, {
        tenantId: "people",
        messenger: "telegram",
        teamId: "",
        userId: "2001",
      }),
    ]);
    expect(found.map((person) => person?.id)).toEqual([made.body.id, made.body.id]);
    expect((await part.call("POST", "/staff?tenant=people", { body: alice })).status).toBe(409);
  });

  it("is never left without an admin", async () => {
    await part.addTenant("last");
    const { id } = await part.addPerson("last", "admin");
    expect((await part.call("DELETE", `/staff/${id}?tenant=last`)).status).toBe(409);
    const demoted = { body: { role: "operator" } };
    expect((await part.call("PATCH", `/staff/${id}?tenant=last`, demoted)).status).toBe(409);
    await part.addPerson("last", "admin");
    expect((await part.call("DELETE", `/staff/${id}?tenant=last`)).body.status).toBe("suspended");
  });

  it("named in the environment is made once, and never raised or restored by it", async () => {
    await part.addTenant("env");
    await part.addPerson("env", "admin");
    const person = { tenantId: "env", messenger: "telegram", userId: "77", now: 1 } as const;
    const ensure = (role: "operator" | "admin") =>
      withTenant(part.database.db, "env", (tx) => ensureStaffIdentity(tx, { ...person, role }));
    const find = () =>
      withTenant(part.database.db, "env", (tx) =>
        findStaffByIdentity(tx, { ...person, teamId: "" }),
      );
    await ensure("operator");
    const first = await find();
    await part.call("DELETE", `/staff/${first?.id}?tenant=env`);
    await ensure("admin");
    expect(await find()).toMatchObject({ id: first?.id, role: "operator", status: "suspended" });
  });
});
