import type { webApi } from "@slack/bolt";

const FILES_HOST = "files.slack.com";

/** Files lie on Slack's own host, or where the configured API is; the token goes nowhere else. */
export function isOwnHost(client: webApi.WebClient): (url: URL) => boolean {
  const api = new URL(client.slackApiUrl);
  return ({ protocol, host }) =>
    (protocol === "https:" && host === FILES_HOST) ||
    (protocol === api.protocol && host === api.host);
}
