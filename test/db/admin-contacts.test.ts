import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { withTenant } from "../../src/store/db.ts";
import { contacts } from "../../src/store/schema/chat.ts";
import { auditLog } from "../../src/store/schema/tenancy.ts";
import { type AdminPart, startAdminPart } from "../support/admin-part.ts";

const TENANT = "default";
let part: AdminPart;
let people = 0;
let id: string;

beforeAll(async () => {
  part = await startAdminPart();
  await part.addTenant("other");
});
beforeEach(async () => {
  people += 1;
  id = `contact-${people}`;
  await tenant((tx) =>
    tx
      .insert(contacts)
      .values({ id, tenantId: TENANT, name: "Anna", createdAt: part.deps.clock.now() }),
  );
});
afterAll(() => part.close());

const tenant = <T>(work: Parameters<typeof withTenant<T>>[2]) =>
  withTenant(part.database.db, TENANT, work);
const get = (query = "") => part.call("GET", `/contacts/${id}${query}`);
const patch = (body: object, token?: string) =>
  part.call("PATCH", `/contacts/${id}`, { body, token });
const trail = () =>
  tenant((tx) =>
    tx
      .select({ summary: auditLog.summary, refs: auditLog.refs })
      .from(auditLog)
      .where(and(eq(auditLog.tenantId, TENANT), eq(auditLog.eventType, "contact.changed")))
      .orderBy(auditLog.id),
  );

describe("the card of a contact", () => {
  it("is set field by field, with who set it", async () => {
    const { status, body } = await patch({
      ...{ email: "anna@example.com", email_verified: true },
      attributes: { city: "Phuket", phone: "+7 999 123-45-67" },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ id, name: "Anna", email: "anna@example.com", tasks: [] },
      email_verified_at: expect.stringMatching(/^\d{4}-/),
    });
    expect((await get()).body).toEqual(body);
    const fields = body.attributes.map(({ name, value, updated_by }: Record<string, string>) => [
      ...[name, value, updated_by],
    ]);
    expect(fields).toEqual([
      ["city", "Phuket", "setup"],
      ["email", "anna@example.com", "setup"],
      ["phone", "+7 999 123-45-67", "setup"],
    ]);
  });

  it("keeps the rest, and gives a field up when told null", async () => {
    await patch({ attributes: { city: "Phuket", company: "Lingua" } });
    const { body } = await patch({ attributes: { city: null } });
    expect(body.attributes).toMatchObject([{ name: "company", value: "Lingua" }]);
  });

  it("knows another address as unverified until it is said to be", async () => {
    await patch({ email: "anna@example.com", email_verified: true });
    const same = await patch({ email: "anna@example.com" });
    expect(same.body.email_verified_at).not.toBeNull();
    const other = await patch({ email: "new@example.com" });
    expect(other.body).toMatchObject({ email: "new@example.com", email_verified_at: null });
    const gone = await patch({ email: null });
    expect(gone.body).toMatchObject({ email: null, email_verified_at: null, attributes: [] });
  });

  it("is written to the trail without the values", async () => {
    await patch({ email: "anna@example.com", attributes: { notes: "likes tea" } });
    const own = (await trail()).filter(({ refs }) => JSON.stringify(refs).includes(id));
    expect(own.map(({ summary }) => summary)).toEqual(["notes was set", "the e-mail was set"]);
    expect(JSON.stringify(own)).not.toMatch(/anna@|tea/);
  });

  it.each([
    [{ email: "nobody" }, "email"],
    [{ attributes: { phone: "call me" } }, "attributes.phone"],
    [{ attributes: { balance: "1000" } }, "attributes.balance"],
    [{ attributes: { email: "a@b.co" } }, "attributes.email"],
    [{ kyc: "verified" }, "kyc"],
  ])("refuses %j and names the field", async (body, path) => {
    const answer = await patch(body);
    expect([answer.status, answer.body.error.path]).toEqual([400, expect.stringContaining(path)]);
    expect((await get()).body).toMatchObject({ email: null, attributes: [] });
  });

  it("is another tenant's to neither read nor change", async () => {
    expect((await get("?tenant=other")).status).toBe(404);
    const admin = await part.addPerson("other", "admin");
    expect((await patch({ email: "eve@evil.test" }, admin.token)).status).toBe(404);
  });

  it("is read by operators and changed by admins", async () => {
    const operator = await part.addPerson(TENANT, "operator");
    const admin = await part.addPerson(TENANT, "admin");
    const read = await part.call("GET", `/contacts/${id}`, { token: operator.token });
    expect(read.status).toBe(200);
    expect((await patch({ email: "a@b.co" }, operator.token)).status).toBe(403);
    expect((await patch({ email: "a@b.co" }, admin.token)).status).toBe(200);
  });
});
