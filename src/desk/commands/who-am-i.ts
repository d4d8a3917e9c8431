import { DESK_TEXTS } from "../texts.ts";
import { callerOf } from "./caller.ts";
import type { Command } from "./command.ts";

/** Tells people their id, and how the desk knows them; a stranger gives the id to an admin. */
export const whoAmI: Command = {
  roles: "anybody",
  help: { en: "who you are here", ru: "кто вы здесь" },
  async run(tx, deps, call) {
    const { staff, command } = call;
    const { language } = await callerOf(tx, deps, call);
    const { whoami, whoamiStranger } = DESK_TEXTS[language];
    const { id } = command.person;
    return staff ? whoami({ name: staff.name, role: staff.role, id }) : whoamiStranger(id);
  },
};
