import type { Language } from "../../domain/language.ts";
import { booking } from "./booking.ts";
import { cancel } from "./cancel.ts";
import type { CommandTable } from "./command.ts";
import { helpOf } from "./help.ts";
import { pending } from "./pending.ts";
import { setup } from "./setup.ts";
import { staff } from "./staff.ts";
import { resume, stop } from "./stop.ts";
import { tool, tools } from "./tools.ts";
import { whoAmI } from "./who-am-i.ts";

/** Every word that staff may type; both messengers know the same. */
export const COMMAND_TABLE: CommandTable = {
  pending,
  cancel,
  booking,
  tools,
  tool,
  stop,
  resume,
  staff,
  setup,
  whoami: whoAmI,
  help: helpOf(() => COMMAND_TABLE),
};

/** Commands that a private text may be; everything else a lead types is a message. */
export const COMMANDS: ReadonlySet<string> = new Set(Object.keys(COMMAND_TABLE));

/** What a messenger's menu of commands shows to the staff, in this order. */
export function commandMenu(language: Language): { command: string; description: string }[] {
  return Object.entries(COMMAND_TABLE).map(([command, { usage, help }]) => ({
    command,
    description: `${usage ? `${usage}: ` : ""}${help[language]}`,
  }));
}
