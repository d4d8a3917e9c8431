import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Language } from "../../src/domain/language.ts";
import { mirrorText } from "../../src/domain/mirror-text.ts";
import { TOOL_ERROR_CODES } from "../../src/domain/tool.ts";
import { toolErrorText } from "../../src/domain/tool-error-texts.ts";
import { guardReply } from "../../src/engine/guard/guard.ts";
import { outcomeText } from "../../src/engine/outcome-texts.ts";
import { handoverText } from "../../src/engine/templates.ts";
import type { TranscriptCall } from "../../src/store/transcript.ts";

const LANGUAGES: Language[] = ["en", "ru"];
const READERS = ["lead", "staff"] as const;
const ALPHABET: Record<Language, RegExp> = { en: /^[^а-яё]+$/i, ru: /[а-яё]/i };
/** What only programmers say. */
const MACHINE_WORDS = /[A-Z]{2,}_|_|\btool\b|stack|exception|null|undefined|schema|JSON/;

function failedCall(code: string): TranscriptCall {
  return {
    ...{ id: "c", messageId: "m", ordinal: 0, toolName: "read_price", argumentsRaw: "{}" },
    ...{ status: "failed", code, runId: null },
    reply: { ok: false, status: "failed", error: { code, message: `${code} at /app/x.ts:1` } },
  };
}

describe.each(TOOL_ERROR_CODES)("B36 %s", (code) => {
  it("has words of its own for clients and for staff, in both languages", () => {
    for (const language of LANGUAGES)
      for (const reader of READERS) {
        const text = toolErrorText(code, { reader, language });
        expect(text).toMatch(ALPHABET[language]);
        expect(text).not.toMatch(MACHINE_WORDS);
        expect(text).not.toBe(toolErrorText("NO_SUCH_CODE", { reader, language }));
      }
  });

  it("B63 is told to the client in words, beside who answers instead", () => {
    for (const language of LANGUAGES) {
      const text = handoverText([failedCall(code)], language);
      expect(text).toContain(toolErrorText(code, { reader: "lead", language }));
      expect(text).toMatch(/operator|оператору/);
      expect(text).not.toContain(code);
      expect(text).not.toContain("/app");
    }
  });

  it("is told to the client in words when people had approved it", () => {
    const approved = {
      ...{ toolName: "send_email", status: "approved" as const, rejectedReason: null },
      ...{ isVerified: false, order: null },
    };
    for (const language of LANGUAGES) {
      const text = outcomeText(approved, failedCall(code).reply, language);
      expect(text).toContain(toolErrorText(code, { reader: "lead", language }));
      expect(text).not.toContain(code);
    }
  });

  it("stands in words where staff see the calls of a reply", () => {
    const words = { lead: [], said: null, calls: [failedCall(code)] };
    for (const language of LANGUAGES)
      expect(mirrorText(words, language)).toContain(
        `(${toolErrorText(code, { reader: "staff", language })})`,
      );
    for (const language of LANGUAGES) {
      const page = readFileSync(`src/sandbox/page/assets/texts-${language}.js`, "utf8");
      expect(page).toMatch(new RegExp(`^  code_${code}: "\\S`, "m"));
    }
  });
});

it("a code that nobody knows is told as a failure, not as itself", () => {
  for (const language of LANGUAGES) {
    const text = toolErrorText("SQLSTATE_42", { reader: "lead", language });
    expect(text).not.toContain("SQLSTATE");
    expect(toolErrorText("constructor", { reader: "lead", language })).toBe(text);
    expect(handoverText([failedCall("SQLSTATE_42")], language)).not.toContain("SQLSTATE");
  }
});

it.each([
  "Sorry: PERMISSION_DENIED.",
  "The status is waiting_approval, wait.",
  "Ошибка NOT_FOUND, попробуйте позже",
])("a reply with a code in it is not sent: %s", (reply) => {
  const facts = {
    ...{ tool_results: [], evidence: [], order: null, lead_texts: [], completed: [] },
    ...{ pending: [], handoff: false },
  };
  const verdict = guardReply({ reply, lang: "en", facts });
  expect(verdict.findings.map(({ rule }) => rule)).toContain("raw_tool_call");
});
