import { serve } from "@hono/node-server";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { seed } from "../../src/cli/seed.ts";
import { type AdminPart, SETUP_TOKEN, startAdminPart } from "../support/admin-part.ts";

let part: AdminPart;
let url: string;
let server: ReturnType<typeof serve>;

beforeEach(async () => {
  part = await startAdminPart();
  url = await new Promise((resolve) => {
    server = serve({ fetch: part.admin.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) =>
      resolve(`http://127.0.0.1:${port}`),
    );
  });
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  await part.close();
});

async function seeded(token: string, to = url): Promise<string[]> {
  const lines: string[] = [];
  await seed({ url: to, token, write: (line) => lines.push(line) });
  return lines;
}

describe("seeding a bot over HTTP", () => {
  it("sets up the desk, shows the admin's token once, and may be repeated by that admin", async () => {
    const lines = await seeded(SETUP_TOKEN);
    const token = lines.join("\n").match(/personal token, shown this once: (\S+)/)?.[1] ?? "";
    expect((await part.call("GET", "/staff", { token })).body.items).toHaveLength(3);

    const again = await seeded(token);
    expect(again.filter((line) => line.includes("already"))).toHaveLength(4);
    expect(again.join("\n")).not.toContain("personal token");
    await expect(seeded(SETUP_TOKEN)).rejects.toThrow("ADMIN_TOKEN only reads");
  });

  it("says that the desk is still closed when no admin holds a token", async () => {
    const { body } = await part.call("GET", "/staff", { token: SETUP_TOKEN });
    expect(body.items).toEqual([]);
    const name = "Admin";
    const identities = [{ messenger: "telegram", user_id: "3001" }];
    await part.call("POST", "/staff", { body: { name, role: "admin", identities } });
    const lines = await seeded(SETUP_TOKEN);
    expect(lines).toContainEqual(
      expect.stringMatching(/tenants\/default\/open: refused: The tenant needs one active admin/),
    );
    expect(lines.at(-1)).toMatch(
      /^The desk is still being set up \(.*npm run tokens -- create --staff ID .* POST \/api\/admin\/tenants\/default\/open with it$/,
    );
    expect(lines).toContain("POST /api/admin/staff: was there already");
  });

  it("refuses a bot that talks to real people", async () => {
    part.deps.dress.sandbox = false;
    await expect(seeded(SETUP_TOKEN)).rejects.toThrow(/real people.*docs\/setup\.md/);
    expect((await part.call("GET", "/staff", { token: SETUP_TOKEN })).body.items).toEqual([]);
  });

  it("says in one line what is wrong", async () => {
    await expect(seeded("wrong")).rejects.toThrow(/^The desk could not be seeded: .*401/);
    await expect(seeded("x", "nowhere")).rejects.toThrow("--url");
  });
});
