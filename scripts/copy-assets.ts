import { cpSync } from "node:fs";

/** Files of the pages that the compiler does not look at. */
for (const folder of ["sandbox/page/assets", "admin/pages/assets"])
  cpSync(`src/${folder}`, `dist/${folder}`, { recursive: true });
