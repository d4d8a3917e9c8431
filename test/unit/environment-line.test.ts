import { execFileSync } from "node:child_process";
import { parseEnv } from "node:util";
import { expect, it } from "vitest";
import { environmentLine } from "../../src/cli/environment-line.ts";

const VALUES = {
  MAIL_FROM: "Countersign sandbox <bot@sandbox.example>",
  TELEGRAM_OPERATOR_CHAT_ID: "-1002000000001",
  OPENAI_BASE_URL: "http://127.0.0.1:4000/sandbox/model/v1",
  STRANGE: 'a "b" $HOME `c` # d; e & f \\ g',
};
const lines = Object.entries(VALUES).map(([name, value]) => environmentLine(name, value));

it("is read by a shell as it was meant", () => {
  const print = Object.keys(VALUES).map((name) => `printf '%s\\n' "$${name}"`);
  const said = execFileSync("sh", ["-c", [...lines, ...print].join("\n")], { encoding: "utf8" });
  expect(said.trimEnd().split("\n")).toEqual(Object.values(VALUES));
});

it("is read the same from .env", () => {
  expect(parseEnv(lines.join("\n"))).toEqual(VALUES);
});

it("is quoted only where it must be", () => {
  expect(lines.slice(0, 2)).toEqual([
    "MAIL_FROM='Countersign sandbox <bot@sandbox.example>'",
    "TELEGRAM_OPERATOR_CHAT_ID=-1002000000001",
  ]);
});
