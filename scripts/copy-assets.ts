import { cpSync } from "node:fs";

/** Files of the playground's page that the compiler does not look at. */
cpSync("src/sandbox/page/assets", "dist/sandbox/page/assets", { recursive: true });
