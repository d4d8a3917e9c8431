import { expect, it } from "vitest";
import { asksForPerson } from "../../src/engine/asks-person.ts";

it.each([
  ["operator", true],
  ["Operator!", true],
  ["I want to talk to a real person", true],
  ["Could you please connect me with your manager?", true],
  ["hello. can I speak to somebody", true],
  ["no, a live human please", true],
  ["Оператор", true],
  ["позовите, пожалуйста, человека", true],
  ["Хочу поговорить с живым оператором", true],
  ["соедините меня с вашим менеджером", true],
  ["дайте живого человека", true],
  ["1000 USDT to baht", false],
  ["When does the office open?", false],
  ["I am the manager of a hotel", false],
  ["How many people work there?", false],
  ["Сколько человек в очереди?", false],
  ["мой оператор связи не работает", false],
  ["", false],
])("%s: %s", (text, asks) => {
  expect(asksForPerson(text)).toBe(asks);
});

it("reads long texts quickly", () => {
  expect(asksForPerson("хочу ".repeat(100_000))).toBe(false);
  expect(asksForPerson("call me ".repeat(100_000))).toBe(false);
});
