import type { PageLanguage } from "./language.ts";

/** What stands on the page before anything has happened; the rest is in `assets/texts-*.js`. */
export interface PageTexts {
  title: string;
  brandNote: string;
  standIn: string;
  skip: string;
  playStory: string;
  forward: string;
  hours: { one: string; day: string };
  world: string;
  about: string;
  otherLanguage: string;
  language: string;
  live: string;
  tabs: { lead: string; operators: string; staff: string; trace: string };
  lead: {
    title: string;
    note: string;
    messenger: string;
    client: string;
    log: string;
    typing: string;
  };
  operators: { title: string; note: string; log: string; channel: string; group: string };
  staff: {
    title: string;
    note: string;
    log: string;
    channel: string;
    forum: string;
    thread: string;
  };
  trace: { title: string; note: string; log: string; admin: string };
  actAs: string;
  roles: { operator: string; admin: string; stranger: string };
  attach: string;
  write: string;
  writeStaff: string;
  send: string;
  close: string;
  cancel: string;
  intro: { title: string; sentences: string[]; watch: string; look: string };
  stories: { title: string; note: string };
  player: { pause: string; next: string; stop: string; look: string };
  worldTitle: string;
  worldNote: string;
  faults: string;
  clock: string;
  reset: string;
  resetNote: string;
  resetAsk: string;
  resetYes: string;
  alone: { title: string; note: string; how: string };
  needsScript: string;
}

