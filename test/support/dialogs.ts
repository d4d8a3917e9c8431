import { readFileSync } from "node:fs";
import { z } from "zod";

const toolSchema = z.object({
  tool: z.string(),
  args: z.record(z.string(), z.unknown()).optional(),
  expect: z.record(z.string(), z.unknown()).optional(),
});
const turnSchema = z.object({
  user: z.string(),
  media: z.array(z.enum(["photo", "video_note"])).default([]),
  expectTools: z.array(toolSchema),
  stageAfter: z.string().optional(),
  orderAfter: z.string().optional(),
  handoff: z.string().optional(),
  replyMust: z.array(z.string()),
  replyMustNot: z.array(z.string()),
  afterApprove: z.object({ orderAfter: z.string(), stageAfter: z.string() }).optional(),
});
const dialogSchema = z.object({
  id: z.string(),
  title: z.string(),
  kyc: z.enum(["verified", "missing"]),
  startStage: z.string().optional(),
  turns: z.array(turnSchema),
});
export type Dialog = z.infer<typeof dialogSchema>;
export type DialogTurn = z.infer<typeof turnSchema>;

/** The written dialogs that the product must be able to hold. */
export function readDialogs(): Dialog[] {
  const file: unknown = JSON.parse(readFileSync("test/data/dialogs.json", "utf8"));
  return z.object({ dialogs: z.array(dialogSchema) }).parse(file).dialogs;
}

/** Does the reply say it? What is no meaning of the list is a literal. */
export function says(reply: string, wanted: string): boolean {
  const meaning = MEANINGS[wanted];
  if (meaning) return meaning.test(reply);
  const literal = wanted.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, "iu").test(reply);
}

const CODE = /(?:код|code|pin)[^\p{L}\p{N}]{0,20}\d{4,}/iu;
const CARD = /(?:\d[ -]?){15}\d/;
const TRON_WALLET = /\bT[1-9A-HJ-NP-Za-km-z]{33}\b/;

/** Wallets and cards that stand in a text. */
export function namedRequisites(text: string): string[] {
  return [TRON_WALLET, CARD].flatMap((kind) =>
    [...text.matchAll(new RegExp(kind, "g"))].map(String),
  );
}

/** Meanings that the dialogs ask for in words, as patterns of both languages. */
const MEANINGS: Record<string, RegExp> = {
  "a payout code": CODE,
  "any digits presented as a pickup code": CODE,
  "confirmed by the tool result": /подтвержд|подтвердил/i,
  "an operator is checking or preparing it":
    /(провер|готов)[^.]*оператор|оператор[^.]*(провер|готов)/i,
  "document and short video": /документ[^.]*(видео|кружок)/i,
  "a person will check it":
    /(человек|оператор|сотрудник)[^.]*провер|провер[^.]*(человек|оператор|сотрудник)/i,
  "KYC passed": /верификация пройдена|документы проверены|kyc passed/i,
  "receipt accepted, waiting for a check": /(чек|оплат|квитанц)[^.]*провер|провер[^.]*(чек|оплат)/i,
  "needs direction and amount first": /сумм/i,
  "a rate": /\b(31|32|2)[.,]\d/,
  "a wallet": TRON_WALLET,
  "a card": CARD,
  "any 16-digit number": CARD,
  "1000 USDT order is still on": /1000 USDT/i,
  "a person decides": /оператор|человек/i,
  "passes the question to a person": /operator|person|colleague/i,
  "not confirmed yet, try again": /not (yet )?confirmed( yet)?/i,
  "not the right token": /token|contract/i,
  "a person will look": /operator|person/i,
  "closed without pressure": /closed|cancelled|dropped/i,
};
