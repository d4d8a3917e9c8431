import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createModelPart } from "../../src/sandbox/model/part.ts";
import { readRequest } from "../../src/sandbox/model/reading.ts";
import { answerByRules } from "../../src/sandbox/model/rules.ts";
import { readTerms } from "../../src/sandbox/model/terms.ts";
import { type Backend, ModelChat, ok } from "../support/model-chat.ts";
import { answerIn, requestOf, turn } from "../support/model-situations.ts";
import { type PlayedPart, playPart } from "../support/sandbox-part.ts";

let model: PlayedPart;
beforeAll(async () => {
  model = await playPart(createModelPart);
});
afterAll(() => model.close());

const QUOTE = "compute_exchange_quote";
const ORDER = "create_exchange_order";
const REQUISITES = "fetch_exchange_requisites";
const VERIFY = "verify_exchange_payment";
const HANDOFF = "handoff_to_operator";
const INFO = "get_exchange_business_info";
const HASH = "7c".repeat(32);
const PERSON = /человек|оператор|operator|person/i;
const names = (made: { calls: { tool: string }[] }) => made.calls.map((call) => call.tool);
const refused = (reason: string, data: object = {}) => ({
  ok: false,
  summary: reason,
  data: { ok: false, reason, needsOperator: false, ...data },
});
const denied = {
  ok: false,
  status: "denied",
  data: { ok: false, needsOperator: true, reason: "action_not_allowed_for_stage" },
};

function desk(own: Record<string, Backend> = {}): ModelChat {
  const answers: Record<string, Backend> = {
    [QUOTE]: ({ args }) =>
      ok({ ...args, amountFrom: args.amount, amountTo: "31300", quoteAsset: "THB" }),
    [ORDER]: ({ args }) => ok({ orderId: "EX-9", amountFrom: args.amount, amountTo: "31300" }),
    [REQUISITES]: () => ok({ address: "TJtc7HX9ttjj26qEk6LjNtwDcu7eokALUA", ttlMin: 15 }),
    [VERIFY]: () => ok({ amountReceived: "1000" }),
    [INFO]: () => ok({ officeAddress: "Beach Road 1", workingHours: "10:00-22:00 ICT" }),
    [HANDOFF]: () => ok({ handoffId: "h1", reason: "x", alreadyOpen: false }),
    ...own,
  };
  return new ModelChat(model, { backend: (call) => answers[call.tool]?.(call) ?? ok({}) });
}

async function ordered(own: Record<string, Backend> = {}): Promise<ModelChat> {
  const chat = desk(own);
  await chat.say("1000 USDT TRC20, office please");
  await chat.say("yes, create it");
  return chat;
}

describe("a payment reported before the payment details were out", () => {
  test.each([`Отправил ${HASH}`, `i sent it ${HASH}`, HASH, "вот чек [photo]", "paid [photo]"])(
    "%s: details are fetched, then the payment is checked",
    async (text) => {
      const chat = await ordered();
      expect(names(await chat.say(text))).toEqual([REQUISITES, VERIFY]);
    },
  );

  test.each([
    ["denied", denied],
    ["without an order", refused("no_order", { needsOperator: true })],
  ])("a check that is %s goes to a person by a real call", async (_, answer) => {
    const chat = await ordered({ [VERIFY]: () => answer });
    const made = await chat.say(`Отправил ${HASH}`);
    expect(names(made)).toEqual([REQUISITES, VERIFY, HANDOFF]);
    expect(made.calls[2]?.args).toMatchObject({ reason: "payment_review" });
    expect(made.reply).toMatch(/посмотрит человек/);
  });

  test("no person is promised when none could be asked", async () => {
    const chat = await ordered({ [VERIFY]: () => denied, [HANDOFF]: () => denied });
    expect((await chat.say(`Отправил ${HASH}`)).reply).toMatch(/Сам я этого сделать не могу/);
  });

  test("a check that asked a person itself is not handed over twice", async () => {
    const chat = await ordered({
      [VERIFY]: () => refused("underpaid", { needsOperator: true }),
    });
    const made = await chat.say(`sent ${HASH}`);
    expect(names(made)).toEqual([REQUISITES, VERIFY]);
    expect(made.reply).toMatch(/person will look/i);
  });

  test.each([
    "куда переводить?",
    "Куда мне USDT кидать?",
    "на какой кошелёк?",
    "where do I send it?",
    "where should I transfer the usdt",
    "which wallet?",
  ])("%s fetches the payment details", (text) => {
    expect(answerIn("ordered", text).tools).toEqual([REQUISITES]);
  });
});