/** What the page says itself; chats and cards come as the bot made them. */
export const PAGE_TEXTS: Record<PageLanguage, PageTexts> = {
  en: {
    title: "Countersign · playground",
    brandNote: "playground",
    standIn: "rule-based stand-in model, no AI",
    skip: "Skip to the client's chat",
    playStory: "Play a story",
    forward: "+15 min",
    hours: { one: "+1 h", day: "+24 h" },
    world: "World",
    about: "What is this?",
    otherLanguage: "Русский",
    language: "Language",
    live: "live",
    tabs: { lead: "Client", operators: "Operators", staff: "Staff", trace: "Decisions" },
    lead: {
      title: "Client",
      note: "writes to the bot",
      messenger: "Messenger of the client",
      client: "Client",
      log: "Chat of the client with the bot",
      typing: "the bot is typing",
    },
    operators: {
      title: "Operators",
      note: "countersign what is risky",
      log: "Cards for the operators",
      channel: "Slack #operators",
      group: "Telegram group",
    },
    staff: {
      title: "Staff & admin",
      note: "review, react, command",
      log: "Review of the conversations",
      channel: "Slack #review",
      forum: "Telegram forum",
      thread: "Thread",
    },
    trace: {
      title: "What the backend decided",
      note: "proposed → schema → policy → approval → executed",
      log: "Decisions of the backend, oldest first",
      admin: "Pages for staff",
    },
    actAs: "You act as",
    roles: { operator: "operator", admin: "admin", stranger: "stranger" },
    attach: "Attach",
    write: "Write to the bot…",
    writeStaff: "Message or /command…",
    send: "Send",
    close: "Close",
    cancel: "Cancel",
    intro: {
      title: "A bot that asks before it pays",
      sentences: [
        "Countersign answers your clients in Telegram and Slack and works through tools: quotes, identity checks, orders, payment checks, payouts.",
        "The model only proposes; the backend checks every call against schema and policy, and whatever is risky waits until a person presses Approve.",
        "Here you are everybody at once: the client, the operators with their cards, staff and admin, and a view into what the backend decided and why.",
        "The model on this page is sandbox-rules, a rule-based stand-in that needs no key, and everything outside the bot (messengers, blockchain, payout gateway, mail) is played on your machine.",
      ],
      watch: "Watch a deal",
      look: "Look around myself",
    },
    stories: {
      title: "Stories",
      note: "Each plays with a new client, one step after the other. Pause at any time, and try something yourself.",
    },
    player: { pause: "Pause", next: "Next step", stop: "Stop", look: "What to look at" },
    worldTitle: "The world outside",
    worldNote: "Everything here is played. Break it, and see what the bot does.",
    faults: "Faults",
    clock: "Clock",
    reset: "Reset",
    resetNote: "Empties all chats and the product's database, and sets up the example desk again.",
    resetAsk: "Really delete all chats, orders and decisions of this playground?",
    resetYes: "Yes, reset",
    alone: {
      title: "Only the outside world runs here",
      note: "No bot runs in this process, so there are no decisions to show. Point a bot at these emulators: start it in another shell with the variables below (also at /sandbox/api/info).",
      how: "Then write as the client; what your bot answers appears at once.",
    },
    needsScript:
      "The playground needs JavaScript: it is a page of chats that change while you look.",
  },
  ru: {
    title: "Countersign · песочница",
    brandNote: "песочница",
    standIn: "вместо модели — правила, без ИИ",
    skip: "Перейти к чату клиента",
    playStory: "Показать сценарий",
    forward: "+15 мин",
    hours: { one: "+1 ч", day: "+24 ч" },
    world: "Мир",
    about: "Что это?",
    otherLanguage: "English",
    language: "Язык",
    live: "на связи",
    tabs: { lead: "Клиент", operators: "Операторы", staff: "Команда", trace: "Решения" },
    lead: {
      title: "Клиент",
      note: "пишет боту",
      messenger: "Мессенджер клиента",
      client: "Клиент",
      log: "Чат клиента с ботом",
      typing: "бот печатает",
    },
    operators: {
      title: "Операторы",
      note: "подтверждают рискованное",
      log: "Карточки для операторов",
      channel: "Slack #operators",
      group: "Группа Telegram",
    },
    staff: {
      title: "Команда и админ",
      note: "смотрят и командуют",
      log: "Просмотр переписок",
      channel: "Slack #review",
      forum: "Форум Telegram",
      thread: "Тема",
    },
    trace: {
      title: "Что решил бэкенд",
      note: "предложено → схема → политика → одобрение → выполнено",
      log: "Решения бэкенда, сначала старые",
      admin: "Страницы для сотрудников",
    },
    actAs: "Вы сейчас",
    roles: { operator: "оператор", admin: "админ", stranger: "чужая" },
    attach: "Прикрепить",
    write: "Напишите боту…",
    writeStaff: "Сообщение или /команда…",
    send: "Отправить",
    close: "Закрыть",
    cancel: "Отмена",
    intro: {
      title: "Бот, который спрашивает, прежде чем платить",
      sentences: [
        "Countersign отвечает клиентам в Telegram и Slack и работает инструментами: расчёты, проверка личности, заявки, проверка оплаты, выплаты.",
        "Модель только предлагает; бэкенд сверяет каждый вызов со схемой и политикой, а всё рискованное ждёт, пока человек не нажмёт «Одобрить».",
        "Здесь вы сразу все: клиент, операторы со своими карточками, команда с админом — и видно, что решил бэкенд и почему.",
        "Модель на этой странице — sandbox-rules: набор правил вместо ИИ, ключ не нужен, а всё снаружи бота (мессенджеры, блокчейн, платёжный шлюз, почта) сыграно на вашей машине.",
      ],
      watch: "Посмотреть сделку",
      look: "Осмотрюсь сам",
    },
    stories: {
      title: "Сценарии",
      note: "Каждый идёт по шагам с новым клиентом. Можно поставить на паузу и попробовать самому.",
    },
    player: { pause: "Пауза", next: "Следующий шаг", stop: "Стоп", look: "На что смотреть" },
    worldTitle: "Внешний мир",
    worldNote: "Всё здесь сыграно. Сломайте что-нибудь и посмотрите, что сделает бот.",
    faults: "Сбои",
    clock: "Часы",
    reset: "Сброс",
    resetNote: "Очищает все чаты и базу продукта и заново настраивает пример обменника.",
    resetAsk: "Точно удалить все чаты, заявки и решения этой песочницы?",
    resetYes: "Да, сбросить",
    alone: {
      title: "Здесь работает только внешний мир",
      note: "В этом процессе нет бота, поэтому решений не показать. Направьте бота на эти эмуляторы: запустите его в другом терминале с переменными ниже (они же на /sandbox/api/info).",
      how: "Потом напишите от имени клиента: ответы бота появятся сразу.",
    },
    needsScript: "Песочнице нужен JavaScript: это чаты, которые меняются у вас на глазах.",
  },
};
