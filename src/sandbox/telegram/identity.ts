/** Who is who in the played Telegram. Nothing here is a secret: it works in the sandbox only. */
export const BOT_TOKEN = "1000000001:sandbox-AAE0mBotTokenThatOnlyTheSandboxKnows";
export const OPERATOR_CHAT_ID = -1002000000001;
export const REVIEW_CHAT_ID = -1002000000002;
export const LEAD_ID = 1001;
export const OPERATOR_IDS = [2001, 2002] as const;
export const ADMIN_ID = 3001;
export const STRANGER_ID = 4001;

/** Field names of the Bot API. */
export interface TelegramUser {
  id: number;
  is_bot: boolean;
  first_name: string;
  last_name?: string;
  username?: string;
  language_code?: string;
}

/** Field names of the Bot API; negative ids are groups. */
export interface TelegramChat {
  id: number;
  type: "private" | "group" | "supergroup" | "channel";
  title?: string;
  first_name?: string;
  last_name?: string;
  username?: string;
  is_forum?: true;
}

export const BOT_USER: TelegramUser = {
  id: 1000000001,
  is_bot: true,
  first_name: "Sandbox desk",
  username: "sandbox_desk_bot",
};

export const SEED_USERS: readonly TelegramUser[] = [
  user({ id: LEAD_ID, first_name: "Lena", username: "lena_lead" }),
  user({ id: OPERATOR_IDS[0], first_name: "Alice", username: "alice_operator" }),
  user({ id: OPERATOR_IDS[1], first_name: "Bob", username: "bob_operator" }),
  user({ id: ADMIN_ID, first_name: "Ada", username: "ada_admin" }),
  user({ id: STRANGER_ID, first_name: "Eve", username: "eve_stranger" }),
];

export const SEED_CHATS: readonly TelegramChat[] = [
  { id: LEAD_ID, type: "private", first_name: "Lena", username: "lena_lead" },
  { id: OPERATOR_CHAT_ID, type: "supergroup", title: "Operators" },
  { id: REVIEW_CHAT_ID, type: "supergroup", title: "Review", is_forum: true },
];

/** What a product needs to find this Telegram, its chats and its people. */
export function telegramEnv(origin: string): Record<string, string> {
  return {
    TELEGRAM_BOT_TOKEN: BOT_TOKEN,
    TELEGRAM_API_ROOT: `${origin}/sandbox/telegram`,
    TELEGRAM_OPERATOR_CHAT_ID: String(OPERATOR_CHAT_ID),
    TELEGRAM_REVIEW_CHAT_ID: String(REVIEW_CHAT_ID),
    TELEGRAM_ADMIN_IDS: String(ADMIN_ID),
    TELEGRAM_OPERATOR_IDS: OPERATOR_IDS.join(","),
  };
}

function user(known: Omit<TelegramUser, "is_bot">): TelegramUser {
  return { is_bot: false, language_code: "en", ...known };
}
