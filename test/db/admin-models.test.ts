import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_TENANT } from "../../src/bootstrap.ts";
import { type ModelPool, readModelsFile } from "../../src/model/broker/model-pool.ts";
import { type AdminPart, startAdminPart } from "../support/admin-part.ts";

const dir = mkdtempSync(join(tmpdir(), "countersign-models-"));
const file = join(dir, "models.json");
const model = (name: string) => ({
  ...{ name, base_url: `http://${name}.test/v1`, model: name, api_key_ref: "POOL_KEY" },
});
const write = (...names: string[]) =>
  writeFileSync(file, JSON.stringify({ models: names.map(model) }));

let part: AdminPart;
beforeAll(async () => {
  write("a", "b");
  const pool: ModelPool = { entries: readModelsFile(file), file, keyNamed: () => null };
  part = await startAdminPart({ pool });
  for (const tenant of [DEFAULT_TENANT, "shop"]) await part.addTenant(tenant);
});
afterAll(async () => {
  await part.close();
  rmSync(dir, { recursive: true, force: true });
});

const PATH = `/models?tenant=${DEFAULT_TENANT}`;
const RELOAD = `/models/reload?tenant=${DEFAULT_TENANT}`;
const shown = async () =>
  (await part.call("GET", PATH)).body.models.map((one: { llm_name: string }) => one.llm_name);

describe("the models in the admin API", () => {
  it("are shown with what is missing", async () => {
    const { body } = await part.call("GET", PATH);
    expect(body).toMatchObject({
      ...{ file, operation: "reply", providers_usable: 0, providers_total: 1, degraded: true },
      missing_keys: [{ ref: "POOL_KEY" }],
      models: [
        { llm_name: "a", has_key: false, cooldown_until: null, rating: 0.5, verdicts: 0 },
        { llm_name: "b" },
      ],
    });
    const calls = await part.call("GET", `/models/calls?tenant=${DEFAULT_TENANT}&status=ok`);
    expect(calls.body).toEqual({ items: [] });
  });

  it("are read anew by an admin of the installation's own tenant, and by nobody else", async () => {
    write("a", "b", "c");
    const [operator, foreign, admin] = await Promise.all([
      part.addPerson(DEFAULT_TENANT, "operator"),
      part.addPerson("shop", "admin"),
      part.addPerson(DEFAULT_TENANT, "admin"),
    ]);
    for (const [path, token] of [
      [RELOAD, operator.token],
      [RELOAD, foreign.token],
      ["/models/reload?tenant=shop", foreign.token],
    ] as const)
      expect((await part.call("POST", path, { body: {}, token })).status).toBe(403);
    expect((await part.call("POST", "/models/reload?tenant=shop", { body: {} })).status).toBe(403);
    expect(await shown()).toEqual(["a", "b"]);
    const { token } = admin;
    const taken = await part.call("POST", RELOAD, { token });
    expect([taken.status, taken.body]).toEqual([200, { added: ["c"], changed: [], removed: [] }]);
    expect(await shown()).toEqual(["a", "b", "c"]);
    const trail = await part.call("GET", `/audit?tenant=${DEFAULT_TENANT}`, { token });
    expect(JSON.stringify(trail.body)).toContain("added c");
  });

  it("stay as they are when the file is wrong, or lacks one that is not named", async () => {
    writeFileSync(file, "{");
    expect((await part.call("POST", RELOAD, { body: {} })).status).toBe(422);
    write("a");
    const refused = await part.call("POST", RELOAD, { body: {} });
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      expect.stringMatching(/no "b", "c".*nothing was changed/),
    ]);
    expect(await shown()).toEqual(["a", "b", "c"]);
    const remove = ["b", "c"];
    expect((await part.call("POST", RELOAD, { body: { remove } })).body.removed).toEqual(remove);
    expect(await shown()).toEqual(["a"]);
  });
});