describe("a hash that the chain does not settle", () => {
  test.each(["unknown_hash", "not_found", "unconfirmed"])(
    "%s is told, and a later look needs no new hash",
    async (reason) => {
      const chat = await ordered({ [VERIFY]: () => refused(reason) });
      const first = await chat.say(`sent ${HASH}`);
      expect(first.reply).toMatch(/not seen on the chain yet|not confirmed this transfer yet/);
      expect(first.reply).not.toMatch(/send me the (transaction )?hash/);
      for (const text of ["check again", "any news?", "and now?", "проверьте ещё раз"]) {
        const again = await chat.say(text);
        expect(again.calls).toEqual([{ tool: VERIFY, args: { proof: HASH } }]);
      }
    },
  );
});

describe("sums", () => {
  test.each([
    "-500 USDT",
    "0 usdt",
    "минус 500 usdt",
    "−20 usdt",
    "zero usdt",
    "-$500",
    "0.00 USDT",
  ])("%s is asked for again and never quoted", (text) => {
    for (const situation of ["new", "quoted"] as const) {
      const answer = answerIn(situation, text);
      expect(answer.tools).toEqual([]);
      expect(answer.text).toMatch(/больше нуля|above zero/);
    }
  });

  test.each([
    ["1000 USDT - в офисе", "1000"],
    ["- 500 USDT", "500"],
    ["1000-usdt", "1000"],
    ["сто тыщ рублей на карту тинькофф", "100000"],
    ["1.5k usdt to account 1234567890", "1500"],
    ["переведу 5000 рублей с карты 4276 1234 5678 9012", "5000"],
  ])("%s is the sum %s", (text, amount) => {
    expect(readTerms(text).terms.amount).toBe(amount);
  });

  test("a Russian card is no way to receive the money", () => {
    const { terms } = readTerms("сто тыщ рублей на карту тинькофф");
    expect(terms).toMatchObject({ asset: "RUB", amount: "100000" });
    expect(terms.payoutMethod).toBeUndefined();
  });

  test.each([
    ["below_min", /меньше минимальной[^:]*: 100 USDT|below the minimum: 100 USDT/],
    ["above_max", /больше максимальной[^:]*: 100 USDT|above the maximum: 100 USDT/],
  ])("%s names the limit of the result", async (reason, text) => {
    const chat = desk({ [QUOTE]: () => refused(reason, { limit: "100", asset: "USDT" }) });
    expect((await chat.say("5 USDT")).reply).toMatch(text);
  });

  test.each(["500 usdt erc20", "0.1 btc", "сеть ERC20, 500 USDT"])(
    "%s without a price is handed over by a real call",
    async (text) => {
      const rate = refused("rate_not_configured", { needsOperator: true });
      const made = await desk({ [QUOTE]: () => rate }).say(text);
      expect(names(made)).toEqual([QUOTE, HANDOFF]);
      expect(made.reply).toMatch(PERSON);
    },
  );
});

describe("a way to receive the money", () => {
  test.each([
    ["1.5k usdt trc20 to my kasikorn account 123-4-56789-0", "Kasikornbank", "123-4-56789-0"],
    ["на мой счёт в SCB 1234567890", "SCB", "1234567890"],
    ["bangkok bank, account no. 987 654 3210", "Bangkok Bank", "987 654 3210"],
  ])("%s names bank and account", (text, payoutBank, payoutAccount) => {
    expect(readTerms(text).terms).toMatchObject({
      payoutMethod: "thai_bank_transfer",
      payoutBank,
      payoutAccount,
    });
  });

  test("the newest way wins, and the order carries its account", async () => {
    const chat = desk();
    await chat.say("1000 usdt, курьером в отель Grand Beach");
    await chat.say("1.5k usdt trc20 to my kasikorn account 123-4-56789-0");
    const order = await chat.say("yes, create it");
    expect(order.calls[0]?.args).toMatchObject({
      amount: "1500",
      payoutMethod: "thai_bank_transfer",
      payoutDestination: { bank: "Kasikornbank", account: "123-4-56789-0" },
    });
    expect(order.calls[0]?.args).not.toHaveProperty("payoutLocation");
  });

  test("an account in a message of its own completes the order", async () => {
    const chat = desk({
      [ORDER]: ({ args }) =>
        args.payoutDestination ? ok({ orderId: "EX-9" }) : refused("destination_needed"),
    });
    await chat.say("1000 usdt на тайский счёт");
    expect((await chat.say("да")).reply).toMatch(/название банка и номер счёта/);
    await chat.say("kbank 123-4-56789-0");
    const order = await chat.say("да, оформляй");
    expect(order.calls.find(({ tool }) => tool === ORDER)?.args).toMatchObject({
      payoutDestination: { bank: "Kasikornbank", account: "123-4-56789-0" },
    });
  });

  test("not by courier but at the office is the office", () => {
    expect(readTerms("не курьером, а в офисе").terms.payoutMethod).toBe("office_cash");
  });

  test.each(["where is your office & till what time?", "где ваш офис и до какого часа?"])(
    "%s is answered while a quote is open and chooses nothing",
    async (text) => {
      const chat = desk();
      await chat.say("1000 usdt");
      const made = await chat.say(text);
      expect(names(made)).toEqual([INFO]);
      expect(made.reply).toMatch(/Beach Road 1.*10:00|10:00.*Beach Road 1/);
      const order = await chat.say("ok, create it");
      expect(order.calls[0]?.args).not.toHaveProperty("payoutMethod");
    },
  );
});

