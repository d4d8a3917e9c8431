import { readFileSync } from "node:fs";
import { z } from "zod";

const packageSchema = z.object({ version: z.string() });

/** Of this program, as its package says. */
export function productVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return packageSchema.parse(JSON.parse(text)).version;
}
