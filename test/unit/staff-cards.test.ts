import { describe, expect, test } from "vitest";
import { type LostEnd, lostReplyCard } from "../../src/outbound/uncertain-card.ts";
import { handoffCard } from "../../src/tools/handoff-card.ts";

const ID = "01981c9e-0000-7000-8000-000000000001";

describe("the card of a request for a person", () => {
  const handoff = {
    ...{ id: ID, clientName: "Lena", order: null, summary: "the bot passes it on" },
    reason: "operator_request" as const,
  };

  test("carries one button that names the request, in data that Telegram takes", () => {
    const [button, ...others] = handoffCard({ ...handoff, isRepeated: false }, "ru").buttons;
    expect(others).toEqual([]);
    expect(button).toMatchObject({ label: "Готово", value: ID });
    expect(Buffer.byteLength(`${button?.action}:${ID}`)).toBeLessThanOrEqual(64);
  });

  test.each([
    ["client", "en", "client says"],
    ["client", "ru", "клиент пишет"],
    ["bot", "en", "the bot understood (not verified)"],
    ["bot", "ru", "бот понял (не проверено)"],
  ] as const)("names whose words it shows: of the %s, in %s", (by, language, label) => {
    const said = { by, text: "REF-777 arrived" };
    const card = handoffCard({ ...handoff, said, isRepeated: false }, language);
    expect(card.clientSays).toEqual({ label, text: "REF-777 arrived" });
  });

  test.each([
    ["ru", "Клиенту нужен человек", "просит снова"],
    ["en", "The client needs a person", "asks again"],
  ] as const)("says in %s when it is asked again", (language, title, mark) => {
    expect(handoffCard({ ...handoff, isRepeated: false }, language).title).toBe(title);
    expect(handoffCard({ ...handoff, isRepeated: true }, language).title).toContain(mark);
  });
});

describe("the card of a reply that may not have arrived", () => {
  const reply = { id: ID, clientName: "Lena", content: { kind: "text" as const, text: "Hello" } };
  const uncertain: LostEnd = { kind: "uncertain", error: "socket hang up" };
  const reasonOf = (end: LostEnd) => lostReplyCard({ ...reply, end }, "en").facts[1]?.value;

  test("shows the text and offers to send it again", () => {
    const card = lostReplyCard({ ...reply, end: uncertain }, "ru");
    expect(card.title).toBe("Ответ клиенту мог не дойти");
    expect(card.clientSays).toEqual({ label: "текст", text: "Hello" });
    expect(card.buttons.map(({ label, value }) => [label, value])).toEqual([
      ["Отправить ещё раз", ID],
    ]);
  });

  test("offers nothing when the messenger refused the reply for good", () => {
    const end: LostEnd = { kind: "failed", error: "sendMessage: 400 Bad Request: chat not found" };
    expect(lostReplyCard({ ...reply, end }, "en").buttons).toEqual([]);
  });

  test("never shows a text that holds a code", () => {
    const content = { kind: "secret_text" as const, text: "Your code: {secret}", orderId: "o-1" };
    const card = lostReplyCard({ ...reply, content, end: uncertain }, "en");
    expect(JSON.stringify(card)).not.toMatch(/Your code|\{secret\}/);
    expect(card.clientSays).toBeUndefined();
    expect(card.buttons).toHaveLength(1);
  });

  test.each<[LostEnd["kind"], string, string]>([
    ["uncertain", "fetch https://api.telegram.org/bot1:AAE/sendMessage failed", "gave no answer"],
    ["failed", "sendMessage: 400 Bad Request: see https://a.b/c", "refused it (400)"],
    ["failed", "channel_not_found", "refused it (channel_not_found)"],
    ["failed", "https://api.telegram.org/bot1:AAE/sendMessage", "refused it"],
    ["failed", "given up after a day: sendMessage: 502 Bad Gateway", "given up after a day"],
    ["failed", "the order has no code any more", "no code any more"],
  ])("gives the class of the error alone: %s, %s", (kind, error, shown) => {
    const reason = reasonOf({ kind, error }) ?? "";
    expect(reason.endsWith(shown), reason).toBe(true);
    expect(reason).not.toMatch(/https?:|AAE/);
  });
});
