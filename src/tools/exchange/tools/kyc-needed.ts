import type { KycStatus } from "../../../domain/kyc.ts";
import type { Language } from "../../../domain/language.ts";
import type { ToolResult } from "../../../domain/tool.ts";
import type { Tx } from "../../../store/db.ts";
import type { ToolCall } from "../../contract.ts";
import { refusal } from "../../results.ts";
import { moveStage } from "./move-stage.ts";

/** `kyc`: null: the contact has no record. `secrets`: the desk's own texts, by name. */
export interface KycFacts {
  kyc: { status: KycStatus } | null;
  secrets: ReadonlyMap<string, string>;
}

/** An order was wanted and nobody has verified the contact yet. */
export async function needsVerification(
  tx: Tx,
  call: ToolCall,
  facts: KycFacts,
): Promise<ToolResult> {
  const status = facts.kyc?.status ?? "missing";
  await moveStage(tx, call, "kyc_needed");
  return refusal({
    type: "verification",
    reason: "needs_verification",
    needsOperator: status === "bad_attributes",
    summary: `the identity has to be verified first (now: ${status})`,
    data: {
      needsVerification: true,
      verified: false,
      status,
      instructions: INSTRUCTIONS[call.language][status === "pending" ? "pending" : "collect"],
      kycPolicy: facts.secrets.get("exchange_kyc_policy"),
    },
  });
}

const INSTRUCTIONS: Record<Language, { collect: string; pending: string }> = {
  ru: {
    collect:
      "Пришлите фото документа (паспорта) и короткое видео (кружок), где вы называете имя и направление обмена. Проверяет человек, один раз.",
    pending: "Документы получены, их проверяет человек. После проверки продолжим.",
  },
  en: {
    collect:
      "Send a photo of an ID document and a short video in which you say your name and the direction of the exchange. A person checks it, once.",
    pending: "The documents have arrived and a person is checking them. We go on after that.",
  },
};
