import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort, type Running, runProgram, startProgram } from "../support/process.ts";

const dataDir = mkdtempSync(join(tmpdir(), "evals-api-"));
let bot: Running;
let origin = "";
let token = "";

beforeAll(async () => {
  const env = { DATA_DIR: dataDir, PORT: String(await freePort()) };
  bot = startProgram("main.ts", [], { env, cwd: dataDir });
  origin = (await bot.says(/ready on (\S+)/))[1] ?? "";
  const setup = /shown this once: (\S+)/.exec(bot.out())?.[1] ?? "";
  const { items } = await call("GET", "/staff?tenant=default", setup);
  const admin = items.find(({ role }: { role: string }) => role === "admin");
  const made = await runProgram("cli.ts", ["tokens", "create", "--staff", admin.id], {
    env: { DATA_DIR: dataDir },
    cwd: dataDir,
  });
  token = /^\S+/.exec(made.out)?.[0] ?? "";
});
afterAll(async () => {
  await bot.terminate();
  rmSync(dataDir, { recursive: true, force: true });
});

async function call(method: string, path: string, bearer: string, body?: object) {
  const response = await fetch(`${origin}/api/admin${path}`, {
    method,
    headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return JSON.parse(await response.text());
}

it("a running bot plays the cases in a process of its own and keeps what came of them", async () => {
  const failing = {
    ...{ case_name: "is never so", language: "en", message: "hi", expected_tool: "send_email" },
  };
  await call("PUT", "/quality/evals/cases", token, { cases: [failing] });
  const { batch_id, status } = await call("POST", "/quality/evals/runs", token, {});
  expect(status).toBe("running");
  const path = `/quality/evals/runs?limit=200&batch=${batch_id}`;
  await expect
    .poll(async () => (await call("GET", path, token)).running, { timeout: 240_000 })
    .toBeNull();
  const { items } = await call("GET", path, token);
  const failed = items.filter(({ passed }: { passed: boolean }) => !passed);
  expect(items.length).toBeGreaterThan(40);
  expect(failed).toEqual([
    expect.objectContaining({
      ...{ case_name: "is never so", model_id: "sandbox-rules" },
      failure_reason: "wanted a call of send_email, got none",
    }),
  ]);
});
