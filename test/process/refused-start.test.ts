import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startProgram } from "../support/process.ts";
import { expectRefusal } from "./refusal.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-refused-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each<{ because: string; env: Record<string, string>; says: RegExp }>([
  {
    because: "a variable does not fit",
    env: { PORT: "http" },
    says: /^PORT: got "http", wants a port from 0 to 65535$/,
  },
  {
    because: "a real payout gateway stands beside the sandbox",
    env: { PAYOUT_URL: "https://pay.example.com" },
    says: /^PAYOUT_URL: is set while the sandbox is on; .*unset it/,
  },
  {
    because: "the data folder cannot be made",
    env: { DATA_DIR: "/dev/null/folder" },
    says: /^DATA_DIR: \/dev\/null\/folder cannot be written .*choose another folder/,
  },
  {
    because: "the data folder cannot be made, whatever else there is to say",
    env: { DATA_DIR: "/dev/null/folder", OPENAI_API_KEY: "ignored-in-the-sandbox" },
    says: /^DATA_DIR: \/dev\/null\/folder cannot be written/,
  },
  {
    because: "no PostgreSQL answers",
    env: { DATABASE_URL: "postgres://nobody:password@127.0.0.1:1/nothing" },
    says: /^DATABASE_URL: PostgreSQL at 127\.0\.0\.1:1\/nothing cannot be used (?!.*password).*check/,
  },
  {
    because: "no Redis answers",
    env: { REDIS_URL: "redis://127.0.0.1:1" },
    says: /^REDIS_URL: Redis at 127\.0\.0\.1:1 cannot be used .*; check that it runs/,
  },
])("does not start because $because", ({ env, says }) =>
  expectRefusal({ DATA_DIR: join(folder, "data"), PORT: "0", ...env }, says),
);

it("does not start because the key of its data is gone, and makes no other", async () => {
  const dataDir = join(folder, "restored");
  const started = startProgram("main.ts", [], {
    env: { DATA_DIR: dataDir, PORT: "0" },
    cwd: folder,
  });
  await started.says(/ready on/);
  await started.kill();
  const file = join(dataDir, "master.key");
  rmSync(file);
  await expectRefusal(
    { DATA_DIR: dataDir, PORT: "0" },
    /^MASTER_KEY: is not set and \S+restored\/master\.key is not there.*put that file/,
  );
  expect(existsSync(file)).toBe(false);
});

it("does not start because the port is in use", async () => {
  const server = createServer();
  const port = await listen(server);
  await expectRefusal(
    { DATA_DIR: join(folder, "data"), PORT: String(port) },
    new RegExp(`^PORT: ${port} is in use on 127\\.0\\.0\\.1; .*choose another PORT$`),
  );
  server.close();
});

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : 0);
    });
  });
}
