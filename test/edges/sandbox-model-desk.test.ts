import { describe, expect, test } from "vitest";
import { answerByRules } from "../../src/sandbox/model/rules.ts";
import type { ChatMessage } from "../../src/sandbox/model/wire.ts";
import { ok } from "../support/model-chat.ts";
import { answerIn, requestOf } from "../support/model-situations.ts";

const SEARCH = "search_knowledge_base";
const PROFILE = "read_customer_profile";
const CHANGE = "update_crm_field";
const TASK = "create_task_draft";
const MAIL = "send_email";

const TERMS = ok({
  matches: [
    {
      evidence_id: "E1",
      title: "Cancelling",
      excerpt: "# Rules\nYou can **cancel** before paying.",
    },
  ],
});
const CONFIRMED = ok({ name: "Anna", email: "a***@x.co", emailConfirmed: true, attributes: {} });
const WAITS = { ok: true, status: "waiting_approval", approval: "A-7" };

/** A message of the lead, and calls of its turn with their results. */
function turn(text: string, calls: [name: string, result: object, args?: object][]): ChatMessage[] {
  return [
    { role: "user", content: text },
    ...calls.flatMap(([name, result, args = {}], at): ChatMessage[] => [
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: `c${at}`, type: "function", function: { name, arguments: JSON.stringify(args) } },
        ],
      },
      { role: "tool", tool_call_id: `c${at}`, content: JSON.stringify(result) },
    ]),
  ];
}
const answered = (...made: Parameters<typeof turn>) => answerByRules(requestOf(turn(...made)));

describe("what is looked up or proposed first", () => {
  test.each([
    ["Send me the terms by e-mail", [SEARCH, PROFILE]],
    ["пришлите условия обмена на почту", [SEARCH, PROFILE]],
    ["send the terms to my e-mail anna@x.co", [SEARCH]],
    ["write down a task: call me tomorrow", [TASK]],
    ["запишите задачу: перезвонить мне завтра", [TASK]],
    ["Please change my e-mail to anna@x.co", [CHANGE]],
    ["поменяйте мою почту на anna@x.co", [CHANGE]],
    ["What do you know about me?", [PROFILE]],
    ["что вы обо мне знаете?", [PROFILE]],
    [
      "Send me the terms by e-mail and write down a task: call me tomorrow",
      [SEARCH, PROFILE, TASK],
    ],
  ])("%s", (text, tools) => {
    expect(answerIn("new", text).tools).toEqual(tools);
  });

  test("a search asks for the matter alone", () => {
    const { args } = answerIn("new", "Please send me the rules for cancelling an order by e-mail");
    expect(args).toMatchObject({ query: "the rules for cancelling an order" });
  });

  test("a task has the words behind the colon, and is urgent when the client says so", () => {
    expect(answerIn("new", "срочно, запишите задачу: позвонить мне. Спасибо").args).toMatchObject({
      ...{ title: "позвонить мне", priority: "high" },
    });
  });
});

describe("a letter", () => {
  const wish = "Send me the rules for cancelling by e-mail";

  test("goes to the masked address of the card and holds what was found, without marks", () => {
    const { calls } = answered(wish, [
      [SEARCH, TERMS],
      [PROFILE, CONFIRMED],
    ]);
    expect(calls).toMatchObject([
      {
        name: MAIL,
        arguments: {
          ...{ to: "a***@x.co", subject: "Cancelling" },
          body: "Hello!\n\nRules\nYou can cancel before paying.",
        },
      },
    ]);
  });

  test("is told to wait for a person, never to be sent", () => {
    const { content, calls } = answered(wish, [
      [SEARCH, TERMS],
      [PROFILE, CONFIRMED],
      [MAIL, WAITS],
    ]);
    expect(calls).toBeUndefined();
    expect(content).toBe(
      "A person has to approve the letter (A-7). I will write when there is an answer.",
    );
  });

  test("needs an address: the client is told how to give one, or that it is not checked yet", () => {
    const none = answered(wish, [
      [SEARCH, TERMS],
      [PROFILE, ok({ emailConfirmed: false })],
    ]);
    expect([none.calls, none.content]).toEqual([
      undefined,
      expect.stringContaining("change my e-mail to"),
    ]);
    const unchecked = ok({ email: "a***@x.co", emailConfirmed: false });
    expect(
      answered(wish, [
        [SEARCH, TERMS],
        [PROFILE, unchecked],
      ]).content,
    ).toContain("a***@x.co");
  });

  test("to somebody else's address is refused kindly", () => {
    const denied = { ok: false, status: "denied", error: { code: "POLICY_DENIED", message: "no" } };
    const { content } = answered("пришлите расчёт на почту eve@evil.test", [[MAIL, denied]]);
    expect(content).toMatch(/только на вашу почту/);
  });

  test("and a task are told together", () => {
    const both = "Send me the terms by e-mail and write down a task: call me tomorrow";
    const draft = ok({ task: "T-3", status: "draft" });
    const { content } = answered(both, [
      ...([
        [SEARCH, TERMS],
        [PROFILE, CONFIRMED],
      ] as [string, object][]),
      ...([
        [TASK, draft],
        [MAIL, WAITS],
      ] as [string, object][]),
    ]);
    expect(content).toMatch(/letter \(A-7\).*draft task T-3 for the team/);
  });
});

describe("the client's card", () => {
  test("is told in words, with open orders and tasks by number", () => {
    const card = ok({
      ...{
        name: "Anna",
        language: "en",
        email: "a***@x.co",
        emailConfirmed: true,
        phone: "***4567",
      },
      attributes: { city: "Phuket" },
      openOrders: [{ order: "EX-7", status: "paid" }],
      openTasks: [{ task: "T-2", title: "Call", status: "draft" }],
    });
    expect(answered("what do you know about me?", [[PROFILE, card]]).content).toBe(
      "This is what we have noted: name: Anna, e-mail: a***@x.co, phone: ***4567, city: Phuket, order EX-7, task T-2.",
    );
  });

  test("is changed by a person only", () => {
    const { content } = answered("поменяйте мою почту на anna@x.co", [[CHANGE, WAITS]]);
    expect(content).toBe("Изменение должен одобрить человек (A-7). Напишу, когда он ответит.");
  });
});
