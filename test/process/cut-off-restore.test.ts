import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort, runProgram, startProgram } from "../support/process.ts";

const home = mkdtempSync(join(tmpdir(), "countersign-cut-"));
const backup = join(home, "desk.backup");
const from = join(home, "from");
const to = join(home, "to");
const marker = join(to, "restore.unfinished");
let port = 0;

const optionsOf = (dataDir: string) => ({
  cwd: home,
  env: { SANDBOX: "on", DATA_DIR: dataDir, PORT: String(port) },
});
const shell = (dataDir: string, ...args: string[]) =>
  runProgram("cli.ts", args, optionsOf(dataDir));

beforeAll(async () => {
  port = await freePort();
  expect(await shell(from, "kb", "list")).toMatchObject({ code: 0, err: "" });
  expect(await shell(from, "backup", backup)).toMatchObject({ code: 0, err: "" });
  mkdirSync(to);
  copyFileSync(join(from, "master.key"), join(to, "master.key"));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

it("a restore that is refused leaves no mark", async () => {
  const refused = await shell(from, "restore", backup);
  expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/is not empty/)]);
  expect(existsSync(join(from, "restore.unfinished"))).toBe(false);
});

it("a folder whose restore was killed is no new desk, until the restore is run again", async () => {
  const restoring = startProgram("cli.ts", ["restore", backup], optionsOf(to));
  while (!existsSync(marker)) await setImmediate();
  await restoring.kill();
  expect(existsSync(marker)).toBe(true);

  const line = `DATA_DIR: a restore of ${backup} was cut off; run it again: npm run restore -- ${backup}.`;
  const started = await runProgram("main.ts", [], optionsOf(to));
  expect([started.code, started.out]).toEqual([1, "Countersign is starting …\n"]);
  expect(started.err.trimEnd().split("\n")).toEqual([expect.stringContaining(line)]);
  const listed = await shell(to, "kb", "list");
  expect([listed.code, listed.err]).toEqual([1, expect.stringContaining(line)]);
  const doctor = await shell(to, "doctor");
  expect([doctor.code, doctor.out]).toEqual([1, expect.stringContaining("was cut off")]);

  const again = await shell(to, "restore", backup);
  expect(again).toMatchObject({ code: 0, err: "" });
  expect(again.out).toContain("Payouts are stopped until an admin resumes them");
  expect(existsSync(marker)).toBe(false);
  expect(await shell(to, "kb", "list")).toMatchObject({ code: 0, err: "" });
});
