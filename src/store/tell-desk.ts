import { z } from "zod";
import { approvalName } from "../domain/approval.ts";
import type { Jobs } from "../domain/jobs.ts";
import type { Language } from "../domain/language.ts";
import { type ApprovalRow, approvalById } from "./approvals.ts";
import { requestState } from "./authority.ts";
import type { Tx } from "./db.ts";
import { destinationsOf } from "./destinations.ts";
import { writeOutgoing } from "./outbox.ts";
import { staffById } from "./staff.ts";
import { tenantById } from "./tenants.ts";

const LONGEST_SUMMARY = 600;

/**
 * How a request of the desk itself ended: in every chat of the operators, and in the private chat in
 * which somebody asked for it.
 */
export async function tellDesk(
  tx: Tx,
  jobs: Jobs<Tx>,
  ended: { tenantId: string; approvalId: string; now: number },
): Promise<void> {
  const { tenantId, approvalId, now } = ended;
  const approval = await approvalById(tx, tenantId, approvalId);
  if (!approval) return;
  const request = await requestState(tx, tenantId, approval.candidateId);
  const language = (await tenantById(tx, tenantId))?.language ?? "en";
  const approver = approval.approver ? await staffById(tx, tenantId, approval.approver) : null;
  const text = endText(approval, { ...request, approver: approver?.name ?? "?" }, TEXTS[language]);
  const places = await destinationsOf(tx, tenantId, "operators");
  const own = replyToSchema.safeParse(request.argumentsJson).data?.replyTo;
  const isShown = places.some(({ chatId }) => chatId === own?.chatId);
  const all = [...places, ...(own && !isShown ? [own] : [])];
  await writeOutgoing(
    tx,
    { jobs, tenantId, now },
    all.map(({ channelId, chatId }) => ({
      ...{ channelId, chatId, purpose: "notice" as const },
      content: { kind: "text" as const, text },
    })),
  );
}

const replyToSchema = z.object({
  replyTo: z.object({ channelId: z.string(), chatId: z.string() }).optional(),
});

interface Ended {
  status: string | null;
  code: string | null;
  /** Why it was not carried out, as the tool said. */
  summary: string | null;
  approver: string;
}

function endText(approval: ApprovalRow, ended: Ended, texts: (typeof TEXTS)[Language]): string {
  const name = approvalName(approval.number);
  const what = approval.payloadSummary.slice(0, LONGEST_SUMMARY);
  const { approver } = ended;
  if (ended.status === "executed")
    return approval.decidedVia === "delay"
      ? texts.inForceAlone(name, what)
      : texts.inForce(name, what, approver);
  switch (approval.status) {
    case "rejected":
      return texts.rejected(name, what, approver);
    case "expired":
      return texts.expired(name, what);
    case "approved":
      return texts.notDone(name, what, reasonOf(ended, texts));
    default:
      return texts.cancelled(name, what);
  }
}

function reasonOf({ code, summary }: Ended, texts: (typeof TEXTS)[Language]): string {
  const isStale = code === "digest_mismatch" || code === "changed_meanwhile";
  return isStale || !summary ? texts.changedMeanwhile : summary;
}

const TEXTS = {
  en: {
    inForce: (name: string, what: string, approver: string) =>
      `${name} is in force. ${what}. Approved by ${approver}.`,
    inForceAlone: (name: string, what: string) =>
      `${name} is in force. ${what}. Nobody rejected it in time.`,
    rejected: (name: string, what: string, approver: string) =>
      `${name} was rejected by ${approver}; nothing was changed. ${what}.`,
    expired: (name: string, what: string) =>
      `${name}: nobody decided in time; nothing was changed. ${what}.`,
    cancelled: (name: string, what: string) =>
      `${name} was cancelled; nothing was changed. ${what}.`,
    notDone: (name: string, what: string, why: string) =>
      `${name} was approved and could not be carried out: ${why}. Nothing was changed. ${what}.`,
    changedMeanwhile: "what it would replace was changed meanwhile; ask for it again",
  },
  ru: {
    inForce: (name: string, what: string, approver: string) =>
      `${name} в силе. ${what}. Одобрил(а) ${approver}.`,
    inForceAlone: (name: string, what: string) =>
      `${name} в силе. ${what}. Вовремя никто не отклонил.`,
    rejected: (name: string, what: string, approver: string) =>
      `${name}: отклонил(а) ${approver}; ничего не изменено. ${what}.`,
    expired: (name: string, what: string) =>
      `${name}: вовремя никто не решил; ничего не изменено. ${what}.`,
    cancelled: (name: string, what: string) => `${name}: отменено; ничего не изменено. ${what}.`,
    notDone: (name: string, what: string, why: string) =>
      `${name}: одобрено, но не выполнено: ${why}. Ничего не изменено. ${what}.`,
    changedMeanwhile: "то, что оно заменяет, за это время изменили; запросите ещё раз",
  },
} as const satisfies Record<Language, unknown>;
