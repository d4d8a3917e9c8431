import { spawn } from "node:child_process";
import { join } from "node:path";

/** What `npm run check` runs before a commit: the type checker beside everything else. */
const BESIDE: string[][] = [["tsc", "--noEmit"]];
const IN_TURN: string[][] = [
  ["biome", "check", "."],
  ["depcruise", "src", "bench", "--config", ".dependency-cruiser.mjs", "--output-type", "err"],
  ["vitest", "run", "--project", "unit", "--no-color"],
];

async function main(): Promise<number> {
  const codes = await Promise.all([inTurn(BESIDE), inTurn(IN_TURN)]);
  const code = Math.max(...codes);
  console.log(code === 0 ? "check: passed" : "check: failed");
  return code;
}

/** All of them run, so that one look shows every fault. */
async function inTurn(programs: string[][]): Promise<number> {
  let worst = 0;
  for (const program of programs) worst = Math.max(worst, await run(program));
  return worst;
}

function run([program = "", ...args]: string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(join("node_modules", ".bin", program), args, {
      stdio: ["ignore", "inherit", "inherit"],
    });
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
