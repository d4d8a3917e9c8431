import { createHash } from "node:crypto";
import { z } from "zod";
import { emailAddress, isSameAddress } from "../../domain/email-address.ts";
import type { Language } from "../../domain/language.ts";
import type { ToolErrorCode } from "../../domain/tool.ts";
import { contactCard } from "../../store/contact-card.ts";
import type { Tx } from "../../store/db.ts";
import { tenantById } from "../../store/tenants.ts";
import type {
  ActionEdit,
  CallScope,
  PreparedAction,
  PrepareRefusal,
  RagTool,
} from "../contract.ts";
import { refusal } from "../results.ts";
import { maskEmail } from "./mask-contact.ts";
import { type LetterAction, type MailDeps, sendLetter } from "./send-letter.ts";

/** A line end would begin another header. */
const SUBJECT = /^[^\p{Cc}\p{Zl}\p{Zp}]+$/u;
const BODY = /^(?:[^\p{Cc}]|[\n\t])+$/u;

const parameters = z.strictObject({
  to: emailAddress.describe("the client's own address, whole or as read_customer_profile masks it"),
  subject: z.string().trim().min(1).max(200).regex(SUBJECT, "one line of plain text"),
  body: z.string().trim().min(1).max(4000).regex(BODY, "plain text"),
});
type Args = z.infer<typeof parameters>;

/** A plain letter to the client's own verified address, after a person has read all of it. */
export function sendEmail(deps: MailDeps): RagTool<Args> {
  return {
    name: "send_email",
    title: "Letter to the client",
    description: {
      does: "Asks to send one plain text letter to the client who is writing.",
      when: "the client asks to have something by mail.",
      whenNot:
        "to anybody else; with codes, wallets or payment details; when an answer in the chat is enough.",
      needs: "to, subject, body.",
      limits:
        "only the client's own confirmed address; no attachments; body up to 4000 characters; one a turn.",
      returns: "waiting_approval first: an operator reads the letter; it is sent once, after that.",
    },
    risk: "send_message",
    sideEffectType: "message",
    parameters,
    output: z.object({
      ok: z.literal(true),
      status: z.literal("sent"),
      to: z.string(),
      subject: z.string(),
    }),
    offered: true,
    staged: false,
    own: ["to"],
    prose: ["subject", "body"],
    edit: { subject: "text", body: "text" },
    isAvailable: () => deps.mail !== null,
    resources: ({ to }) => (isMasked(to) ? [] : [{ path: "to", kind: "email", id: to }]),
    prepare: (tx, args, scope, edit) => prepare(tx, deps, { args, scope, edit }),
    run: (call) => sendLetter(deps, call),
  };
}

interface Preparing {
  args: Args;
  scope: CallScope;
  edit: ActionEdit | undefined;
}

async function prepare(
  tx: Tx,
  { mail }: MailDeps,
  { args, scope, edit }: Preparing,
): Promise<PreparedAction | PrepareRefusal> {
  const { tenantId, contactId, conversationId, now } = scope;
  const card = await contactCard(tx, { tenantId, contactId });
  const own = card?.email ?? null;
  if (!mail) return notPrepared("no mail server is set up", "NOT_FOUND");
  if (!card || own === null || !isTheirs(args.to, own))
    return notPrepared("this is not the client's own address", "PERMISSION_DENIED");
  const { subject, body } = { ...args, ...edit };
  if (!SUBJECT.test(subject) || subject.length > 200)
    return notPrepared("subject: wants one line of at most 200 characters", "INVALID_ARGUMENTS");
  const action: LetterAction = { from: mail.sender, to: own, subject, body };
  const texts = TEXTS[(await tenantById(tx, tenantId))?.language ?? "en"];
  return {
    kind: "action",
    action: { ...action },
    // the same letter goes once a day, whatever an approver made of its words
    businessKey: `mail:${conversationId}:${hashOf(args)}:${new Date(now).toISOString().slice(0, 10)}`,
    material: [
      { label: texts.client, value: card.name },
      { label: texts.from, value: action.from },
      { label: texts.to, value: action.to },
      { label: texts.subject, value: action.subject },
      { label: texts.body, value: action.body },
    ],
  };
}

function isMasked(address: string): boolean {
  return address.includes("***@");
}

function isTheirs(named: string, own: string): boolean {
  return isSameAddress(named, own) || isSameAddress(named, maskEmail(own));
}

function hashOf({ to, subject, body }: Args): string {
  const whole = JSON.stringify([to.toLowerCase(), subject, body]);
  return createHash("sha256").update(whole).digest("hex").slice(0, 16);
}

function notPrepared(summary: string, code: ToolErrorCode): PrepareRefusal {
  const result = refusal({ type: "email", reason: "not_prepared", summary, code });
  return { kind: "refused", result };
}

const TEXTS = {
  en: { client: "Client", from: "From", to: "To", subject: "Subject", body: "Text" },
  ru: { client: "Клиент", from: "От", to: "Кому", subject: "Тема", body: "Текст" },
} as const satisfies Record<Language, unknown>;
