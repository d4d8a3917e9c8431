import type { Language } from "../../domain/language.ts";
import type { Tx } from "../../store/db.ts";
import { listStaff, type StaffWithIdentities } from "../../store/staff.ts";
import type { DeskDeps } from "../deps.ts";
import { findPerson } from "../find-person.ts";
import { requestChange, requestedText } from "../request-change.ts";
import { suspendStaff } from "../suspend-staff.ts";
import { DESK_TEXTS } from "../texts.ts";
import { type Command, echoed, STAFF, type StaffCall, splitArgs } from "./command.ts";
import { noteForbidden } from "./note-forbidden.ts";

/** Who belongs to the staff; anybody suspends, at once; an admin asks for a restoration. */
export const staff: Command = {
  roles: STAFF,
  namesClients: true,
  usage: "[suspend NAME | restore NAME]",
  help: {
    en: "who works here; suspends a person at once; an admin restores",
    ru: "кто здесь работает; сразу отстраняет человека; возвращает администратор",
  },
  async run(tx, deps, call) {
    const { word, rest } = splitArgs(call.command.args);
    const texts = TEXTS[deps.dress.staffLanguage];
    const people = await listStaff(tx, call.tenantId);
    if (word === "") return people.map((person) => lineOf(person, texts)).join("\n");
    if ((word !== "suspend" && word !== "restore") || rest === "") return texts.usage;
    if (word === "restore" && call.staff.role !== "admin") {
      await noteForbidden(tx, deps, call);
      return DESK_TEXTS[deps.dress.staffLanguage].adminOnly;
    }
    const found = findPerson(people, rest);
    if (found.kind === "nobody") return texts.nobody(echoed(rest));
    if (found.kind === "several")
      return [texts.several, ...found.people.map((one) => `– ${one.name} · ${one.id}`)].join("\n");
    return word === "suspend"
      ? suspend(tx, deps, call, found.person)
      : restore(tx, deps, call, found.person);
  },
};

async function suspend(
  tx: Tx,
  deps: DeskDeps,
  { tenantId, staff: by }: StaffCall,
  person: StaffWithIdentities,
): Promise<string> {
  const language = deps.dress.staffLanguage;
  const texts = TEXTS[language];
  const asked = { tenantId, staffId: person.id, by: by.id, reason: "", language };
  const isNew = await suspendStaff(tx, deps, asked);
  return isNew ? texts.suspended(person.name) : texts.suspendedBefore(person.name);
}

async function restore(
  tx: Tx,
  deps: DeskDeps,
  { tenantId, staff: by, command }: StaffCall,
  person: StaffWithIdentities,
): Promise<string> {
  const language = deps.dress.staffLanguage;
  const texts = TEXTS[language];
  if (person.status === "active") return texts.active(person.name);
  const change = {
    kind: "staff",
    change: { op: "update", staffId: person.id, restore: true },
  } as const;
  const { channelId, chatId, chatKind } = command;
  const replyTo = chatKind === "private" ? { channelId, chatId } : undefined;
  const asked = { tenantId, by: by.id, change, now: deps.clock.now(), language };
  const requested = await requestChange(tx, deps, { ...asked, ...(replyTo ? { replyTo } : {}) });
  return requested.kind === "asked"
    ? requestedText(requested, language)
    : texts.restored(person.name);
}

type Texts = (typeof TEXTS)[Language];

function lineOf({ name, role, status, identities }: StaffWithIdentities, texts: Texts): string {
  const accounts = identities.map(({ messenger, userId }) => `${messenger} ${userId}`);
  return [name, texts.roles[role], texts.states[status], ...accounts].join(" · ");
}

const TEXTS = {
  en: {
    roles: { operator: "operator", admin: "admin" },
    states: { active: "active", suspended: "suspended" },
    usage: "Use /staff, /staff suspend NAME or /staff restore NAME.",
    nobody: (name: string) => `There is nobody called ${name} here. /staff lists the names.`,
    several: "The name fits several people: write more of it, or the id.",
    suspended: (name: string) =>
      `${name} is suspended. Votes that were not decided yet, tokens and requests count no more.`,
    suspendedBefore: (name: string) => `${name} was suspended already.`,
    active: (name: string) => `${name} is not suspended.`,
    restored: (name: string) => `${name} is active again.`,
  },
  ru: {
    roles: { operator: "оператор", admin: "администратор" },
    states: { active: "работает", suspended: "отстранён" },
    usage: "Есть /staff, /staff suspend ИМЯ и /staff restore ИМЯ.",
    nobody: (name: string) => `Здесь нет никого с именем ${name}. Имена показывает /staff.`,
    several: "Имя подходит нескольким: напишите больше букв или id.",
    suspended: (name: string) =>
      `Отстранён: ${name}. Нерешённые голоса, токены и запросы больше не действуют.`,
    suspendedBefore: (name: string) => `${name}: уже отстранён.`,
    active: (name: string) => `${name}: не отстранён.`,
    restored: (name: string) => `${name}: снова работает.`,
  },
} as const satisfies Record<Language, unknown>;
