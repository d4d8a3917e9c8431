import type { Language } from "../../domain/language.ts";
import type { RiskClass } from "../../domain/tool.ts";
import type { Tx } from "../../store/db.ts";
import { CHANGE_AUTHORITY } from "../../tools/change-authority/tool-name.ts";
import { type ListedTool, listTools, switchTool, type ToolLack } from "../change-tool.ts";
import type { DeskDeps } from "../deps.ts";
import { ADMINS, type Command, echoed, STAFF, type StaffCall, splitArgs } from "./command.ts";

/** What the model may be offered, and what keeps it from being. */
export const tools: Command = {
  roles: STAFF,
  help: { en: "all tools: on or off, risk, what they lack", ru: "все инструменты и их состояние" },
  async run(tx, deps, { tenantId }) {
    const texts = TEXTS[deps.dress.staffLanguage];
    const listed = await listTools(tx, deps.registry, tenantId);
    return listed.map((one) => lineOf(one, texts)).join("\n");
  },
};

/** Switches one tool; the next message of a client sees it. */
export const tool: Command = {
  roles: ADMINS,
  usage: "on NAME | off NAME",
  help: { en: "switches a tool on or off", ru: "включает или выключает инструмент" },
  async run(tx, deps, call) {
    const texts = TEXTS[deps.dress.staffLanguage];
    const { word, rest } = splitArgs(call.command.args);
    if ((word !== "on" && word !== "off") || rest === "") return texts.usage;
    return change(tx, deps, call, { toolName: rest.toLowerCase(), isActive: word === "on" });
  },
};

async function change(
  tx: Tx,
  deps: DeskDeps,
  { tenantId, staff }: StaffCall,
  wanted: { toolName: string; isActive: boolean },
): Promise<string> {
  const texts = TEXTS[deps.dress.staffLanguage];
  const { toolName, isActive } = wanted;
  const listed = await listTools(tx, deps.registry, tenantId);
  const known = listed.find((one) => one.tool.name === toolName);
  if (!known) return texts.unknown(echoed(toolName));
  if (toolName === CHANGE_AUTHORITY) return texts.fixed(toolName);
  if (known.isActive === isActive) return texts.already(toolName, isActive);
  await switchTool(tx, { tenantId, by: staff.id, now: deps.clock.now(), ...wanted });
  deps.toolsChanged(tx, tenantId);
  if (isActive && known.lacks) return `${texts.on(toolName)} ${texts.lacks[known.lacks]}.`;
  if (!known.tool.offered && !isActive) return `${texts.off(toolName)} ${texts.byHand}`;
  return isActive ? texts.on(toolName) : texts.off(toolName);
}

type Texts = (typeof TEXTS)[Language];

function lineOf({ tool: { name, risk, offered }, isActive, lacks }: ListedTool, texts: Texts) {
  const state = isActive ? texts.isOn : texts.isOff;
  const note = isActive && lacks ? [texts.lacks[lacks]] : [];
  const maker = offered ? [] : [texts.system];
  return `${name} · ${[state, texts.risks[risk], ...maker, ...note].join(" · ")}`;
}

const TEXTS = {
  en: {
    isOn: "on",
    isOff: "off",
    system: "asked by the system, never by the model",
    risks: {
      read_only: "reads only",
      draft_only: "drafts",
      write_internal: "writes, a person approves",
      external_write: "writes outside, a person approves",
      send_message: "sends, a person approves",
      payment: "moves money, a person approves",
      permission_change: "changes rights, a person approves",
      delete: "deletes, always refused",
    } satisfies Record<RiskClass, string>,
    lacks: {
      rates: "not offered: no rate is active (PUT /api/admin/exchange/rates)",
      booking_link: "not offered: no booking link (/booking set URL)",
      settings: "not offered: it is not set up",
    } satisfies Record<ToolLack, string>,
    usage: "Use /tool on NAME or /tool off NAME; /tools lists the names.",
    unknown: (name: string) => `There is no tool ${name}. /tools lists the names.`,
    fixed: (name: string) =>
      `${name} stays on: it is how it is changed who may do what. Nothing was changed.`,
    already: (name: string, isOn: boolean) => `${name} was ${isOn ? "on" : "off"} already.`,
    on: (name: string) => `${name} is on from the next message of a client on.`,
    off: (name: string) => `${name} is off from the next message of a client on.`,
    byHand: "What it asked for comes to you as a plain request for a person.",
  },
  ru: {
    isOn: "включён",
    isOff: "выключен",
    system: "просит система, не модель",
    risks: {
      read_only: "только читает",
      draft_only: "черновики",
      write_internal: "пишет, решает человек",
      external_write: "пишет наружу, решает человек",
      send_message: "отправляет, решает человек",
      payment: "движение денег, решает человек",
      permission_change: "меняет права, решает человек",
      delete: "удаляет, всегда отказ",
    } satisfies Record<RiskClass, string>,
    lacks: {
      rates: "не предлагается: нет активного курса (PUT /api/admin/exchange/rates)",
      booking_link: "не предлагается: нет ссылки для записи (/booking set URL)",
      settings: "не предлагается: не настроен",
    } satisfies Record<ToolLack, string>,
    usage: "Есть /tool on NAME и /tool off NAME; имена показывает /tools.",
    unknown: (name: string) => `Инструмента ${name} нет. Имена показывает /tools.`,
    fixed: (name: string) =>
      `${name} всегда включён: через него меняется, кто что может. Ничего не изменено.`,
    already: (name: string, isOn: boolean) => `${name} уже ${isOn ? "включён" : "выключен"}.`,
    on: (name: string) => `${name} включён со следующего сообщения клиента.`,
    off: (name: string) => `${name} выключен со следующего сообщения клиента.`,
    byHand: "То, о чём он просил, придёт вам обычным запросом к человеку.",
  },
} as const satisfies Record<Language, unknown>;
