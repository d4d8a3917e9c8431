import type { Language } from "../../domain/language.ts";
import type { Command, CommandCall, CommandTable } from "./command.ts";

/** The commands that the person may use. */
export function helpOf(table: () => CommandTable): Command {
  return {
    roles: "anybody",
    help: { en: "these lines", ru: "этот список" },
    async run(_tx, deps, call) {
      const language = deps.dress.staffLanguage;
      if (call.staff?.status !== "active") return TEXTS[language].stranger;
      const mine = Object.entries(table()).filter(([, command]) => mayUse(command, call));
      return mine
        .map(([name, { usage, help }]) => `/${name}${usage ? ` ${usage}` : ""}: ${help[language]}`)
        .join("\n");
    },
  };
}

/** People we do not know may use what is for anybody. */
export function mayUse({ roles }: Command, { staff }: Pick<CommandCall, "staff">): boolean {
  if (roles === "anybody") return true;
  return staff?.status === "active" && roles.includes(staff.role);
}

const TEXTS = {
  en: { stranger: "Commands here are for the staff. Just write what you need." },
  ru: { stranger: "Команды здесь только для сотрудников. Просто напишите, что вам нужно." },
} as const satisfies Record<Language, unknown>;
