import { UserError } from "../../domain/errors.ts";
import type { CardButton } from "../../domain/messenger.ts";
import { type Tx, withSavepoint } from "../../store/db.ts";
import type { DeskDeps } from "../deps.ts";
import { isReadByOthers } from "../silence.ts";
import { DESK_TEXTS } from "../texts.ts";
import { type Caller, callerOf } from "./caller.ts";
import { type CommandCall, echoed, type Said, type StaffCall } from "./command.ts";
import { mayUse } from "./help.ts";
import { noteStranger, noteUsed } from "./note-command.ts";
import { noteForbidden } from "./note-forbidden.ts";
import { COMMAND_TABLE } from "./table.ts";

/** `ask_chat`: nothing is done yet; call again with what the messenger says of the chat. */
export type CommandAnswer =
  | { kind: "answer"; text: string; buttons?: CardButton[] }
  | { kind: "ask_chat" };

/**
 * Who used which command stands in the trail, and who was not allowed to. A UserError is the
 * answer, and what the command had written is rolled back; anything else goes on up.
 */
export async function answerCommand(
  tx: Tx,
  deps: DeskDeps,
  call: CommandCall,
): Promise<CommandAnswer> {
  const caller = await callerOf(tx, deps, call);
  const texts = DESK_TEXTS[caller.language];
  const { name, editOf } = call.command;
  const command = Object.hasOwn(COMMAND_TABLE, name) ? COMMAND_TABLE[name] : undefined;
  const isMember = isStaff(call);
  if (!isMember && !(command && mayUse(command, call))) {
    await noteStranger(tx, deps, call);
    return say(turnedAway(caller, call));
  }
  if (editOf !== undefined) return say(texts.editedCommand);
  if (!command) return say(texts.unknownCommand(echoed(name), known()));
  if (isMember && !mayUse(command, call)) {
    await noteForbidden(tx, deps, call);
    return say(texts.adminOnly);
  }
  if (command.namesClients && (await isReadByOthers(tx, call.tenantId, call.command)))
    return say(texts.elsewhere(name));
  if (call.chat === null && command.asksChat?.(call)) return { kind: "ask_chat" };
  await noteUsed(tx, deps, call);
  try {
    // what a refused command has written goes with it
    return say(await withSavepoint(tx, (inner) => command.run(inner, deps, call as StaffCall))); // `mayUse` saw to it
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return say(error.message);
  }
}

/** To clients nothing of the staff; whoever may be new there learns the id. */
function turnedAway({ language, isLead }: Caller, { command }: CommandCall): string {
  const { forStaff, notStaff } = DESK_TEXTS[language];
  return isLead ? forStaff : notStaff(command.person.id);
}

function isStaff(call: CommandCall): call is StaffCall {
  return call.staff?.status === "active";
}

function known(): string {
  return Object.keys(COMMAND_TABLE)
    .map((name) => `/${name}`)
    .join(", ");
}

function say(said: Said): CommandAnswer {
  if (typeof said === "string") return { kind: "answer", text: said };
  const { text, buttons } = said;
  return { kind: "answer", text, ...(buttons.length > 0 ? { buttons } : {}) };
}
