import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withOwner } from "../../src/store/db.ts";
import { tenants } from "../../src/store/schema/tenancy.ts";
import { type AdminPart, startAdminPart } from "../support/admin-part.ts";

let part: AdminPart;
beforeAll(async () => {
  part = await startAdminPart();
});
afterAll(() => part.close());

async function opened(id: string) {
  await part.addTenant(id);
  const admin = await part.addPerson(id, "admin");
  const operator = await part.addPerson(id, "operator");
  expect((await part.call("POST", `/tenants/${id}/open`)).status).toBe(200);
  return { admin, operator };
}
const changesOf = async (tenant: string) => {
  const { body } = await part.call("GET", `/audit?tenant=${tenant}`);
  return body.items.filter((line: { event_type: string }) => line.event_type === "tenant.changed");
};
const shown = async (tenant: string) => {
  const { body } = await part.call("GET", "/tenants");
  return body.items.find((one: { id: string }) => one.id === tenant);
};

describe("a tenant's name and the staff's language", () => {
  it("are changed while it is set up, told to every process and written to the trail", async () => {
    await part.addTenant("bureau");
    const body = { name: " Моя контора ", language: "ru" };
    const changed = await part.call("PATCH", "/tenants/bureau", { body });
    expect(changed).toMatchObject({ status: 200, body: { name: "Моя контора", language: "ru" } });
    expect(await shown("bureau")).toMatchObject({ name: "Моя контора", language: "ru" });
    expect(part.offices.at(-1)).toEqual({ tenantId: "bureau", language: "ru" });
    expect(await changesOf("bureau")).toMatchObject([
      { user_id: "setup", summary: expect.stringContaining('"Моя контора"') },
    ]);
  });

  it("are changed one by one, and a repetition changes nothing", async () => {
    await part.addTenant("single");
    await part.call("PATCH", "/tenants/single", { body: { name: "One" } });
    await part.call("PATCH", "/tenants/single", { body: { language: "ru" } });
    const again = await part.call("PATCH", "/tenants/single", { body: { language: "ru" } });
    expect(again).toMatchObject({ status: 200, body: { name: "One", language: "ru" } });
    expect(await changesOf("single")).toHaveLength(2);
  });

  it("are an admin's to change once it is open, in the admin's own tenant", async () => {
    const { admin, operator } = await opened("settled");
    const foreign = await opened("elsewhere");
    const path = "/tenants/settled";
    const body = { language: "ru" };
    const statuses = [];
    for (const token of [undefined, operator.token, foreign.admin.token, admin.token])
      statuses.push((await part.call("PATCH", path, { body, ...(token ? { token } : {}) })).status);
    expect(statuses).toEqual([403, 403, 403, 200]);
    expect(await changesOf("settled")).toMatchObject([{ user_id: admin.id }]);
  });

  it.each([
    [{}],
    [{ language: "fr" }],
    [{ name: "  " }],
    [{ name: "two\nlines" }],
    [{ name: "x".repeat(101) }],
    [{ state: "open" }],
  ])("are refused where they do not fit: %j", async (body) => {
    expect((await part.call("PATCH", "/tenants/default", { body })).status).toBe(400);
  });

  it("of none are not found", async () => {
    const answer = await part.call("PATCH", "/tenants/none", { body: { language: "ru" } });
    expect(answer.status).toBe(404);
  });

  it("are not changed in a row that something else has written", async () => {
    const { admin } = await opened("forged");
    await withOwner(part.database.db, (tx) => tx.update(tenants).set({ agentRole: "admin" }));
    const wish = { body: { language: "ru" }, token: admin.token };
    const refused = await part.call("PATCH", "/tenants/forged", wish);
    expect([refused.status, refused.body.error.code]).toEqual([409, "conflict"]);
    await withOwner(part.database.db, (tx) => tx.update(tenants).set({ agentRole: "support" }));
    expect((await shown("forged")).language).toBe("en");
  });
});

describe("making a tenant that is there already", () => {
  it("with the same values is answered as before", async () => {
    const body = { id: "twice", name: "Twice", language: "ru" };
    expect((await part.call("POST", "/tenants", { body })).status).toBe(201);
    expect((await part.call("POST", "/tenants", { body })).status).toBe(200);
  });

  it("with others is refused and says how it is changed", async () => {
    const body = { id: "other", name: "Other", language: "en" };
    await part.call("POST", "/tenants", { body });
    for (const wish of [{ name: "Another" }, { language: "ru" }]) {
      const answer = await part.call("POST", "/tenants", { body: { ...body, ...wish } });
      expect(answer.status).toBe(409);
      expect(answer.body.error.message).toContain("PATCH /api/admin/tenants/other");
    }
    expect(await shown("other")).toMatchObject({ name: "Other", language: "en" });
  });
});
