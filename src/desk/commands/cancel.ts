import { approvalName } from "../../domain/approval.ts";
import type { Language } from "../../domain/language.ts";
import { findApproval } from "../../store/admin-reads.ts";
import type { ApprovalRow } from "../../store/approvals.ts";
import type { Tx } from "../../store/db.ts";
import { lockOpenOf } from "../../store/objected-approvals.ts";
import { cancelOpen } from "../cancel-open.ts";
import type { DeskDeps } from "../deps.ts";
import { refusalOf } from "../may-decide.ts";
import { LONGEST_REASON } from "../stops.ts";
import { type Command, STAFF, type StaffCall, splitArgs } from "./command.ts";

/** Ends all that waits in a client's conversation; it is no decision, so nothing is executed. */
export const cancel: Command = {
  roles: STAFF,
  usage: "A-17 [REASON]",
  help: {
    en: "cancels all requests that wait in that client's conversation",
    ru: "отменяет все запросы, что ждут в переписке с этим клиентом",
  },
  async run(tx, deps, call) {
    const texts = TEXTS[deps.dress.staffLanguage];
    const { word, rest } = splitArgs(call.command.args);
    const number = /^a-(\d{1,9})$/.exec(word)?.[1];
    if (number === undefined) return texts.usage;
    const named = await findApproval(tx, call.tenantId, Number(number));
    const conversationId = named?.approval.conversationId ?? null;
    if (conversationId === null) return texts.unknown(approvalName(Number(number)));
    const open = await lockOpenOf(tx, { tenantId: call.tenantId, conversationId });
    if (open.length === 0) return texts.nothing;
    const refusal = await firstRefusal(tx, deps, call, open);
    if (refusal !== null) return refusal;
    const why = {
      kind: "staff",
      staff: call.staff,
      reason: rest.slice(0, LONGEST_REASON),
    } as const;
    for (const approval of open) await cancelOpen(tx, deps, approval, why);
    return texts.done(open.map((one) => approvalName(one.number)).join(", "));
  },
};

/** Whoever may not reject one of them cancels none. */
async function firstRefusal(
  tx: Tx,
  deps: DeskDeps,
  { tenantId, staff }: StaffCall,
  open: readonly ApprovalRow[],
): Promise<string | null> {
  for (const approval of open) {
    const refusal = await refusalOf(tx, deps, { tenantId, staff, decision: "reject" }, approval);
    if (refusal) return `${approvalName(approval.number)}: ${refusal.message}`;
  }
  return null;
}

const TEXTS = {
  en: {
    usage: "Use /cancel A-17 REASON, with the number of a request that waits.",
    unknown: (name: string) => `There is no request ${name} of a client.`,
    nothing: "Nothing waits in that conversation. Nothing was changed.",
    done: (names: string) => `Cancelled, not executed: ${names}. The client is told.`,
  },
  ru: {
    usage: "Напишите /cancel A-17 ПРИЧИНА, с номером запроса, который ждёт.",
    unknown: (name: string) => `Запроса ${name} от клиента нет.`,
    nothing: "В этой переписке ничего не ждёт. Ничего не изменено.",
    done: (names: string) => `Отменено, не выполнено: ${names}. Клиент узнает.`,
  },
} as const satisfies Record<Language, unknown>;
