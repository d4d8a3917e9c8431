import type { Channel, User } from "./state.ts";

/** The played workspace. Its ids are fixed: INTERFACES and the seeded desk name them. */
export const TEAM = { id: "T0SANDBOX", domain: "sandbox", name: "Sandbox" };
export const APP_ID = "A0SANDBOX";
export const BOT = { userId: "U0BOT", botId: "B0BOT", name: "countersign" };
/** It works in the sandbox only, as all of these. */
export const BOT_TOKEN = "xoxb-sandbox-0000000001-bot";
export const APP_TOKEN = "xapp-1-A0SANDBOX-sandbox-app";
export const SIGNING_SECRET = "sandbox-signing-secret";
export const VERIFICATION_TOKEN = "sandbox-verification-token";

/** Scopes of the played installation, as the `x-oauth-scopes` header tells them. */
export const BOT_SCOPES = [
  "app_mentions:read",
  "channels:history",
  "channels:read",
  "chat:write",
  "commands",
  "files:read",
  "files:write",
  "im:history",
  "im:read",
  "im:write",
  "reactions:read",
  "reactions:write",
  "users:read",
] as const;

/** Anyone whose id is first heard of when the person acts gets a name made from it. */
export function personOf(id: string): User {
  const name = id.replace(/^U0?/, "").toLowerCase() || id.toLowerCase();
  const realName = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return { id, name, realName, isBot: false };
}

export function directChannel(id: string, user: string): Channel {
  return { id, name: "", isIm: true, user, members: new Set([BOT.userId, user]) };
}

/** The bot's direct channel with a person has the person's id with a D in front. */
export function directChannelId(user: string): string {
  return `D${user.slice(1)}`;
}
