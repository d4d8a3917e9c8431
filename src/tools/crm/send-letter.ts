import { z } from "zod";
import type { Jobs } from "../../domain/jobs.ts";
import type { Tx } from "../../store/db.ts";
import { lockConversation } from "../../store/runs.ts";
import type { SettledWork, ToolCall, ToolWork } from "../contract.ts";
import type { MailFailure } from "../mail/mail-failure.ts";
import type { MailClient } from "../mail/smtp-client.ts";
import { raiseHandoff } from "../raise-handoff.ts";
import { refusal, success } from "../results.ts";
import { maskEmail } from "./mask-contact.ts";

/**
 * Of the tool that sends mail; `jobs` wakes the delivery of the card that tells people of a
 * failure.
 */
export interface MailDeps {
  /** null: no mail server is configured, the tool is not offered. */
  mail: MailClient | null;
  jobs: Jobs<Tx>;
}

const actionSchema = z.strictObject({
  from: z.string(),
  to: z.string(),
  subject: z.string(),
  body: z.string(),
});
/** All that will be sent. */
export type LetterAction = z.infer<typeof actionSchema>;

const NO_SERVER = "no mail server is set up";
/** Servers that put off a letter of somebody new want it again after some five minutes. */
const PUT_OFF_MS = 120_000;

/**
 * Hands an approved letter to the mail server. Mail knows no key: what broke off after the letter went
 * over the line is never sent again by itself.
 */
export async function sendLetter({ mail, jobs }: MailDeps, call: ToolCall): Promise<ToolWork> {
  const action = actionSchema.parse(call.action);
  const { idempotencyKey: key, now } = call;
  if (key === null) throw new Error("a letter needs its key");
  if (!mail) return notSent(jobs, call, { message: NO_SERVER, brief: NO_SERVER });
  const { to, subject, body: text } = action;
  const letter = { key, to, subject, text, writtenAt: now };
  const outcome = await mail.send(letter, call.signal, call.outside);
  switch (outcome.kind) {
    case "accepted":
      return sent(action, outcome.messageId);
    case "refused":
      return notSent(jobs, call, outcome);
    case "not_sent":
      return {
        kind: "retry",
        code: outcome.failure === "timeout" ? "TIMEOUT" : "PROVIDER_ERROR",
        failure: outcome.failure,
        message: outcome.message,
        afterMs: outcome.status === null ? 0 : PUT_OFF_MS,
        instead: notSent(jobs, call, outcome),
      };
    case "unknown":
      return { kind: "unknown", message: outcome.message };
    default:
      return outcome satisfies never;
  }
}

/** The mail server took it; whether it is read, or bounces later, nobody here knows. */
function sent({ to, subject }: LetterAction, messageId: string): SettledWork {
  const summary = `a letter to ${maskEmail(to)} was sent`;
  const data = { status: "sent", to: maskEmail(to), subject };
  return { kind: "result", result: success({ type: "email", id: messageId, summary }, data) };
}

/** For good: people are told, as the client is told that they look at it. */
function notSent(
  jobs: Jobs<Tx>,
  call: ToolCall,
  { message, brief }: Pick<MailFailure, "message" | "brief">,
): SettledWork {
  const { tenantId, conversationId, contactId, now } = call;
  return {
    kind: "write",
    async apply(tx) {
      await lockConversation(tx, tenantId, conversationId);
      await raiseHandoff(tx, jobs, {
        ...{ tenantId, conversationId, contactId, now, order: null },
        reason: "operator_request",
        summary: {
          en: `an approved letter was not sent: ${message}`,
          ru: `одобренное письмо не отправлено: ${message}`,
        },
      });
      const summary = `the letter was not sent: ${brief}`;
      const result = refusal({
        ...{ type: "email", reason: "not_sent", needsOperator: true, summary },
        code: "PROVIDER_ERROR",
      });
      return { result };
    },
  };
}
