import { UserError } from "./errors.ts";
import { parseUrl } from "./web-address.ts";

/** The tenant's secret that switches the booking tool on. */
export const BOOKING_SECRET = "tool_booking_url";

const HOSTS = ["calendly.com", "cal.com", "tidycal.com"];
const MAX_LENGTH = 500;

/** The link as it is stored and sent to leads. Throws UserError when it is none of a known calendar. */
export function parseBookingUrl(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH) throw refused(`it is longer than ${MAX_LENGTH} characters`);
  const url = parseUrl(trimmed);
  if (!url) throw refused("it is no URL");
  if (url.protocol !== "https:") throw refused("it must start with https://");
  if (url.username || url.password) throw refused("it must hold no user name or password");
  if (url.port) throw refused("it must name no port");
  if (!isCalendarHost(url.hostname)) throw refused(`${url.hostname} is no calendar we know`);
  if (url.pathname === "/") throw refused("it names no page to book on");
  return url.href;
}

function isCalendarHost(hostname: string): boolean {
  return HOSTS.some((host) => hostname === host || hostname.endsWith(`.${host}`));
}

function refused(why: string): UserError {
  const wanted = `a link such as https://calendly.com/name/call (${HOSTS.join(", ")})`;
  return new UserError(
    "invalid_url",
    `The booking link cannot be used: ${why}; send ${wanted}`,
    "url",
  );
}
