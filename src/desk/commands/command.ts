import type { ChatFacts } from "../../domain/chat-facts.ts";
import type { CommandEvent } from "../../domain/inbound.ts";
import type { Language } from "../../domain/language.ts";
import type { CardButton } from "../../domain/messenger.ts";
import type { Tx } from "../../store/db.ts";
import type { StaffMember, StaffRole } from "../../store/staff.ts";
import type { DeskDeps } from "../deps.ts";

/** One use of a command, by somebody we know or do not. */
export interface CommandCall {
  tenantId: string;
  staff: StaffMember | null;
  command: CommandEvent;
  /** What the messenger says of the chat it was written in; null where nobody asked. */
  chat: ChatFacts | null;
}

/** By an active person who has one of the command's roles. */
export interface StaffCall extends CommandCall {
  staff: StaffMember;
}

interface CommandWords {
  /** One line for /help and the messengers' menus. */
  help: Record<Language, string>;
  /** What may follow the name, as in `set URL | off`. */
  usage?: string;
  /** Its answer names clients or their orders: it is not given where strangers would read it. */
  namesClients?: boolean;
  /** Can it be answered only when the chat is known? Asking is done outside any transaction. */
  asksChat?(call: CommandCall): boolean;
}

/** A word that staff type. Throws UserError for what the person can put right. */
export type Command = CommandWords &
  (
    | { roles: "anybody"; run(tx: Tx, deps: DeskDeps, call: CommandCall): Promise<Said> }
    | { roles: readonly StaffRole[]; run(tx: Tx, deps: DeskDeps, call: StaffCall): Promise<Said> }
  );

/** Buttons stand below the answer; each says who may press it. */
export type Said = string | { text: string; buttons: CardButton[] };

/** By the word, lower case and without the slash. */
export type CommandTable = Readonly<Record<string, Command>>;

/** Active people of both roles. */
export const STAFF: readonly StaffRole[] = ["operator", "admin"];
/** Active admins alone. */
export const ADMINS: readonly StaffRole[] = ["admin"];

/** The first word in lower case, and the rest as it was typed. */
export function splitArgs(args: string): { word: string; rest: string } {
  const [word = "", ...rest] = args.trim().split(/\s+/);
  return { word: word.toLowerCase(), rest: rest.join(" ") };
}

const LONGEST_ECHO = 64;

/** What was typed, as far as an answer repeats it. */
export function echoed(text: string): string {
  const characters = [...text.replace(/\s+/gu, " ")];
  if (characters.length <= LONGEST_ECHO) return characters.join("");
  return `${characters.slice(0, LONGEST_ECHO).join("")}…`;
}
