import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";

// Loaded before the product: `kill -9` at a named point, as a test arms it.

// biome-ignore lint/style/noProcessEnv: the test that starts the product names the folder
const folder = process.env.FAULT_DIR ?? "";

Object.assign(globalThis, {
  async faultPoint<T>(name: string, work: () => Promise<T>): Promise<T> {
    reached(`${name} : before`);
    const result = await work();
    reached(`${name} : after`);
    return result;
  },
});

function reached(point: string): void {
  appendFileSync(join(folder, "reached"), `${point}\n`);
  if (armed() === point) process.kill(process.pid, "SIGKILL");
}

function armed(): string {
  try {
    return readFileSync(join(folder, "armed"), "utf8");
  } catch {
    return "";
  }
}
