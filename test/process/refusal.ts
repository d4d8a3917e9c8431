import { tmpdir } from "node:os";
import { expect } from "vitest";
import { runProgram } from "../support/process.ts";

/** A refused start: one line that tells what to do, no stack, exit 1; at most it said that it begins. */
export async function expectRefusal(env: Record<string, string>, says: RegExp): Promise<void> {
  const { code, out, err } = await runProgram("main.ts", [], { env, cwd: tmpdir() });
  const lines = err.trimEnd().split("\n");
  expect({ code, lines }).toEqual({ code: 1, lines: [expect.stringMatching(says)] });
  expect(["", "Countersign is starting …\n"]).toContain(out);
}
