import { SocketModeReceiver } from "@slack/bolt";
import { messageOf } from "../../domain/errors.ts";
import type { EdgeLog, EdgeStatus } from "../edge.ts";
import { pause, within } from "../wait.ts";
import { slackCode } from "./delivery-error.ts";
import type { Envelope } from "./intake.ts";
import { sdkLogger } from "./sdk-logger.ts";

/** `take` acknowledges by the envelope's own `ack`, after the event is stored. */
export interface SocketOptions {
  appToken: string;
  /** Ends in `/api/`. */
  apiUrl: string;
  log: EdgeLog;
  take(envelope: Envelope): Promise<void>;
}

/** A token that will not work however often it is tried. */
const HOPELESS = new Set([
  "not_authed",
  "invalid_auth",
  "account_inactive",
  "token_revoked",
  "not_allowed_token_type",
  "missing_scope",
]);
const HELLO_WITHIN_MS = 20_000;
const LONGEST_PAUSE_MS = 15_000;

/**
 * Socket Mode through Bolt's receiver, without its App, which acknowledges before anybody could
 * have stored the event. Connecting again is done here too: the client's own way waits five
 * seconds at each refresh, and an outage during it ends as an unhandled rejection.
 */
export class SlackSocket {
  readonly #options: SocketOptions;
  readonly #client: SocketModeReceiver["client"];
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #loop: Promise<void> | undefined;
  #status: EdgeStatus = { ok: false, detail: "not started" };

  constructor(options: SocketOptions) {
    this.#options = options;
    const logger = sdkLogger(options.log);
    this.#client = new SocketModeReceiver({
      appToken: options.appToken,
      autoReconnectEnabled: false,
      logger,
      installerOptions: {
        clientOptions: { slackApiUrl: options.apiUrl, retryConfig: { retries: 0 } },
      },
    }).client;
    this.#client.on("slack_event", (envelope: Envelope) => this.#take(envelope));
  }

  status(): EdgeStatus {
    return this.#status;
  }

  start(): void {
    this.#loop ??= this.#keepConnected();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    // what was taken in is still acknowledged over the open socket
    await within(5_000, Promise.all(this.#running));
    await within(2_000, this.#client.disconnect());
    await within(2_000, this.#loop ?? Promise.resolve());
    this.#status = { ok: false, detail: "stopped" };
  }

  async #keepConnected(): Promise<void> {
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted; ) {
      const ended = new Promise<void>((resolve) => this.#client.once("disconnected", resolve));
      try {
        await this.#connect();
        failures = 0;
        this.#status = { ok: true, detail: "connected by Socket Mode" };
        await untilEither(ended, signal);
      } catch (error) {
        if (this.#isHopeless(error)) return;
        failures += 1;
        this.#troubled(error);
        await pause(Math.min(LONGEST_PAUSE_MS, 250 * 2 ** Math.min(failures, 6)), signal);
      }
    }
  }

  async #connect(): Promise<void> {
    const connected = this.#client.start().then(
      () => true,
      (error) => {
        throw error ?? new Error("the socket was closed before Slack said hello");
      },
    );
    connected.catch(() => {}); // also when it fails after the limit
    if (await within(HELLO_WITHIN_MS, connected)) return;
    await within(2_000, this.#client.disconnect());
    throw new Error("Slack did not say hello");
  }

  #troubled(error: unknown): void {
    const detail = `Slack cannot be reached (${messageOf(error)})`;
    if (detail !== this.#status.detail)
      this.#options.log.warn({ error: messageOf(error) }, "Slack's socket fails; trying again");
    this.#status = { ok: false, detail };
  }

  #isHopeless(error: unknown): boolean {
    const code = slackCode(error);
    if (!code || !HOPELESS.has(code)) return false;
    const detail = `Slack refused SLACK_APP_TOKEN (${code}); not connected: copy one that starts with xapp- from the app's Basic Information and restart`;
    this.#status = { ok: false, detail };
    this.#options.log.error({ code }, detail);
    return true;
  }

  #take(envelope: Envelope): void {
    // not stored, not acknowledged: it is delivered to the next connection
    if (this.#stopping.signal.aborted) return;
    const work = this.#options
      .take(envelope)
      .catch((error) =>
        this.#options.log.error({ error: messageOf(error) }, "a Slack event was not taken in"),
      )
      .finally(() => this.#running.delete(work));
    this.#running.add(work);
  }
}

function untilEither(ended: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
  return Promise.race([ended, aborted]);
}
