import { type Language, languageOfCode } from "../../domain/language.ts";
import type { Tx } from "../../store/db.ts";
import { leadLanguage } from "../../store/lead-language.ts";
import type { DeskDeps } from "../deps.ts";
import type { CommandCall } from "./command.ts";

/** Who wrote a command: the staff read their own language, everybody else the one they use. */
export interface Caller {
  language: Language;
  isStaff: boolean;
  /** They have written to us as a client. */
  isLead: boolean;
}

export async function callerOf(tx: Tx, { dress }: DeskDeps, call: CommandCall): Promise<Caller> {
  const { staffLanguage } = dress;
  if (call.staff?.status === "active")
    return { language: staffLanguage, isStaff: true, isLead: false };
  const { tenantId, command } = call;
  const { messenger, person } = command;
  const spoken = await leadLanguage(tx, { tenantId, messenger, person });
  const language = spoken ?? languageOfCode(person.languageCode) ?? staffLanguage;
  return { language, isStaff: false, isLead: spoken !== null };
}
