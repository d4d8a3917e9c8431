import { webApi } from "@slack/bolt";
import { messageOf } from "../../domain/errors.ts";
import type { EdgeLog } from "../edge.ts";
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
import { isInstallation, slackCode } from "./delivery-error.ts";
import { sdkLogger } from "./sdk-logger.ts";

/** An account to be looked at, also one that is not running here. */
export interface SlackAccount {
  botToken: string;
  /** Ends in `/api/`. */
  apiUrl: string;
  log: EdgeLog;
  /** How events come in; absent: that is not looked at. */
  way?: { kind: "socket"; appToken: string } | { kind: "http" };
}

/** What the bot token must be allowed, and what goes wrong without it. */
export const REQUIRED_SCOPES: Readonly<Record<string, string>> = {
  "chat:write": "nothing can be sent",
  "channels:read": "whether the bot is in a channel cannot be seen",
  "channels:history": "what operators write in a channel is not heard",
  "im:history": "what leads write is not heard",
  "users:read": "people have ids and no names",
  "files:read": "files of leads cannot be shown",
  "files:write": "files of leads cannot be shown to operators",
  "reactions:read": "reactions to replies are not heard",
  commands: "slash commands do not work",
};

interface Asking {
  client: webApi.WebClient;
  botName: string;
  scopes: ReadonlySet<string> | null;
}

type ChannelInfo = NonNullable<webApi.ConversationsInfoResponse["channel"]>;

const CALL_LIMIT_MS = 5_000;

/** Looks whether the tokens work and the bot is in the staff's channels with the rights it needs. */
export async function inspectSlack(
  account: SlackAccount,
  chats: readonly StaffChat[],
): Promise<Finding[]> {
  const client = createClient(account, account.botToken);
  const [me, way] = await Promise.all([
    client.auth.test().catch((error: unknown) => tokenProblem(error, account, "SLACK_BOT_TOKEN")),
    inspectWay(account),
  ]);
  if ("nextStep" in me) return [me, ...way];
  const scopes = me.response_metadata?.scopes;
  const asking: Asking = {
    client,
    botName: me.user ?? "the bot",
    scopes: scopes ? new Set(scopes) : null,
  };
  const channels = [...purposesByChat(chats)].map(([id, purposes]) =>
    inspectChannel(asking, id, [...purposes].join(", ")),
  );
  return [
    isWell(`the bot token is @${asking.botName}'s in ${plainLine(me.team ?? "a workspace", 40)}`),
    ...missingScopes(asking),
    ...way,
    ...(await Promise.all(channels)),
  ];
}

function createClient({ apiUrl, log }: SlackAccount, token: string): webApi.WebClient {
  return new webApi.WebClient(token, {
    slackApiUrl: apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: CALL_LIMIT_MS,
    logger: sdkLogger(log),
  });
}

async function inspectWay(account: SlackAccount): Promise<Finding[]> {
  const { way } = account;
  if (!way) return [];
  if (way.kind === "http")
    return [
      isWell("events come by HTTP; the app's Request URLs must be PUBLIC_URL with /slack/events"),
    ];
  try {
    await createClient(account, way.appToken).apps.connections.open({});
    return [isWell("the app token opens Socket Mode")];
  } catch (error) {
    return [tokenProblem(error, account, "SLACK_APP_TOKEN")];
  }
}

function tokenProblem(
  error: unknown,
  { apiUrl }: SlackAccount,
  variable: "SLACK_BOT_TOKEN" | "SLACK_APP_TOKEN",
): Finding {
  const code = slackCode(error);
  if (code === undefined)
    return problem(
      `Slack at ${apiUrl} cannot be reached (${messageOf(error)})`,
      "check SLACK_API_URL and this machine's network",
    );
  const where =
    variable === "SLACK_BOT_TOKEN"
      ? "copy the one that starts with xoxb- from the app's OAuth & Permissions"
      : "copy one that starts with xapp- and has connections:write from the app's Basic Information";
  const refused = `Slack refused ${variable} (${code})`;
  return isInstallation(code) ? refusal(refused, where) : problem(refused, where);
}

function missingScopes({ scopes }: Asking): Finding[] {
  if (!scopes) return [];
  const missing = Object.entries(REQUIRED_SCOPES).filter(([scope]) => !scopes.has(scope));
  return missing.map(([scope, harm]) =>
    (scope === "chat:write" ? refusal : problem)(
      `the bot token lacks ${scope}: ${harm}`,
      add(scope),
    ),
  );
}

function add(scope: string): string {
  return `add ${scope} under OAuth & Permissions, then install the app again`;
}

async function inspectChannel(asking: Asking, id: string, purposes: string): Promise<Finding> {
  const name = `channel ${id} (${purposes})`;
  try {
    const { channel } = await asking.client.conversations.info({ channel: id });
    return channel ? judgeChannel(asking, channel, name) : isWell(`${name} is there`);
  } catch (error) {
    return channelProblem(error, name, asking.botName);
  }
}

function judgeChannel({ botName, scopes }: Asking, channel: ChannelInfo, name: string): Finding {
  if (channel.is_im) return isWell(`${name} is a direct message`);
  const title = plainLine(channel.name ?? "the channel", 40);
  if (channel.is_archived)
    return problem(`${name}: #${title} is archived`, "unarchive it, or name another channel");
  if (!channel.is_member)
    return problem(
      `${name}: the bot is not in #${title}`,
      `invite it: /invite @${botName} in #${title}`,
    );
  if (channel.is_private && scopes && !scopes.has("groups:history"))
    return problem(
      `${name}: #${title} is private, and the bot token lacks groups:history`,
      add("groups:history"),
    );
  return isWell(`${name}: the bot is in #${title}`);
}

function channelProblem(error: unknown, name: string, botName: string): Finding {
  const code = slackCode(error);
  if (error instanceof webApi.WebAPIPlatformError && code === "missing_scope") {
    const { needed } = error.data as { needed?: unknown }; // only this refusal has it
    const [scope = "channels:read"] = typeof needed === "string" ? needed.split(",") : [];
    return note(`${name} cannot be looked at without ${scope}`, add(scope));
  }
  if (code === "channel_not_found")
    return problem(
      `${name}: Slack does not find it, or it is private and the bot is not in it`,
      `invite the bot: /invite @${botName} in that channel, or correct the id`,
    );
  return problem(`${name} could not be looked at (${code ?? messageOf(error)})`, "try again");
}