describe("sums and outcomes in words", () => {
  test.each([
    ["yes, create it", /1000 USDT, you receive 31300 THB/],
    ["да, создавай", /1000 USDT, к получению 31300 THB/],
  ])("%s: the order's sums carry their currencies", async (text, sums) => {
    const chat = desk();
    await chat.say("1000 USDT TRC20");
    expect((await chat.say(text)).reply).toMatch(sums);
  });

  const declined = {
    role: "system" as const,
    content:
      'A-2 (issue_exchange_payout) is now declined by the operator, reason: "come \\"tomorrow\\" for $& it"; tell the lead; do not call it again.',
  };
  const waiting = { status: "waiting_approval", approval: "A-2" };
  const asked = (said: string) => turn(said, { name: "issue_exchange_payout", result: waiting });

  test.each(["when can I come?", "когда подойти?"])("%s: a no is told with its reason", (said) => {
    const answer = answerByRules(requestOf([...asked(said), declined]));
    expect(answer.content).toMatch(/(The reason|Причина): come "tomorrow" for \$& it\./);
  });

  test.each(["когда деньги?", "где мои деньги?", "where's my money?", "почему отказали?"])(
    "%s after a no is handed over",
    async (text) => {
      const chat = await ordered({ issue_exchange_payout: () => waiting });
      await chat.say(`sent ${HASH}`);
      await chat.say("when can I come?");
      await chat.outcome(declined.content);
      const made = await chat.say(text);
      expect(names(made)).toContain(HANDOFF);
      expect(names(made)).not.toContain("issue_exchange_payout");
    },
  );

  test.each([
    ["ru", "Здравствуйте! Чем помочь?"],
    ["en", "Hello! How can I help?"],
  ])("a first message without words is answered as the chat went: %s", (language, reply) => {
    for (const content of [HASH, "/start", "[photo]", "👍"])
      expect(
        readRequest(
          requestOf([
            { role: "user", content: "[photo]" },
            { role: "assistant", content: reply },
            { role: "user", content },
          ]),
        ).language,
      ).toBe(language);
  });

  const WORDLESS = ["/start", "[photo]", "[voice]", "[sticker]", "[contact]", "👍", HASH];
  const inLanguage = (name: string, content: string) =>
    requestOf([
      { role: "system", content: `You answer clients of Acme in chat. Write in ${name}, short.` },
      { role: "user", content },
    ]);

  test.each([
    ["Russian", "ru", /[а-я]{3}/i],
    ["English", "en", /[a-z]{3}/i],
  ])("a first message without words is answered in %s, as the prompt asks", (name, code, words) => {
    for (const content of WORDLESS) {
      const request = inLanguage(name, content);
      expect(readRequest(request).language).toBe(code);
      const { content: said } = answerByRules(request);
      if (said) expect(said).toMatch(words);
    }
    expect(answerByRules(inLanguage(name, "/start")).content).toMatch(words);
  });

  test("words go before what the prompt asks", () => {
    expect(readRequest(inLanguage("Russian", "hello there")).language).toBe("en");
    expect(readRequest(inLanguage("English", "добрый день")).language).toBe("ru");
  });
});
