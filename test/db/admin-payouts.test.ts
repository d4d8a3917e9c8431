import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withTenant } from "../../src/store/db.ts";
import { stopPayouts } from "../../src/store/payout-stop.ts";
import { type AdminPart, startAdminPart } from "../support/admin-part.ts";

let part: AdminPart;
let admin: { id: string; token: string };
let operator: { token: string };
beforeAll(async () => {
  part = await startAdminPart();
  admin = await part.addPerson("default", "admin");
  operator = await part.addPerson("default", "operator");
});
afterAll(() => part.close());

const stop = () =>
  withTenant(part.database.db, "default", (tx) =>
    stopPayouts(tx, { tenantId: "default", by: "restore", reason: "restored", now: 1000 }),
  );
const resume = (body: object, token?: string) =>
  part.call("POST", "/payouts/resume", { body, ...(token ? { token } : {}) });

describe("the API on payouts", () => {
  it("says that they go", async () => {
    expect(await part.call("GET", "/payouts")).toEqual({ status: 200, body: { stopped: false } });
  });

  it("says since when they are stopped, why, and what to look through", async () => {
    await stop();
    expect((await part.call("GET", "/payouts")).body).toEqual({
      ...{ stopped: true, stopped_at: "1970-01-01T00:00:01.000Z", reason: "restored" },
      ...{ look_through: [], look_through_total: 0 },
    });
  });

  it("refuses ADMIN_TOKEN even during the set-up, and an operator", async () => {
    await stop();
    const setup = await resume({ reason: "all is well", confirmed: true });
    expect(setup).toMatchObject({
      status: 403,
      body: { error: { code: "personal_token_required" } },
    });
    const other = await resume({ reason: "all is well", confirmed: true }, operator.token);
    expect(other).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } });
    expect((await part.call("GET", "/payouts")).body.stopped).toBe(true);
  });

  it("wants a reason, and a confirmation before it changes anything", async () => {
    await stop();
    expect((await resume({ reason: " " }, admin.token)).status).toBe(400);
    const asked = await resume({ reason: "looked through" }, admin.token);
    expect(asked.body).toMatchObject({
      ...{ resumed: false, stopped: true },
      message: expect.stringContaining('"confirmed": true'),
    });
    expect((await part.call("GET", "/payouts")).body.stopped).toBe(true);
  });

  it("takes no confirmation from an admin who was not shown the list", async () => {
    await stop();
    const hasty = await part.addPerson("default", "admin");
    const body = { reason: "looked through", confirmed: true };
    expect((await resume(body, hasty.token)).body).toMatchObject({
      ...{ resumed: false, stopped: true, look_through: [] },
    });
    expect((await part.call("GET", "/payouts")).body.stopped).toBe(true);
  });

  it("lets an admin resume them, and keeps who and why", async () => {
    await stop();
    await resume({ reason: "looked through" }, admin.token);
    const done = await resume({ reason: "looked through", confirmed: true }, admin.token);
    expect(done.body).toMatchObject({ resumed: true, stopped: false });
    expect((await part.call("GET", "/payouts")).body).toEqual({ stopped: false });
    const audit = await part.call("GET", "/audit?event_type=payouts.resumed");
    expect(audit.body.items).toMatchObject([
      { user_id: admin.id, refs: { reason: "looked through" } },
    ]);
  });
});
