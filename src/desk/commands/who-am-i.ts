import { DESK_TEXTS } from "../texts.ts";
import type { Command } from "./command.ts";

/** Tells a person how the desk knows them; a stranger learns the id to give to an admin. */
export const whoAmI: Command = {
  roles: "anybody",
  help: { en: "who you are here", ru: "кто вы здесь" },
  async run(_tx, deps, { staff, command }) {
    const texts = DESK_TEXTS[deps.dress.staffLanguage];
    return staff ? texts.whoami(staff.name, staff.role) : texts.whoamiStranger(command.person.id);
  },
};
