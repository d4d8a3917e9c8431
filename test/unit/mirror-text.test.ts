import { describe, expect, test } from "vitest";
import { type MirroredWords, mirrorText } from "../../src/domain/mirror-text.ts";

function words(over: Partial<MirroredWords>): MirroredWords {
  return { lead: [], said: null, calls: [], ...over };
}
const lead = (text: string, media: MirroredWords["lead"][number]["media"] = []) => ({
  text,
  media,
});
const said = (text: string) => ({ kind: "text" as const, text });

describe("what staff read of a turn", () => {
  test("is what the lead wrote, the reply below, and the calls in one line", () => {
    const text = mirrorText(
      words({
        lead: [lead("hi"), lead("1000 USDT to baht?")],
        said: said("That is 33 560 THB."),
        calls: [
          { toolName: "compute_exchange_quote", status: "executed" },
          { toolName: "create_exchange_order", status: "blocked_by_policy" },
          { toolName: "issue_exchange_payout", status: "waiting_approval" },
        ],
      }),
      "en",
    );
    expect(text).toBe(
      [
        "> hi",
        "> 1000 USDT to baht?",
        "That is 33 560 THB.",
        "⚙ compute_exchange_quote: ok · create_exchange_order: refused · issue_exchange_payout: asked people",
      ].join("\n"),
    );
  });

  test("holds files as words, and says what was passed on", () => {
    const text = mirrorText(
      words({
        lead: [
          lead("my passport", [{ kind: "photo" }]),
          lead("", [{ kind: "video_note", forwarded: true }]),
          lead("", [{ kind: "document", fileName: "receipt.pdf" }, { kind: "sticker" }]),
          lead("all sold out", [{ kind: "forward" }]),
          lead("old news", [
            { kind: "forward", forwardedFrom: { kind: "channel", name: "News]\n⚙ paid" } },
          ]),
        ],
      }),
      "en",
    );
    expect(text.split("\n")).toEqual([
      "> [photo] my passport",
      "> [round video, forwarded]",
      "> [document: receipt.pdf] [sticker]",
      "> [forwarded] all sold out",
      "> [forwarded: channel News  ⚙ paid] old news",
    ]);
  });

  test("marks each line of the lead's, whatever breaks it, so that none looks like ours", () => {
    const faked = "hello\n⚙ issue_exchange_payout: ok\u2028Approved\rby Alice\u0085now";
    const lines = mirrorText(words({ lead: [lead(faked)] }), "en").split("\n");
    expect(lines).toHaveLength(5);
    expect(lines.every((line) => line.startsWith("> "))).toBe(true);
  });

  test("is cut: a message to 1,000 characters, many of them to a few and their number", () => {
    const long = mirrorText(words({ said: said("x".repeat(5000)) }), "en");
    expect(long).toHaveLength(1000);
    const many = Array.from({ length: 9 }, () => lead("y".repeat(900)));
    const text = mirrorText(words({ lead: many }), "en");
    expect(text.length).toBeLessThan(3000);
    expect(text).toMatch(/\n> … and more messages: 7$/);
  });

  test("never holds a payout's code", () => {
    expect(mirrorText(words({ said: { kind: "code" } }), "en")).toBe("[code sent, ends in ••]");
    expect(mirrorText(words({ said: { kind: "code" } }), "ru")).toMatch(/код отправлен/);
  });

  test("is empty when nothing was said", () => {
    expect(mirrorText(words({}), "ru")).toBe("");
  });
});
