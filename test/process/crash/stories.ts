import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  actsUpToOrder,
  actsUpToPayout,
  command,
  createPerson,
  fault,
  pays,
  startsAgain,
  timePasses,
  whileHeld,
  worldOnly,
} from "./deal.ts";
import { codeTyped, comes, decidedInApi, handedOver, looks } from "./operators.ts";
import { expectAnswered, expectLetters, expectPaidOnce, expectSound } from "./soundness.ts";
import { lab, ownChange, refusedCard } from "./stories-lab.ts";
import type { Tell } from "./story.ts";

const deal: Tell = (desk, chatId) => {
  const person = createPerson(desk, chatId);
  return {
    name: "a deal, from documents to a payout",
    acts: [
      ...actsUpToPayout(desk, person),
      person.presses("Approve", person.card("Payout: approve\\?")),
    ],
    async holds() {
      await expectPaidOnce(desk, person);
      await expectSound(desk, person);
    },
  };
};

/** The gateway paid and did not say so; asked what became of it, it is silent once, too. */
const lostAnswer: Tell = (desk, chatId) => {
  const person = createPerson(desk, chatId);
  return {
    name: "a payout whose answer is lost",
    acts: [
      ...actsUpToPayout(desk, person),
      fault(desk, { service: "payout", kind: "drop_response_after_effect" }),
      fault(desk, { service: "payout", kind: "status", status: 503 }),
      person.presses("Approve", person.card("Payout: approve\\?")),
      timePasses(desk, 60),
      fault(desk, { service: "payout", kind: "status", count: 0 }),
      timePasses(desk, 60),
    ],
    async holds() {
      await expectPaidOnce(desk, person);
      await expectSound(desk, person);
    },
  };
};

const lostRequest: Tell = (desk, chatId) => {
  const person = createPerson(desk, chatId);
  const hash = randomBytes(32).toString("hex");
  return {
    name: "a payout whose request does not arrive, after a chain that had to be asked twice",
    acts: [
      ...actsUpToOrder(person),
      pays(desk, hash),
      fault(desk, { service: "chain", kind: "status", status: 503 }),
      person.says(`Отправил: ${hash}`),
      fault(desk, { service: "chain", kind: "status", count: 0 }),
      person.says("Когда подойти?"),
      fault(desk, { service: "payout", kind: "timeout", delay_ms: 0 }),
      person.presses("Approve", person.card("Payout: approve\\?")),
      timePasses(desk, 60),
      timePasses(desk, 60),
    ],
    async holds() {
      await expectPaidOnce(desk, person);
      await expectSound(desk, person);
    },
  };
};

/** The gateway does not pay these: an operator types the code and hands the money over. */
const byHand: Tell = (desk, chatId) => {
  const person = createPerson(desk, chatId);
  return {
    name: "a payout by hand, its code typed in the group",
    acts: [
      ...actsUpToPayout(desk, person, "сниму баты в банкомате без карты"),
      person.presses("Approve", person.card("Payout: approve\\?")),
      codeTyped(desk, person),
      handedOver(desk, person),
    ],
    async holds() {
      await expectAnswered(person);
      await expectSound(desk, person);
    },
  };
};

const silentModel: Tell = (desk, chatId) => {
  const person = createPerson(desk, chatId);
  const minutes = (count: number) => Array.from({ length: count }, () => timePasses(desk, 60));
  const noAnswers = fault(desk, { service: "model", kind: "status", status: 503, count: 8 });
  const answers = fault(desk, { service: "model", kind: "status", count: 0 });
  return {
    name: "a model that does not answer, or not soon",
    acts: [
      person.documents,
      noAnswers,
      person.presses("Approve", person.card("Identity documents")),
      ...minutes(5),
      noAnswers,
      person.says("До скольки вы работаете?"),
      ...minutes(5),
      answers,
      worldOnly("the model thinks for long", async () => {
        const steps = [{ content: "Здравствуйте!", delay_ms: 5_500 }];
        await desk.world.post("model/script", steps);
      }),
      person.says("Вы здесь?"),
    ],
    async holds() {
      await expectAnswered(person);
      await expectSound(desk, person);
    },
  };
};

