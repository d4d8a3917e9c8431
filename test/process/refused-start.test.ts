import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, it } from "vitest";
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
])("does not start because $because", ({ env, says }) =>
  expectRefusal({ DATA_DIR: join(folder, "data"), PORT: "0", ...env }, says),
);

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
