import { Api, GrammyError } from "grammy";
import { messageOf } from "../../domain/errors.ts";
import {
  type Finding,
  isWell,
  note,
  problem,
  purposesByChat,
  refusal,
  type StaffChat,
} from "../finding.ts";
import { plainLine } from "../plain-line.ts";

/** An account to be looked at, also one that is not running here. */
export interface TelegramAccount {
  token: string;
  apiRoot: string;
  /** Where we want updates delivered, null when we poll; absent: how they come is not looked at. */
  webhook?: { url: string | null };
}

type Me = Awaited<ReturnType<Api["getMe"]>>;
type Group = Extract<Awaited<ReturnType<Api["getChat"]>>, { type: "group" | "supergroup" }>;
type Member = Awaited<ReturnType<Api["getChatMember"]>>;

/** What is looked at, with the words that name it. */
interface Subject {
  api: Api;
  me: Me;
  chatId: string;
  name: string;
  isReview: boolean;
}

const CALL_LIMIT_S = 5;
const TITLE_CHARS = 40;

/** Looks whether the token works and the bot may do in the staff's chats what it has to. */
export async function inspectTelegram(
  { token, apiRoot, webhook }: TelegramAccount,
  chats: readonly StaffChat[],
): Promise<Finding[]> {
  const api = new Api(token, { apiRoot, timeoutSeconds: CALL_LIMIT_S });
  const me = await api.getMe().catch((error: unknown) => tokenProblem(error, apiRoot));
  if ("nextStep" in me) return [me];
  const found = await Promise.all([
    webhook ? inspectWebhook(api, webhook.url) : [],
    ...[...purposesByChat(chats)].map(([chatId, purposes]) =>
      inspectChat({
        api,
        me,
        chatId,
        name: `chat ${chatId} (${[...purposes].join(", ")})`,
        isReview: purposes.has("review"),
      }),
    ),
  ]);
  return [describeBot(me), ...found.flat()];
}

function describeBot(me: Me): Finding {
  const listens = me.can_read_all_group_messages
    ? "privacy mode is off"
    : "privacy mode is on: in a group it hears everything only as an administrator";
  return isWell(`the token is @${me.username}'s; ${listens}`);
}

function tokenProblem(error: unknown, apiRoot: string): Finding {
  if (error instanceof GrammyError && [401, 404].includes(error.error_code))
    return refusal(
      "Telegram does not know TELEGRAM_BOT_TOKEN",
      "copy it again from @BotFather (/mybots, API Token)",
    );
  return problem(
    `Telegram at ${apiRoot} cannot be reached (${messageOf(error)})`,
    "check TELEGRAM_API_ROOT and this machine's network",
  );
}

async function inspectWebhook(api: Api, wanted: string | null): Promise<Finding[]> {
  const info = await api.getWebhookInfo().catch((error: unknown) => messageOf(error));
  if (typeof info === "string")
    return [problem(`the webhook could not be asked for (${info})`, "try again")];
  const { url = "", pending_update_count: waiting, last_error_message: trouble } = info;
  if (url === "")
    return [isWell(wanted ? "no webhook is set yet; the start sets it" : "updates are polled")];
  if (url !== wanted)
    return [
      note(
        `a webhook at ${hostOf(url)} takes this bot's messages; the start takes them back`,
        "stop the program that set it, or it does so again",
      ),
    ];
  if (waiting > 0 && trouble)
    return [
      problem(
        `${waiting} updates wait: Telegram cannot deliver them (${plainLine(trouble, 200)})`,
        "make PUBLIC_URL reachable from the internet, with a valid certificate",
      ),
    ];
  return [isWell("updates come to the webhook")];
}

/** Only the host is named: an address may hold what its owner keeps secret. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "another address";
}

async function inspectChat(subject: Subject): Promise<Finding[]> {
  const { api, me, chatId } = subject;
  try {
    const chat = await api.getChat(chatId);
    if (chat.type === "private") return [isWell(`${subject.name} is a private chat`)];
    const named = { ...subject, name: `${subject.name} "${plainLine(chat.title, TITLE_CHARS)}"` };
    if (chat.type === "channel") return [channelProblem(named)];
    return inspectGroup(named, chat, await api.getChatMember(chatId, me.id));
  } catch (error) {
    return [chatProblem(error, subject)];
  }
}

function channelProblem({ name }: Subject): Finding {
  return problem(
    `${name} is a channel: nobody can tell there who reacted`,
    "use a group, and name its id instead",
  );
}

function inspectGroup(subject: Subject, chat: Group, member: Member): Finding[] {
  const { name, isReview } = subject;
  if (member.status === "left" || member.status === "kicked") return [notInside(subject)];
  if (member.status !== "administrator") return [noAdministrator(subject, member)];
  const isForum = "is_forum" in chat && chat.is_forum === true;
  if (isReview && !isForum)
    return [
      note(
        `${name} has no topics: the mirror of conversations goes flat`,
        "turn on Topics in the group's settings to get one for each lead",
      ),
    ];
  if (isReview && !member.can_manage_topics)
    return [
      problem(
        `${name}: the bot may not manage topics, so no lead gets one`,
        'give it "Manage topics" in the group\'s administrator settings',
      ),
    ];
  if (!member.can_delete_messages)
    return [
      note(
        `${name}: the bot may not delete messages, so a payout code that is typed there stays`,
        'give it "Delete messages" in the group\'s administrator settings',
      ),
    ];
  return [isWell(`${name}: the bot is an administrator`)];
}

function notInside({ me, name }: Pick<Subject, "me" | "name">): Finding {
  return problem(
    `${name}: the bot is not in it`,
    `add @${me.username} to the group, as an administrator`,
  );
}

function noAdministrator({ me, name }: Subject, member: Member): Finding {
  const isMute = member.status === "restricted" && !member.can_send_messages;
  const lost = isMute
    ? "it may not write"
    : me.can_read_all_group_messages
      ? "it hears of no reactions"
      : "it hears of no reactions, and of messages only commands and replies";
  return problem(
    `${name}: the bot is no administrator, so ${lost}`,
    `make @${me.username} an administrator in the group's settings`,
  );
}

function chatProblem(error: unknown, { me, name }: Subject): Finding {
  if (!(error instanceof GrammyError))
    return problem(`${name} could not be looked at (${messageOf(error)})`, "try again");
  const movedTo = error.parameters.migrate_to_chat_id;
  if (movedTo !== undefined)
    return problem(`${name} became the supergroup ${movedTo}`, `name ${movedTo} instead`);
  if (error.error_code === 403) return notInside({ me, name });
  return problem(
    `${name}: Telegram does not find it (${plainLine(error.description, 200)})`,
    `add @${me.username} to the group as an administrator, or correct the id`,
  );
}
