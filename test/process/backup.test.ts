import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Engine, onServer } from "../support/engines.ts";
import { type Client, createClient, type DeskProcess, openDeskProcess } from "./desk-process.ts";

const embedded: Engine = {
  name: "the embedded database",
  open: async () => ({ url: null, holds: async () => false, drop: async () => {} }),
};

const backups = mkdtempSync(join(tmpdir(), "countersign-backups-"));
const file = join(backups, "desk.backup");
let desk: DeskProcess;
let client: Client;
let card: RegExp;

const lines = (text: string) => text.trimEnd().split("\n");
const command = async (name: string, text: string): Promise<string> => {
  const said = { channel: "C0OPERATORS", user: "U0ADMIN", command: `/${name}`, text };
  return (await desk.world.post("slack/commands", said)).answer.text;
};
const payouts = async () => {
  const { items } = await desk.admin("/exchange/orders");
  const all = await desk.world.get("payouts");
  return { orders: items, paid: all };
};

beforeAll(async () => {
  desk = await openDeskProcess(embedded);
  await desk.admin("/payouts"); // its token is made here: what is made after the backup is gone
  client = createClient(desk, 7500);
  card = new RegExp(`^Payout: approve\\?[^]*${client.name}`);
  await client.pays();
  await client.says("Когда можно забрать?");
});
afterAll(async () => {
  await desk?.close();
  rmSync(backups, { recursive: true, force: true });
});

describe("a backup", () => {
  it("is taken while the bot runs, and says where the key is", async () => {
    const taken = await desk.shell(["backup", file]);
    expect(taken).toMatchObject({ code: 0, err: "" });
    expect(lines(taken.out).at(-1)).toBe(
      `The master key is not in it: keep ${join(desk.dataDir, "master.key")} apart; without it the secrets cannot be read`,
    );
    expect(existsSync(file)).toBe(true);
  });

  it("replaces no file unless it is told to", async () => {
    const again = await desk.shell(["backup", file]);
    expect(again.code).toBe(1);
    expect(lines(again.out)).toEqual([expect.stringMatching(/exists already.*--force/)]);
    expect((await desk.shell(["backup", file, "--force"])).code).toBe(0);
  });

  it("without a FILE is bad usage", async () => {
    for (const name of ["backup", "restore"])
      expect(await desk.shell([name])).toMatchObject({ code: 2 });
  });
});

describe("a restore", () => {
  it("is refused while the bot runs, in one line", async () => {
    const refused = await desk.shell(["restore", file]);
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(lines(refused.err)).toEqual([
      expect.stringMatching(/^DATA_DIR: .* is in use by process \d+/),
    ]);
  });

  it("brings back the database of that time, with payouts stopped", async () => {
    await desk.approves(card);
    await desk.world.idle();
    expect((await payouts()).paid).toHaveLength(1); // in the gap: the backup does not know it
    await desk.kill();
    rmSync(join(desk.dataDir, "db"), { recursive: true });
    const restored = await desk.shell(["restore", file]);
    expect(restored).toMatchObject({ code: 0, err: "" });
    expect(restored.out).toMatch(
      /rows of 20.* are restored\n.*audit\.heads.*\nPayouts are stopped until an admin/,
    );
    await desk.start();
    expect((await payouts()).orders).toMatchObject([{ status: "paid" }]);
    expect(await desk.admin("/payouts")).toMatchObject({ stopped: true });
  });

  it("lets nobody approve a payout until an admin has looked through the list", async () => {
    expect(await desk.approves(card)).toMatch(/^Payouts are stopped since .*backup of/);
    const asked = await command("resume", "payouts went through the books");
    expect(asked).toMatch(/EX-\d+ · paid by the client · Client 7500/);
    expect(asked).toMatch(/A-\d+ · waits for a decision/);
    expect(asked).toContain("/resume payouts confirm went through the books");
    expect(await desk.approves(card)).toMatch(/^Payouts are stopped/);
  });

  it("tells a client who asks meanwhile that a person sees to it", async () => {
    const other = createClient(desk, 7501);
    await other.pays();
    await other.says("Когда можно забрать?");
    expect((await other.heard()).at(-1)).toMatch(/оператор/);
    expect(await desk.cards(new RegExp(`^Payout: approve\\?[^]*${other.name}`))).toEqual([]);
    expect(await desk.cards(new RegExp(`^Check a payout[^]*${other.name}`))).toHaveLength(1);
  });

  it("and goes on afterwards; what was paid in the gap is not paid again", async () => {
    expect(await command("resume", "payouts confirm went through the books")).toBe(
      "Payouts go on.",
    );
    expect(await desk.approves(card)).toMatch(/^A-\d+ approved/);
    await desk.world.idle();
    const { orders, paid } = await payouts();
    expect(paid).toHaveLength(1);
    expect(orders.at(-1).status).toMatch(/^(payout|completed)$/);
  });
});

onServer((engine) => {
  it("a restore of the embedded database's backup is the way to a server", async () => {
    const moved = join(backups, "moved.backup");
    const database = await engine.open();
    try {
      expect((await desk.shell(["backup", moved])).code).toBe(0);
      await desk.kill();
      const server = { DATABASE_URL: database.url ?? "" };
      expect(await desk.shell(["restore", moved], server)).toMatchObject({ code: 0, err: "" });
      await desk.start(server);
      expect((await payouts()).orders).toHaveLength(2);
      expect(await desk.admin("/payouts")).toMatchObject({ stopped: true });
      const refused = await desk.shell(["restore", moved], server);
      expect(refused.err).toMatch(/^DATABASE_URL: a running Countersign uses this database/);
      await client.says("До скольки вы работаете?");
      expect((await client.heard()).at(-1)).toMatch(/10:00/);
    } finally {
      await desk.kill();
      await database.drop();
    }
  });
});
