import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answerFrom } from "../../src/sandbox/model/evidence.ts";
import { createModelPart } from "../../src/sandbox/model/part.ts";
import { type Backend, ModelChat, ok } from "../support/model-chat.ts";
import { answerIn } from "../support/model-situations.ts";
import { type PlayedPart, playPart } from "../support/sandbox-part.ts";

let model: PlayedPart;
beforeAll(async () => {
  model = await playPart(createModelPart);
});
afterAll(() => model.close());

const PAYOUT = "issue_exchange_payout";
const INFO = "get_exchange_business_info";
const HANDOFF = "handoff_to_operator";
const HASH = "7c".repeat(32);
const STOPPED = { ok: false, status: "denied", data: { reason: "payouts_stopped" } };
const WAITING = { ok: true, status: "waiting_approval", approval: "A-4" };
const OFFICE = /Beach Road 1|10:00-22:00/;
const tools = (made: { calls: { tool: string }[] }) => made.calls.map((call) => call.tool);

function desk(own: Record<string, Backend> = {}): ModelChat {
  const answers: Record<string, Backend> = {
    compute_exchange_quote: ({ args }) =>
      ok({ ...args, amountFrom: args.amount, amountTo: "31300", quoteAsset: "THB" }),
    create_exchange_order: ({ args }) => ok({ orderId: "EX-9", amountFrom: args.amount }),
    fetch_exchange_requisites: () => ok({ address: "TJtc7HX9ttjj26qEk6LjNtwDcu7eokALUA" }),
    verify_exchange_payment: () => ok({ amountReceived: "1000" }),
    [INFO]: () => ok({ officeAddress: "Beach Road 1", workingHours: "10:00-22:00 ICT" }),
    [PAYOUT]: () => WAITING,
    ...own,
  };
  return new ModelChat(model, { backend: (call) => answers[call.tool]?.(call) ?? ok({}) });
}

async function paid(way: string, own: Record<string, Backend> = {}): Promise<ModelChat> {
  const chat = desk(own);
  await chat.say(`1000 USDT TRC20, ${way}`);
  await chat.say("yes, where to pay?");
  await chat.say(HASH);
  return chat;
}

describe("a payout that was refused while payouts are stopped", () => {
  test("is asked for again when the client asks again", async () => {
    const answers = [STOPPED, STOPPED, WAITING];
    const chat = await paid("office", { [PAYOUT]: () => answers.shift() ?? {} });
    for (const question of ["when can I come?", "when can I come?"]) {
      const made = await chat.say(question);
      expect(tools(made)).toEqual([PAYOUT, INFO, HANDOFF]);
      expect(made.reply).toMatch(/passed your question to an operator/);
    }
    const resumed = await chat.say("so when can I come?");
    expect(tools(resumed)).toEqual([PAYOUT, INFO]);
    expect(resumed.reply).toMatch(/An operator is checking.*A-4/);
  });

  test("is not asked for again by a mere ok", async () => {
    const chat = await paid("office", { [PAYOUT]: () => STOPPED });
    await chat.say("when can I come?");
    expect(tools(await chat.say("ok"))).not.toContain(PAYOUT);
  });
});

describe("a client who need not come to the office", () => {
  test.each([
    ["cardless ATM", /cardless ATM withdrawal/],
    ["courier", /cash by courier/],
  ])("%s: hears no office address and no hours", async (way, text) => {
    const chat = await paid(way);
    const made = await chat.say("when can I come?");
    expect(tools(made)).toEqual([PAYOUT]);
    expect(made.reply).toMatch(text);
    expect(made.reply).not.toMatch(OFFICE);
  });

  test("hears the address when asking for the office", async () => {
    const chat = await paid("cardless ATM");
    expect((await chat.say("can I come to your office?")).reply).toMatch(OFFICE);
  });
});

