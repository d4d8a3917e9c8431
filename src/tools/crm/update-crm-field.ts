import { z } from "zod";
import type { Language } from "../../domain/language.ts";
import type { ToolResult } from "../../domain/tool.ts";
import { approvalById } from "../../store/approvals.ts";
import {
  type ContactCard,
  contactCard,
  setContactEmail,
  setContactField,
} from "../../store/contact-card.ts";
import type { Tx } from "../../store/db.ts";
import { lockExecution } from "../../store/executions.ts";
import { tenantById } from "../../store/tenants.ts";
import type { CallScope, PreparedAction, PrepareRefusal, RagTool, ToolCall } from "../contract.ts";
import { refusal, success } from "../results.ts";
import {
  CARD_FIELDS,
  type CardField,
  fieldLabel,
  fieldProblem,
  isSameValue,
} from "./card-fields.ts";

const parameters = z.strictObject({
  field: z.enum(CARD_FIELDS),
  value: z.string().trim().min(1).max(1000),
});
type Args = z.infer<typeof parameters>;

const actionSchema = z.strictObject({
  contactId: z.string(),
  field: z.enum(CARD_FIELDS),
  from: z.string().nullable(),
  to: z.string(),
});
type Action = z.infer<typeof actionSchema>;

/**
 * Changes one field of the client's own card, after a person said so. An e-mail address that was
 * approved counts as verified by that person.
 */
export function updateCrmField(): RagTool<Args> {
  return {
    name: "update_crm_field",
    title: "Change of the client's card",
    description: {
      does: "Asks to write one field of the client's card anew.",
      when: "the client tells a new mail address, phone, company, city, preferred currency or a note.",
      whenNot: "for anybody else's data; for an order, its sum or where it is paid out.",
      needs: "field and value, as the client wrote it.",
      limits: "one field a call; a mail address, a phone or a currency code must have its form.",
      returns: "waiting_approval first; later the field that was changed.",
    },
    risk: "write_internal",
    sideEffectType: "internal_rows",
    parameters,
    output: z.object({ ok: z.literal(true), field: z.string(), changed: z.literal(true) }),
    offered: true,
    staged: false,
    isAvailable: () => true,
    check: ({ field, value }) => fieldProblem(field, value),
    prepare,
    async run(call) {
      const action = actionSchema.parse(call.action);
      return { kind: "write", apply: async (tx) => ({ result: await write(tx, call, action) }) };
    },
    // the row is written together with the recorded result: where there is none, nothing was written
    idempotentByKey: true,
    lookUp: async () => ({ kind: "absent" }),
  };
}

async function prepare(
  tx: Tx,
  { field, value }: Args,
  { tenantId, contactId }: CallScope,
): Promise<PreparedAction | PrepareRefusal> {
  const card = await contactCard(tx, { tenantId, contactId });
  if (!card) return { kind: "refused", result: notWritten(field, "there is no such client") };
  const from = currentValue(card, field);
  if (isSameValue(field, from, value) && !(field === "email" && card.emailVerifiedAt === null))
    return { kind: "refused", result: notWritten(field, "the card says so already", "no_change") };
  const texts = TEXTS[(await tenantById(tx, tenantId))?.language ?? "en"];
  const { language } = texts;
  const changedAt = card.fields.find(({ name }) => name === field)?.updatedAt ?? 0;
  return {
    kind: "action",
    action: { contactId, field, from, to: value } satisfies Action,
    // each value of a field is changed once: the next change has another time to begin with
    businessKey: `crm:${contactId}:${field}:${changedAt}`,
    material: [
      { label: texts.client, value: card.name },
      { label: texts.field, value: fieldLabel(field, language) },
      { label: texts.before, value: from ?? texts.nothing },
      { label: texts.after, value },
      ...(field === "email" ? [{ label: texts.note, value: texts.verifies }] : []),
    ],
  };
}

async function write(tx: Tx, call: ToolCall, action: Action): Promise<ToolResult> {
  const { field, from } = action;
  const card = await contactCard(tx, call, { lock: true });
  if (!card || card.id !== action.contactId || currentValue(card, field) !== from)
    return notWritten(field, "the card was changed meanwhile; nothing was written", "changed");
  const { tenantId, executionId, now } = call;
  const execution = await lockExecution(tx, tenantId, executionId);
  const approval = await approvalById(tx, tenantId, execution?.approvalId ?? "");
  await setField(tx, call, { action, by: approval?.approver ?? "unknown", now });
  return success(
    { type: "contact", id: card.id, summary: `${field} was changed` },
    { field, changed: true },
  );
}

async function setField(
  tx: Tx,
  { tenantId, contactId }: CallScope,
  { action, by, now }: { action: Action; by: string; now: number },
): Promise<void> {
  const change = { tenantId, contactId, value: action.to, by, now };
  if (action.field === "email") return setContactEmail(tx, { ...change, isVerified: true });
  return setContactField(tx, { ...change, name: action.field });
}

function currentValue(card: ContactCard, field: CardField): string | null {
  if (field === "email") return card.email;
  return card.fields.find(({ name }) => name === field)?.value ?? null;
}

function notWritten(field: CardField, summary: string, reason = "not_prepared"): ToolResult {
  return refusal({ type: "contact", reason, summary, data: { field }, code: "INVALID_ARGUMENTS" });
}

const TEXTS = {
  en: {
    language: "en",
    client: "Client",
    field: "Field",
    before: "Now",
    after: "New",
    nothing: "empty",
    note: "Note",
    verifies: "approving says that this address is the client's own: letters may go there",
  },
  ru: {
    language: "ru",
    client: "Клиент",
    field: "Поле",
    before: "Сейчас",
    after: "Станет",
    nothing: "пусто",
    note: "Внимание",
    verifies: "одобрение значит, что этот адрес принадлежит клиенту: на него можно писать",
  },
} as const satisfies Record<Language, { language: Language } & Record<string, string>>;
