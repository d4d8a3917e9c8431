import { UserError } from "./errors.ts";
import type { Language } from "./language.ts";
import { parseUrl } from "./web-address.ts";

/** The tenant's secret that switches the booking tool on. */
export const BOOKING_SECRET = "tool_booking_url";

const HOSTS = ["calendly.com", "cal.com", "tidycal.com"];
const MAX_LENGTH = 500;
const LONGEST_ECHO = 64;

/** The link as it is stored and sent to leads. Throws UserError when it is none of a known calendar. */
export function parseBookingUrl(text: string, language: Language = "en"): string {
  const texts = TEXTS[language];
  const trimmed = text.trim();
  const refused = (why: string) => new UserError("invalid_url", texts.refused(why), "url");
  if (trimmed.length > MAX_LENGTH) throw refused(texts.tooLong);
  const url = parseUrl(trimmed);
  if (!url) throw refused(texts.noUrl);
  if (url.protocol !== "https:") throw refused(texts.noHttps);
  if (url.username || url.password) throw refused(texts.userInfo);
  if (url.port) throw refused(texts.port);
  if (!isCalendarHost(url.hostname))
    throw refused(texts.unknownHost(url.hostname.slice(0, LONGEST_ECHO)));
  if (url.pathname === "/") throw refused(texts.noPage);
  return url.href;
}

function isCalendarHost(hostname: string): boolean {
  return HOSTS.some((host) => hostname === host || hostname.endsWith(`.${host}`));
}

const EXAMPLE = `https://calendly.com/name/call (${HOSTS.join(", ")})`;

const TEXTS = {
  en: {
    refused: (why: string) =>
      `The booking link cannot be used: ${why}; send a link such as ${EXAMPLE}`,
    tooLong: `it is longer than ${MAX_LENGTH} characters`,
    noUrl: "it is no URL",
    noHttps: "it must start with https://",
    userInfo: "it must hold no user name or password",
    port: "it must name no port",
    unknownHost: (host: string) => `${host} is no calendar we know`,
    noPage: "it names no page to book on",
  },
  ru: {
    refused: (why: string) =>
      `Эта ссылка для записи не подходит: ${why}; пришлите ссылку вида ${EXAMPLE}`,
    tooLong: `она длиннее ${MAX_LENGTH} знаков`,
    noUrl: "это не адрес",
    noHttps: "адрес должен начинаться с https://",
    userInfo: "в адресе не должно быть имени и пароля",
    port: "в адресе не должно быть порта",
    unknownHost: (host: string) => `${host} не из известных календарей`,
    noPage: "в адресе нет страницы для записи",
  },
} as const satisfies Record<Language, unknown>;
