import type { StyleExample } from "../../domain/quality.ts";
import { STYLE_LIMITS } from "../../domain/style.ts";
import type { ShownStyle } from "./shown-style.ts";

const BLANK_EXAMPLES = 2;

/** A style as its form holds it. */
export interface StyleFields {
  id: string;
  name: string;
  guidance: string;
  examples: StyleExample[];
  /** Ids. */
  skills: string[];
  is_active: boolean;
}

export const BLANK_STYLE: StyleFields = {
  ...{ id: "", name: "", guidance: "", examples: [], skills: [], is_active: false },
};

export function fieldsOfStyle({ id, name, is_active, active }: ShownStyle): StyleFields {
  const { guidance = "", examples = [], skills = [] } = active ?? {};
  return { id, name, is_active, guidance, examples, skills };
}

/** With room for more of them. */
export function exampleRows(examples: readonly StyleExample[]): StyleExample[] {
  const rows = Math.max(
    Math.min(examples.length + BLANK_EXAMPLES, STYLE_LIMITS.examples),
    examples.length,
  );
  return Array.from({ length: rows }, (_, n) => examples[n] ?? { client: "", answer: "" });
}

/** What was typed; an example without any word is none. */
export function readStyleForm(form: Record<string, unknown>): StyleFields {
  const field = (name: string) => textOf(form[name]);
  const numbers = Object.keys(form)
    .map((name) => /^example_client_(\d+)$/.exec(name)?.[1])
    .filter((n) => n !== undefined);
  return {
    id: field("id").trim(),
    name: field("name"),
    guidance: field("guidance"),
    examples: numbers
      .map((n) => ({ client: field(`example_client_${n}`), answer: field(`example_answer_${n}`) }))
      .filter(({ client, answer }) => (client + answer).trim() !== ""),
    skills: Object.keys(form)
      .filter((name) => name.startsWith("skill_"))
      .map((name) => name.slice("skill_".length)),
    is_active: field("is_active") === "on",
  };
}

/** Browsers send line ends as two characters; kept so, an unchanged text would be another one. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value.replaceAll("\r\n", "\n") : "";
}
