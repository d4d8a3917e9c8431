import { webApi } from "@slack/bolt";
import { messageOf, RetryableError, StartError } from "../../domain/errors.ts";
import type { EdgeOptions, MessengerEdge } from "../edge.ts";
import { catchUp } from "./catch-up.ts";
import { slackCode } from "./delivery-error.ts";
import { SlackHttp } from "./http.ts";
import { inspectSlack } from "./inspect.ts";
import { type Envelope, takeEnvelope } from "./intake.ts";
import { createSlackMessenger } from "./messenger.ts";
import { createPeople } from "./people.ts";
import { sdkLogger } from "./sdk-logger.ts";
import { SlackSocket } from "./socket.ts";

/** One workspace's account; how events come in is its `way`. */
export interface SlackOptions extends EdgeOptions {
  botToken: string;
  way: SlackWay;
  /** Ends in `/api/`. */
  apiUrl: string;
}

/** How events come in: we open a socket, or Slack calls us. */
export type SlackWay =
  | { kind: "socket"; appToken: string }
  | { kind: "http"; signingSecret: string };

const CALL_LIMIT_MS = 20_000;

/** Nothing is asked of Slack before it is checked, inspected or started. */
export function createSlackBot(options: SlackOptions): MessengerEdge {
  const { apiUrl, log } = options;
  const client = new webApi.WebClient(options.botToken, {
    slackApiUrl: apiUrl,
    // the outbox decides about sending again; the client would send twice
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: CALL_LIMIT_MS,
    logger: sdkLogger(log),
  });
  let self: Promise<string> | undefined;
  const botUserId = () => {
    self ??= askWhoWeAre(client, apiUrl);
    self.catch(() => {
      self = undefined;
    });
    return self;
  };
  const people = createPeople(client);
  const intake = { client, apiUrl, log, edge: options, people, botUserId };
  const { way } = options;
  const take = (envelope: Envelope) => takeEnvelope(intake, envelope);
  return {
    messenger: createSlackMessenger({ client, channelId: options.channelId }),
    isExclusive: false, // each event goes to one of the open sockets, or to one address
    async check() {
      const found = await botUserId();
      if (way.kind === "socket") await checkAppToken(options, way.appToken);
      return { botUserId: found };
    },
    catchUp: (missed) => catchUp(intake, missed),
    inspect: (chats) => inspectSlack({ botToken: options.botToken, apiUrl, log }, chats),
    ...(way.kind === "socket"
      ? lifeOf(new SlackSocket({ appToken: way.appToken, apiUrl, log, take }))
      : byHttp(new SlackHttp({ signingSecret: way.signingSecret, log, take, realNow: Date.now }))),
  };
}

type Intake = Pick<MessengerEdge, "start" | "stop" | "status" | "takeRequest">;

function lifeOf(part: SlackSocket | SlackHttp): Intake {
  return {
    start: () => part.start(),
    stop: () => part.stop(),
    status: () => part.status(),
  };
}

function byHttp(http: SlackHttp): Intake {
  return { ...lifeOf(http), takeRequest: (request) => http.takeRequest(request) };
}

async function askWhoWeAre(client: webApi.WebClient, apiUrl: string): Promise<string> {
  try {
    const { user_id: userId } = await client.auth.test();
    return userId ?? "";
  } catch (error) {
    throw refusalOf(error, { apiUrl, variable: "SLACK_BOT_TOKEN", starts: "xoxb-" });
  }
}

/** Asks for a socket's address and does not use it. */
async function checkAppToken({ apiUrl, log }: SlackOptions, appToken: string): Promise<void> {
  const client = new webApi.WebClient(appToken, {
    slackApiUrl: apiUrl,
    retryConfig: { retries: 0 },
    timeout: CALL_LIMIT_MS,
    logger: sdkLogger(log),
  });
  try {
    await client.apps.connections.open({});
  } catch (error) {
    throw refusalOf(error, { apiUrl, variable: "SLACK_APP_TOKEN", starts: "xapp-" });
  }
}

function refusalOf(
  error: unknown,
  about: { apiUrl: string; variable: string; starts: string },
): Error {
  const code = slackCode(error);
  if (code !== undefined && !/ratelimited|internal_error|fatal_error|unavailable/.test(code))
    return new StartError(
      `${about.variable}: Slack refused this token (${code}); copy the one that starts with ${about.starts} from the app's settings`,
    );
  return new RetryableError(
    `SLACK_API_URL: Slack at ${about.apiUrl} cannot be reached (${messageOf(error)})`,
    { cause: error },
  );
}
