import type { Language } from "../../domain/language.ts";
import { DESK_TEXTS } from "../texts.ts";
import { callerOf } from "./caller.ts";
import { type Command, type CommandCall, type CommandTable, echoed, splitArgs } from "./command.ts";

/** The commands that the person may use, or the one that was asked about. */
export function helpOf(table: () => CommandTable): Command {
  return {
    roles: "anybody",
    usage: "[COMMAND]",
    help: { en: "these lines", ru: "этот список" },
    async run(tx, deps, call) {
      const { language, isStaff } = await callerOf(tx, deps, call);
      if (!isStaff) return DESK_TEXTS[language].forStaff;
      const mine = Object.entries(table()).filter(([, command]) => mayUse(command, call));
      const topic = splitArgs(call.command.args).word.replace(/^\//, "");
      if (topic !== "") return lineOf(table(), { topic, call, language });
      return mine.map(([name, command]) => line(name, command, language)).join("\n");
    },
  };
}

function lineOf(
  table: CommandTable,
  asked: { topic: string; call: CommandCall; language: Language },
): string {
  const { topic, call, language } = asked;
  const command = Object.hasOwn(table, topic) ? table[topic] : undefined;
  const known = Object.keys(table).map((name) => `/${name}`);
  if (!command) return DESK_TEXTS[language].unknownCommand(echoed(topic), known.join(", "));
  const said = line(topic, command, language);
  return mayUse(command, call) ? said : `${said}\n${TEXTS[language].adminsOnly}`;
}

function line(name: string, { usage, help }: Command, language: Language): string {
  return `/${name}${usage ? ` ${usage}` : ""}: ${help[language]}`;
}

/** People we do not know may use what is for anybody. */
export function mayUse({ roles }: Command, { staff }: Pick<CommandCall, "staff">): boolean {
  if (roles === "anybody") return true;
  return staff?.status === "active" && roles.includes(staff.role);
}

const TEXTS = {
  en: { adminsOnly: "Only admins may use it." },
  ru: { adminsOnly: "Это могут только администраторы." },
} as const satisfies Record<Language, unknown>;
