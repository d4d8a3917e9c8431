import { existsSync } from "node:fs";

/** The browser that the page is tried in, or why there is none. */
export type Chromium = { kind: "found"; path: string } | { kind: "none"; note: string };

const USUAL_PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/opt/google/chrome/chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** CHROMIUM_PATH, else the usual places of a system's own package. */
export function findChromium(given: string | undefined): Chromium {
  const path = (given ? [given] : USUAL_PLACES).find((place) => existsSync(place));
  if (path) return { kind: "found", path };
  const looked = given ? `at CHROMIUM_PATH (${given})` : "in the usual places";
  const note = `no Chromium ${looked}; install the system's package "chromium" or set CHROMIUM_PATH`;
  return { kind: "none", note };
}
