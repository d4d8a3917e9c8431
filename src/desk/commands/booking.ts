import type { Language } from "../../domain/language.ts";
import type { Tx } from "../../store/db.ts";
import { bookingLink, removeBookingLink, setBookingLink } from "../change-booking.ts";
import type { DeskDeps } from "../deps.ts";
import { DESK_TEXTS } from "../texts.ts";
import { type Command, STAFF, type StaffCall, splitArgs } from "./command.ts";
import { noteForbidden } from "./note-forbidden.ts";

/** The link for calls: shown to staff, set and taken away by admins. */
export const booking: Command = {
  roles: STAFF,
  usage: "[set URL | off]",
  help: {
    en: "the booking link that clients are offered",
    ru: "ссылка для записи, которую получают клиенты",
  },
  async run(tx, deps, call) {
    const { word, rest } = splitArgs(call.command.args);
    const texts = TEXTS[deps.dress.staffLanguage];
    if (word === "") return show(tx, deps, call.tenantId);
    if (word !== "set" && word !== "off") return texts.usage;
    if (call.staff.role !== "admin") {
      await noteForbidden(tx, deps, call);
      return DESK_TEXTS[deps.dress.staffLanguage].adminOnly;
    }
    if (word === "set" && rest === "") return texts.usage;
    return word === "set" ? set(tx, deps, call, rest) : off(tx, deps, call);
  },
};

async function show(tx: Tx, deps: DeskDeps, tenantId: string): Promise<string> {
  const texts = TEXTS[deps.dress.staffLanguage];
  const url = await bookingLink(tx, deps.secrets, tenantId);
  return url === null ? texts.none : texts.shown(url);
}

async function set(tx: Tx, deps: DeskDeps, call: StaffCall, text: string): Promise<string> {
  const language = deps.dress.staffLanguage;
  const change = { ...changeOf(deps, call), url: bareUrl(text), language };
  const url = await setBookingLink(tx, deps.secrets, change);
  deps.toolsChanged(tx, call.tenantId);
  return TEXTS[language].set(url);
}

async function off(tx: Tx, deps: DeskDeps, call: StaffCall): Promise<string> {
  const texts = TEXTS[deps.dress.staffLanguage];
  if (!(await removeBookingLink(tx, deps.secrets, changeOf(deps, call)))) return texts.none;
  deps.toolsChanged(tx, call.tenantId);
  return texts.off;
}

function changeOf(deps: DeskDeps, { tenantId, staff }: StaffCall) {
  return { tenantId, by: staff.id, now: deps.clock.now() };
}

/** Slack writes a link as `<address>` or `<address|words>`. */
function bareUrl(text: string): string {
  return /^<([^|>]+)(?:\|[^>]*)?>$/.exec(text)?.[1] ?? text;
}

const TEXTS = {
  en: {
    none: "No booking link is set, so clients are offered none. An admin sets it: /booking set https://calendly.com/name/call",
    shown: (url: string) => `Clients are offered ${url}`,
    set: (url: string) => `From the next message on clients are offered ${url}`,
    off: "The booking link is removed: from the next message on clients are offered none.",
    usage: "Use /booking, /booking set https://calendly.com/name/call or /booking off.",
  },
  ru: {
    none: "Ссылка для записи не задана, клиентам её не предлагают. Задаёт администратор: /booking set https://calendly.com/name/call",
    shown: (url: string) => `Клиентам предлагается ${url}`,
    set: (url: string) => `Со следующего сообщения клиентам предлагается ${url}`,
    off: "Ссылка для записи убрана: со следующего сообщения клиентам её не предлагают.",
    usage: "Есть /booking, /booking set https://calendly.com/name/call и /booking off.",
  },
} as const satisfies Record<Language, unknown>;
