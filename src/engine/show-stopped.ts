import type { Language } from "../domain/language.ts";
import type { ApprovalRow } from "../store/approvals.ts";
import { editCards } from "../store/cards.ts";
import type { Tx } from "../store/db.ts";
import { staffById } from "../store/staff.ts";
import type { FallenVote, FallenWhy } from "../store/standing-votes.ts";
import { approvalCard } from "../tools/approval-card.ts";
import { cardOf } from "../tools/ask-approval.ts";
import type { EngineDeps } from "./deps.ts";

/** The cards say that it was approved and yet not done, and why. */
export async function showStopped(
  tx: Tx,
  deps: EngineDeps,
  approval: ApprovalRow,
  reason: string,
): Promise<void> {
  const { tenantId, conversationId, id: approvalId } = approval;
  const { jobs, staffLanguage: language, sandbox } = deps.proposing.dress;
  const by = approval.approver ? await staffById(tx, tenantId, approval.approver) : null;
  const outcome = whyStopped({ by: by?.name ?? "?", reason }, language);
  const card = approvalCard(cardOf(approval, { votes: 0, outcome }), { language, sandbox });
  await editCards(tx, { jobs, tenantId, approvalId, conversationId, card, now: deps.clock.now() });
}

/** Who approved it, and why it was not done; `reason` is a code. `fallen`: whose votes are missing. */
export function whyStopped(
  stopped: { by: string; reason: string; fallen?: readonly FallenVote[] },
  language: Language,
): string {
  const { by, reason, fallen = [] } = stopped;
  const texts = TEXTS[language];
  const why = texts.why[reason] ?? texts.other(reason);
  if (reason !== "not_approved" || fallen.length === 0) return `${texts.approved(by)} ${why}`;
  const votes = fallen.map((vote) => texts.fallen(vote.name, texts.votes[vote.why]));
  return `${texts.approved(by)} ${votes.join(" ")}`;
}

interface Texts {
  approved(who: string): string;
  /** By the code of the reason. */
  why: Record<string, string>;
  other(reason: string): string;
  fallen(who: string, why: string): string;
  votes: Record<FallenWhy, string>;
}

const TEXTS: Record<Language, Texts> = {
  en: {
    approved: (who) => `Approved by ${who}, and not executed:`,
    why: {
      QUOTE_EXPIRED: "the quote had expired. The client is offered a new one.",
      DUPLICATE_KEY: "the same was done already, or is under way.",
      digest_mismatch: "what it is about has changed since.",
      schema_changed: "the tool has changed since it was asked for.",
      tool_inactive: "the tool is switched off.",
      stage_not_allowed: "the deal is at another stage now.",
      role_not_allowed: "the rules do not allow it any more.",
      call_limit: "the limit of calls is reached.",
      too_few_approvers: "the rules ask for more people now.",
      not_approved: "its approvals are not enough now.",
      outcome_unknown: "the outcome of the same action is not known yet.",
      condition_error: "a rule cannot be evaluated.",
      policy_forged: "something other than Countersign has changed the rules in the database.",
      approval_forged: "something other than Countersign has changed the request in the database.",
    },
    other: (reason) => `the last check refused it (${reason}).`,
    fallen: (who, why) => `the vote of ${who} does not count any more, ${why}.`,
    votes: {
      suspended: "as the account was suspended before it was carried out",
      role: "as an admin has to approve it now",
      own: "as the request turned out to be that person's own",
      one_person: "as another vote turned out to be the same person's",
    },
  },
  ru: {
    approved: (who) => `Одобрено: ${who}, но не выполнено:`,
    why: {
      QUOTE_EXPIRED: "курс уже истёк. Клиенту предложен новый расчёт.",
      DUPLICATE_KEY: "то же самое уже сделано или выполняется.",
      digest_mismatch: "условия с тех пор изменились.",
      schema_changed: "инструмент с тех пор изменился.",
      tool_inactive: "инструмент выключен.",
      stage_not_allowed: "сделка сейчас на другом этапе.",
      role_not_allowed: "правила этого больше не разрешают.",
      call_limit: "достигнут предел вызовов.",
      too_few_approvers: "правила теперь требуют больше людей.",
      not_approved: "одобрений теперь не хватает.",
      outcome_unknown: "исход такого же действия ещё не известен.",
      condition_error: "правило нельзя вычислить.",
      policy_forged: "правила в базе изменил не Countersign.",
      approval_forged: "запрос в базе изменил не Countersign.",
    },
    other: (reason) => `последняя проверка отказала (${reason}).`,
    fallen: (who, why) => `голос (${who}) больше не считается: ${why}.`,
    votes: {
      suspended: "человека отстранили до выполнения",
      role: "теперь одобрять должен администратор",
      own: "запрос оказался его собственным",
      one_person: "другой голос оказался голосом того же человека",
    },
  },
};
