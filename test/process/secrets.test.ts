import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { embeddedEngine } from "../support/engines.ts";
import { type Client, createClient, type DeskProcess, openDeskProcess } from "./desk-process.ts";

let desk: DeskProcess;
let client: Client;
beforeAll(async () => {
  desk = await openDeskProcess(embeddedEngine);
  client = createClient(desk, 7700);
  await client.pays();
  await client.says("Когда можно забрать?");
});
afterAll(() => desk?.close());

const keyIn = (name: string) => readFileSync(join(desk.dataDir, name), "utf8");
const rotate = () => desk.shell(["secrets", "rotate"]);

it("explains itself, and anything but rotate is bad usage", async () => {
  const help = await desk.shell(["secrets", "--help"]);
  expect(help).toMatchObject({ code: 0, out: "usage: npm run secrets -- rotate\n" });
  expect(await desk.shell(["secrets"])).toMatchObject({ code: 2, out: "" });
});

it("is refused while the bot runs, in one line, and the key stays", async () => {
  const before = keyIn("master.key");
  const refused = await rotate();
  expect(refused).toMatchObject({ code: 1, out: "" });
  expect(refused.err).toMatch(/^DATA_DIR: .* is in use by process \d+.*\n$/);
  expect(keyIn("master.key")).toBe(before);
});

it("a desk goes on under the new key where it was", async () => {
  const old = keyIn("master.key");
  await desk.kill();
  const rotated = await rotate();
  expect(rotated).toMatchObject({ code: 0, err: "" });
  expect(rotated.out).toMatch(
    /^\d+ secrets, \d+ other sealed values and \d+ signed rows are under/,
  );
  expect(rotated.out).not.toMatch(/Rows that are not|did not open/);
  expect(keyIn("master.key")).not.toBe(old);
  expect(keyIn("master.key.old")).toBe(old);
  await desk.start();
  expect(await desk.shell(["audit", "verify"])).toMatchObject({ code: 0, err: "" });
  const card = new RegExp(`^Payout: approve\\?[^]*${client.name}`);
  expect(await desk.approves(card)).toMatch(/^A-\d+ approved/); // decided under the new key, asked under the old
  await desk.world.idle();
  expect(await desk.world.get("payouts")).toHaveLength(1);
});

it("the old key starts nothing more", async () => {
  await desk.kill();
  const MASTER_KEY = keyIn("master.key.old").trim();
  const refused = await desk.shell(["tokens", "create", "--staff", "nobody"], { MASTER_KEY });
  expect(refused.code).toBe(1);
  expect(refused.err).toMatch(/^MASTER_KEY: is not the key that this database was written with/);
});
