import { describe, expect, it } from "vitest";
import { stanceOf } from "../../src/desk/objection.ts";

const OBJECTS = [
  "Стой, не отправляйте!",
  "стой не отправляйте",
  "Стойте",
  "СТОП!!!",
  "стоп, стоп, ничего не делайте",
  "Пожалуйста, не переводите пока",
  "Не надо отправлять, я проверю адрес",
  "не отправляйте на эту карту, я дам другую",
  "Отмените выплату, пожалуйста",
  "отмените всё",
  "Остановите перевод",
  "приостановите",
  "Подождите с выплатой",
  "Нет! Не выдавайте деньги",
  "Я передумала",
  "я передумал, вернусь завтра",
  "Я против",
  "Можете остановить выплату?",
  "Можно отменить?",
  "Здравствуйте. Не платите пока. Я в дороге.",
  "Stop, don't send",
  "stop don’t send it",
  "STOP!",
  "Please stop the payout",
  "Do not send the money yet",
  "wait, don't pay",
  "don't transfer anything",
  "Hold off, I need to check the address",
  "Hold the payment please",
  "cancel it",
  "Cancel the payout",
  "I changed my mind",
  "I don't want you to send it",
  "I object",
  "Could you please cancel the transfer?",
  "put it on hold",
];

const NOTHING = [
  "Когда подойти?",
  "Почему вы не отправляете деньги?",
  "Если не понравится, что тогда?",
  "Где остановка автобуса?",
  "Вы не переводите по воскресеньям?",
  "Мне не нужно платить комиссию?",
  "вы не платите проценты",
  "Стоп, а какой курс?",
  "Спасибо, жду",
  "Я на стойке администратора",
  "Подождите, я найду паспорт",
  "Как отменить заявку в будущем?",
  "До скольки вы работаете?",
  "why don't you send it?",
  "Why didn't you send my money",
  "Is there a bus stop nearby?",
  "I'll stop by tomorrow",
  "stop by at ten",
  "I can't stop laughing",
  "When do you stop working?",
  "don't send me reminders please",
  "stop sending me messages",
  "if you don't pay today I will come tomorrow",
  "I don't pay fees, right?",
  "please don't pay attention to that",
  "What is your rate?",
  "hold on a second",
  "",
  "👍",
];

const TAKES_BACK = [
  "Всё в порядке, отправляйте",
  "передумал, всё-таки отправляйте",
  "Можно отправлять",
  "Продолжайте, пожалуйста",
  "не отменяйте",
  "Go ahead",
  "ok, go ahead and send it",
  "You can proceed",
  "Sorry, I changed my mind, send it",
  "don't stop",
  "I take it back",
];

describe("an objection", () => {
  it.each(OBJECTS)("is heard in: %s", (text) => {
    expect(stanceOf(text)).toBe("objects");
  });

  it.each(NOTHING)("is not heard in: %s", (text) => {
    expect(stanceOf(text)).toBeNull();
  });
});

describe("an objection that is taken back", () => {
  it.each(TAKES_BACK)("is heard in: %s", (text) => {
    expect(stanceOf(text)).toBe("takes_back");
  });

  it.each(["не отправляйте", "нет, не продолжайте", "do not go ahead"])(
    "is not heard in: %s",
    (text) => {
      expect(stanceOf(text)).not.toBe("takes_back");
    },
  );
});
