import { createHmac, timingSafeEqual } from "node:crypto";
import type { FormRequest } from "../../domain/desk.ts";
import { promptField } from "../edge-words.ts";
import { escapeHtml } from "./render-card.ts";

/** What a prompt was asked for; it stands in the prompt's last line and so outlives a restart. */
export interface PromptReference {
  form: string;
  field: string;
  subject: string;
}

/** Of one bot: a prompt of another bot, or copied from another chat, is not read as one. */
export interface PromptCodec {
  /** HTML of a prompt for one person; null when the form asks for nothing. */
  write(form: FormRequest, to: { id: string; name: string; chatId: string }): string | null;
  /** null: the text is no prompt of ours for this chat. */
  read(text: string, chatId: string): PromptReference | null;
}

/**
 * A forced reply has no hidden fields, so its subject stands in the text. The line is signed:
 * a text that a lead wrote and the bot repeated can never pose as a prompt.
 */
export function createPromptCodec(botToken: string): PromptCodec {
  const sign = (chatId: string, reference: PromptReference) =>
    createHmac("sha256", botToken)
      .update(JSON.stringify([chatId, reference.form, reference.field, reference.subject]))
      .digest("base64url")
      .slice(0, 16);
  return {
    write(form, to) {
      const field = promptField(form);
      if (!field) return null;
      const reference = { form: form.form, field: field.name, subject: form.subject };
      const line = [form.form, field.name, form.subject, sign(to.chatId, reference)].join(":");
      return [
        `<a href="tg://user?id=${escapeHtml(to.id)}">${escapeHtml(to.name || to.id)}</a>`,
        `<b>${escapeHtml(form.title)}</b>`,
        escapeHtml(field.label),
        `<code>${escapeHtml(line)}</code>`,
      ].join("\n");
    },
    read(text, chatId) {
      const parts = text.trimEnd().split("\n").at(-1)?.split(":") ?? [];
      const [form, field, ...rest] = parts;
      const signature = rest.pop();
      if (!form || !field || rest.length === 0 || !signature) return null;
      const reference = { form, field, subject: rest.join(":") };
      return isSame(sign(chatId, reference), signature) ? reference : null;
    },
  };
}

function isSame(expected: string, given: string): boolean {
  const [left, right] = [Buffer.from(expected), Buffer.from(given)];
  return left.length === right.length && timingSafeEqual(left, right);
}
