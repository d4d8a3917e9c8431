import { readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";

/** Beside this file also in the build, which copies the folder. */
const FOLDER = fileURLToPath(new URL("./assets/", import.meta.url));

const TYPES: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** A file of the pages by its bare name; undefined for anything else. */
export function readAsset(name: string): { bytes: Buffer; type: string } | undefined {
  const type = TYPES[extname(name)];
  if (type === undefined || !readdirSync(FOLDER).includes(name)) return undefined;
  return { bytes: readFileSync(FOLDER + name), type };
}
