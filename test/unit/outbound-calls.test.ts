import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { REPOSITORY } from "../support/process.ts";

/**
 * Everything else that opens a connection, with the reason why it need not go through
 * src/lib/outbound-http.ts: what it calls was named by the owner, or by the platform itself.
 */
const ALLOWED: Record<string, string> = {
  "src/lib/outbound-http.ts": "the client for addresses of tenants, leads and documents",
  "src/lib/public-address.ts": "judges addresses, opens none",
  "src/http-server.ts": "listens",
  "src/store/folder-lock.ts": "a socket in the data folder",
  "src/report-alive.ts": "HEARTBEAT_URL of the environment",
  "src/cli/seed.ts": "--url of the owner's shell",
  "src/cli/lab-world.ts": "the played world that the same command has started",
  "src/cli/regression-replay.ts": "the played world that the same command has started",
  "src/quality/regressions/fetch-export.ts": "--api-base of the owner's shell",
  "src/model/lean-fetch.ts": "OPENAI_BASE_URL of the environment",
  "src/cli/doctor-outside.ts": "PUBLIC_URL and the messengers' addresses, of the environment",
  "src/tools/exchange/payout-client.ts": "PAYOUT_URL of the environment",
  "src/tools/mail/smtp-client.ts": "SMTP_URL of the environment",
  "src/tools/exchange/tron-grid.ts": "TRONGRID_URL of the environment",
  "src/bot/telegram/bot.ts": "TELEGRAM_API_ROOT of the environment",
  "src/bot/fetch-file.ts": "files of the messenger, from its own hosts only",
  "src/bot/slack/answers.ts": "a response_url of a signed request, from Slack's own hosts only",
  "src/bot/slack/send-files.ts": "an upload address that Slack's API has just given",
};

const CALLS = [
  /(?<![.\w])fetch\s*\((?!\w+:)/, // a call, not the declaration of a method of that name
  /(?<![.\w])fetch\)/,
  /"undici"/,
  /"node:(http|https|http2|net|tls|dgram)"/,
  /^import (?!type)[^;]*"nodemailer(\/lib\/smtp-[a-z-]+)?"/m,
  /\bnew (WebSocket|EventSource)\b/,
];

it("every connection to the outside has its reason", () => {
  const found = sources().filter((file) => {
    const text = readFileSync(join(REPOSITORY, file), "utf8");
    return CALLS.some((call) => call.test(text));
  });
  expect(found.sort()).toEqual(Object.keys(ALLOWED).sort());
});

function sources(): string[] {
  return readdirSync(join(REPOSITORY, "src"), { recursive: true, encoding: "utf8" })
    .map((name) => join("src", name))
    .filter((file) => file.endsWith(".ts") && !file.startsWith("src/sandbox/"));
}
