import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { onServer } from "../support/engines.ts";
import { createPlayedWorld, type PlayedWorld } from "../support/played-world.ts";
import { type Running, runProgram, startProgram } from "../support/process.ts";
import { answersRedis, REDIS } from "../support/redis.ts";
import { createOutsideClient, eventually, playFirstDialog } from "./outside-client.ts";
import { expectRefusal } from "./refusal.ts";

interface Server {
  url: string;
  running: Running;
  /** What /readyz says of Telegram. */
  telegram(): Promise<string>;
}

onServer((engine) => {
  let folder: string;
  let emulators: Running;
  let world: PlayedWorld;
  let env: Record<string, string>;
  let webs: Server[];
  let worker: Server;
  let token: string;
  let database: Awaited<ReturnType<typeof engine.open>>;

  async function start(name: string, more: Record<string, string>): Promise<Server> {
    const own = { ...env, ...more, DATA_DIR: join(folder, name) };
    const running = startProgram("main.ts", [], { env: own, cwd: folder });
    const [, url = ""] = await running.says(/ready on (\S+)/);
    return {
      url,
      running,
      async telegram() {
        const answer = await fetch(`${url}/readyz`);
        const parts = (await answer.json()) as { telegram: { detail: string } };
        return parts.telegram.detail;
      },
    };
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "countersign-servers-"));
    database = await engine.open();
    const args = ["sandbox", "--port", "0", "--data-dir", join(folder, "world")];
    emulators = startProgram("cli.ts", args, { cwd: folder });
    const [, origin = ""] = await emulators.says(/ready on (http\S+)\/sandbox/);
    world = createPlayedWorld(origin);
    env = {
      ...(await world.get("info")).env,
      ...{ SANDBOX: "off", PORT: "0", COALESCE_MS: "30", DATABASE_URL: database.url ?? "" },
      ...{ MASTER_KEY: randomBytes(32).toString("hex") },
      ...((await answersRedis()) ? { REDIS_URL: REDIS } : {}),
    };
    const first = await start("web-1", { ROLE: "web" });
    [, token = ""] = await first.running.says(/shown this once: (\S+)/);
    const seed = ["seed", "--url", first.url, "--token", token];
    expect((await runProgram("cli.ts", seed, { cwd: folder })).err).toBe("");
    webs = [first, await start("web-2", { ROLE: "web" })];
    worker = await start("worker", { ROLE: "worker" });
  });
  afterAll(async () => {
    for (const { running } of [...(webs ?? []), ...(worker ? [worker] : [])]) await running.kill();
    await emulators?.kill();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("two that take events in and one that works play the first dialog to one payout", async () => {
    const told = await playFirstDialog(world, 1001);
    expect(told.quote).toMatch(/62\s?600/);
    expect(told.requisites).toContain("TJtc7HX9ttjj26qEk6LjNtwDcu7eokALUA");
    expect(told.payouts).toHaveLength(1);
    expect(told.done).not.toBe("");
  });

  it("one of them polls Telegram; all say that they are ready", async () => {
    const details = [];
    for (const server of [...webs, worker]) {
      details.push(await server.telegram());
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    }
    expect(details.sort()).toEqual([
      "another process takes events in",
      "polling",
      "this process only sends",
    ]);
  });

  it("what an admin sets at one process is offered by another with the next message", async () => {
    const client = createOutsideClient(world, 1002);
    const asked = { text: "Can I book a call with you?" };
    expect(await client.asks(asked)).toContain("https://calendly.com/");
    const answer = await fetch(`${webs[1]?.url}/api/admin/tools/booking?tenant=default`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status, await answer.text()).toBe(200);
    expect(await client.asks(asked)).not.toContain("https://calendly.com/");
  });

  it("when the one that polls is killed the other takes events in", async () => {
    const details = await Promise.all(webs.map((web) => web.telegram()));
    const polls = details.indexOf("polling");
    await webs[polls]?.running.kill();
    const other = webs[1 - polls];
    await eventually("the other's turn", async () =>
      (await other?.telegram()) === "polling" ? true : undefined,
    );
    const client = createOutsideClient(world, 1003);
    expect(await client.asks({ text: "До скольки вы работаете?" })).toContain("10:00-22:00");
  });

  it("one with another master key is refused", () =>
    expectRefusal(
      { ...env, DATA_DIR: join(folder, "other-key"), MASTER_KEY: randomBytes(32).toString("hex") },
      /^MASTER_KEY: is not the key that this database was written with.*$/,
    ));
});
