import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "../../src/store/database.ts";
import { withTenant } from "../../src/store/db.ts";
import { ensureSecret } from "../../src/store/ensure-secret.ts";
import { createSecrets } from "../../src/store/secrets.ts";
import { forEachEngine } from "../support/database.ts";

forEachEngine((open) => {
  let database: Database;
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());

  const secrets = createSecrets(randomBytes(32));
  const ensure = (tenantId: string, value: string) =>
    withTenant(database.db, tenantId, (tx) =>
      ensureSecret(tx, secrets, { tenantId, name: "webhook", value, by: "setup", now: 1 }),
    );

  it("a secret is made once, and is the same at every later start", async () => {
    expect(await ensure("t", "the-first")).toBe("the-first");
    expect(await ensure("t", "the-second")).toBe("the-first");
  });

  it("processes that start at once agree on one", async () => {
    const made = await Promise.all(["a", "b", "c", "d"].map((value) => ensure("u", value)));
    expect(new Set(made).size).toBe(1);
    expect(await ensure("u", "later")).toBe(made[0]);
  });
});
