import { parseUrl } from "./domain/web-address.ts";
import { LOOPBACK } from "./variables.ts";

/** Does the address belong to a sandbox, in this process or in another? Absent or broken: no. */
export function isPlayed(address: string | undefined): boolean {
  const parsed = parseUrl(address ?? "");
  if (!parsed) return false;
  if (!LOOPBACK.test(parsed.hostname)) return false;
  return parsed.pathname.startsWith("/sandbox/") || isPlayedMail(parsed);
}

/** A mail server of one's own stands at a port of mail servers; the sandbox's has any free one. */
function isPlayedMail({ protocol, port }: URL): boolean {
  return protocol === "smtp:" && !["", "25", "465", "587"].includes(port);
}