describe("a message without words", () => {
  test.each([
    ["[sticker]", /How can I help/],
    ["[voice]", /cannot listen to voice messages/],
    ["[location]", /Thank you for the location.*what it is for/],
    ["[poll]", /write it in words/],
    ["[attachment]", /write it in words/],
    ["[empty message]", /write it in words/],
  ])(
    "%s is answered as what it is, also while documents or a payment are awaited",
    (mark, text) => {
      for (const situation of ["new", "kyc", "fiat", "requisites"] as const) {
        const answer = answerIn(situation, `${mark}`);
        expect(answer.tools).toEqual([]);
        expect(answer.text).toMatch(situation === "new" ? text : /\p{L}/u);
        expect(answer.text).not.toMatch(/I have (your file|them)|Файл получил|получил\. Документы/);
      }
    },
  );

  test("a voice message beside words is not passed over", () => {
    expect(answerIn("new", "hello\n[voice]").text).toMatch(/^Hello!.*cannot listen/);
  });
});

describe("a file that is too large to be opened", () => {
  const LARGE = "[video: me.mp4, too large to be opened]";

  test.each(["new", "kyc", "fiat"] as const)("%s: a smaller one is asked for", (situation) => {
    const answer = answerIn(situation, LARGE);
    expect(answer.tools).toEqual([]);
    expect(answer.text).toMatch(/only its name.*smaller one|только его имя.*поменьше/);
    expect(answer.text).not.toMatch(/Your documents wait|Документы проверит/);
  });

  test("is told beside a file that could be taken", () => {
    const answer = answerIn("kyc", `[photo] ${LARGE}`);
    expect(answer.text).toMatch(/Документы проверит человек.*только его имя/);
  });
});

describe("a price that the client has not heard", () => {
  test.each([
    "I want to pay 50000 roubles by SBP and get baht, cardless ATM",
    "ok, 1000 USDT TRC20, where do I pay?",
    "да, оформляйте 1000 USDT",
  ])("%s: the quote is told and no order is made", async (text) => {
    const chat = desk();
    const made = await chat.say(text);
    expect(tools(made)).toEqual(["compute_exchange_quote"]);
    expect(made.reply).toContain("31300 THB");
    expect(tools(await chat.say("yes"))).toEqual(["create_exchange_order"]);
  });
});

describe("what is quoted from the documents", () => {
  const passage = (text: string, title = "How an exchange works") => [{ id: "E1", title, text }];

  test("a passage is silent where only its title fits", () => {
    const text =
      "The quote and the payment details stop being valid. Do not pay an old order: ask for a new quote.";
    expect(answerFrom(passage(text), "How does the exchange work?")).toBeUndefined();
  });

  test("a heading that is the condition stands before its sentence", () => {
    const text =
      "## When the order runs out of time\nThe quote and the payment details stop being valid. Ask for a new one.\n## Ways\nCash.";
    expect(answerFrom(passage(text), "is the quote still valid?")).toBe(
      "When the order runs out of time: The quote and the payment details stop being valid. Ask for a new one [E1].",
    );
  });

  test("a wrapped line, a list number and a shortened word end no sentence", () => {
    const text =
      "1. Courier delivery takes approx. 2 hours\nin Patong, e.g. to hotels.\n2. It is free.";
    expect(answerFrom(passage(text), "courier delivery to hotels?")).toBe(
      "Courier delivery takes approx. 2 hours in Patong, e.g. to hotels. It is free [E1].",
    );
  });

  test("a sentence that leans on the one before comes with it, three at most", () => {
    const text =
      "A refund needs an operator. This takes a working day. The fee is kept. Cash only.";
    expect(answerFrom(passage(text), "how long is a working day?")).toBe(
      "A refund needs an operator. This takes a working day. The fee is kept [E1].",
    );
  });

  test("the torn ends of an excerpt stay out", () => {
    const text = "of the courier fee. The courier fee is shown before. The courier fee may";
    expect(answerFrom(passage(text), "courier fee?")).toBe("The courier fee is shown before [E1].");
  });
});