const questions: Tell = (desk, chatId) => {
  const person = createPerson(desk, chatId);
  const channel = `C0NEW${chatId}`;
  return {
    name: "questions, commands, and time that passes",
    acts: [
      person.documents,
      ...looks(desk, person),
      command(desk, "/pending"),
      person.presses("Reject", person.card("Identity documents")),
      person.says("До скольки вы работаете?"),
      timePasses(desk, 3 * 3600),
      person.says("Позовите, пожалуйста, человека"),
      worldOnly("a new channel", async () => {
        await desk.world.post("slack/channels", { id: channel, name: channel, user: "U0ADMIN" });
      }),
      command(desk, "/setup operators", channel),
    ],
    async holds() {
      await expectAnswered(person);
      await expectSound(desk, person);
    },
  };
};

const letter: Tell = (desk, chatId) => {
  const person = createPerson(desk, chatId);
  const address = `client${chatId}@example.com`;
  return {
    name: "a letter, and an approval that nobody decides",
    acts: [
      person.says(`Please change my e-mail to ${address}`),
      decidedInApi(desk, person),
      person.says("Send me the rules for cancelling an order by e-mail"),
      person.presses("Approve", person.card("")),
      person.documents,
      timePasses(desk, 3600),
      timePasses(desk, 30 * 3600),
    ],
    async holds() {
      await expectLetters(desk, person, address);
      await expectSound(desk, person);
    },
  };
};

/** Messengers that take a message and do not say so. */
const doubt: Tell = (desk, chatId) => {
  const person = createPerson(desk, chatId);
  const lost = { kind: "drop_response_after_effect" };
  const ended = (service: string) => fault(desk, { service, ...lost, count: 0 });
  return {
    name: "messages that may have arrived",
    acts: [
      person.says("Здравствуйте"),
      fault(desk, { service: "slack", ...lost, count: 3 }),
      fault(desk, { service: "telegram", ...lost, count: 3 }),
      person.documents,
      timePasses(desk, 10),
      ended("slack"),
      ended("telegram"),
      person.presses("Approve", person.card("Identity documents")),
      fault(desk, { service: "telegram", ...lost, count: 3 }),
      person.says("До скольки вы работаете?"),
      ended("telegram"),
    ],
    async holds() {
      await expectAnswered(person);
      await expectSound(desk, person);
    },
  };
};

/** Each restart finds something that was under way. */
const restarts: Tell = (desk, chatId) => {
  const person = createPerson(desk, chatId);
  const hash = randomBytes(32).toString("hex");
  const heads = join(desk.dataDir, "audit.heads");
  let older = "";
  const headsGrow = () => comes(async () => readFileSync(heads, "utf8") !== older || undefined);
  return {
    name: "a deal with a process that starts again and again",
    acts: [
      ...actsUpToOrder(person),
      pays(desk, hash),
      startsAgain(
        desk,
        "killed while the chain is asked",
        whileHeld(desk, "chain", person.says(`Отправил: ${hash}`)),
      ),
      startsAgain(
        desk,
        "killed while the card is posted",
        whileHeld(desk, "slack", person.says("Когда подойти?")),
      ),
      worldOnly("the heads are noted", async () => {
        older = readFileSync(heads, "utf8");
      }),
      person.presses("Approve", person.card("Payout: approve\\?")),
      {
        name: "killed before the newest head was written",
        isDone: async () => true,
        async run() {
          await headsGrow();
          await desk.kill();
          writeFileSync(heads, older);
          await desk.start();
          await person.says("Спасибо").run();
          await headsGrow();
        },
      },
    ],
    async holds() {
      await expectPaidOnce(desk, person);
      await expectSound(desk, person);
    },
  };
};

const STARTS = 8;

/** A request waits for people all the while. */
const starts: Tell = (desk, chatId) => {
  const person = createPerson(desk, chatId);
  const again = (_one: unknown, at: number) => startsAgain(desk, `start ${at + 1}`);
  return {
    name: "one start after another",
    acts: [
      person.documents,
      ...Array.from({ length: STARTS }, again),
      person.presses("Approve", person.card("Identity documents")),
    ],
    async holds() {
      await expectAnswered(person);
      await expectSound(desk, person);
    },
  };
};

/** What is reached in several is played in the last of them, if it can be: dear ones stand first. */
export const STORIES: readonly Tell[] = [
  lab,
  restarts,
  deal,
  lostAnswer,
  lostRequest,
  byHand,
  silentModel,
  questions,
  letter,
  doubt,
  refusedCard,
  ownChange,
  starts,
];
