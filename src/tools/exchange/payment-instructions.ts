import { normalizeAsset } from "./assets.ts";

/** What the text about paying names. All of it is from the order and the desk's own texts. */
export interface InstructionFacts {
  asset: string;
  /** Empty for fiat. */
  network: string;
  /** Decimal string, in the asset: exactly what has to arrive. */
  amountFrom: string;
  /** Minutes from the moment at which the details were first given. */
  ttlMin: number;
  /** An address that needs it loses a payment without it. */
  memo?: string;
  /** A transfer inside an exchange instead of on the chain. */
  rail?: string;
  /** The tenant's own AML text, added to the rule. */
  amlPolicy?: string;
}

/** The rules of one payment, a line each, in the lead's language. */
export function paymentInstructions(facts: InstructionFacts, language: "ru" | "en"): string {
  const lines = language === "ru" ? russian(facts) : english(facts);
  const policy = facts.amlPolicy?.trim();
  return [...lines, ...(policy ? [policy] : [])].join("\n");
}

function russian(facts: InstructionFacts): string[] {
  const sum = `${facts.amountFrom} ${normalizeAsset(facts.asset)}`;
  const lines = [`Отправьте ровно ${sum} одним платежом, комиссия сверху — за ваш счёт.`];
  if (facts.network) {
    const network = facts.network.toUpperCase();
    lines.push(`Сеть: ${network}. Перевод в другой сети или другой монетой не зачислится.`);
  }
  if (facts.rail) lines.push(`Перевод внутри биржи ${facts.rail}, по указанному ID.`);
  if (facts.memo) lines.push(`Обязательно укажите memo/tag: ${facts.memo}.`);
  lines.push(`Срок оплаты: ${facts.ttlMin} мин. Позже сумма пересчитывается.`);
  lines.push(
    "AML: принимаются только ваши собственные чистые средства; оплата третьим лицом — только по согласованию до перевода.",
  );
  return lines;
}

function english(facts: InstructionFacts): string[] {
  const sum = `${facts.amountFrom} ${normalizeAsset(facts.asset)}`;
  const lines = [`Send exactly ${sum} in one payment; any transfer fee is on top.`];
  if (facts.network) {
    const network = facts.network.toUpperCase();
    lines.push(`Network: ${network}. Another network or another coin will not be credited.`);
  }
  if (facts.rail) lines.push(`Transfer inside ${facts.rail}, to the given ID.`);
  if (facts.memo) lines.push(`The memo/tag is required: ${facts.memo}.`);
  lines.push(`Time limit: ${facts.ttlMin} min. After that the sum is counted anew.`);
  lines.push(
    "AML: only your own clean funds are accepted; a third party may pay only if agreed before the transfer.",
  );
  return lines;
}
