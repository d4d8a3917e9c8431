import { tmpdir } from "node:os";
import { expect, it } from "vitest";
import { runProgram } from "../support/process.ts";

it("a program that shows a secret of its environment fails its test, which names it alone", async () => {
  const env = { PAYOUT_SECRET: "secret-of-the-canary" };
  const leaky = runProgram("../test/support/leaky-program.ts", [], { env, cwd: tmpdir() });
  const failure = await leaky.then(
    () => "",
    (error: Error) => error.message,
  );
  expect(failure).toMatch(/^The standard error of .*leaky-program\.ts .*shows PAYOUT_SECRET$/);
  expect(failure).not.toContain("secret-of-the-canary");
});
