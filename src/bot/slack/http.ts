import { createHmac, timingSafeEqual } from "node:crypto";
import { messageOf } from "../../domain/errors.ts";
import type { EdgeLog, EdgeStatus } from "../edge.ts";
import { parseJson, readBody, refuse } from "../http-request.ts";
import { within } from "../wait.ts";
import type { Envelope } from "./intake.ts";

/**
 * `take` acknowledges by the envelope's own `ack`, which is the answer; what it does then goes on
 * behind.
 */
export interface HttpOptions {
  signingSecret: string;
  log: EdgeLog;
  take(envelope: Envelope): Promise<void>;
  /** Real time, milliseconds; signatures do not follow a moved clock. */
  realNow(): number;
}

/** Far above any payload of Slack's. */
const BODY_LIMIT = 2_097_152;
const MOST_APART_MS = 300_000;
const SETTLE_WITHIN_MS = 5_000;
const STOPPED: EdgeStatus = { ok: false, detail: "not started" };

/**
 * Events, interactions and commands by signed HTTP. The answer to a request is its
 * acknowledgement: it leaves once the event is stored, and what the desk does goes on behind.
 */
export class SlackHttp {
  readonly #options: HttpOptions;
  readonly #running = new Set<Promise<void>>();
  #status = STOPPED;

  constructor(options: HttpOptions) {
    this.#options = options;
  }

  status(): EdgeStatus {
    return this.#status;
  }

  start(): void {
    this.#status = { ok: true, detail: "events come to /slack/events" };
  }

  async stop(): Promise<void> {
    this.#status = STOPPED;
    await within(SETTLE_WITHIN_MS, Promise.all(this.#running));
  }

  async takeRequest(request: Request): Promise<Response> {
    const raw = await readBody(request, BODY_LIMIT);
    if (raw === null) return refuse(413, "too_large", "No payload of Slack's is as large as this.");
    const text = raw.toString("utf8");
    const isForm = /^application\/x-www-form-urlencoded\b/i.test(
      request.headers.get("content-type") ?? "",
    );
    // Slack looks whether the certificate is good; nothing is done with it
    if (isForm && new URLSearchParams(text).get("ssl_check") === "1") return accepted();
    const problem = this.#problemOf(request, raw);
    if (problem) {
      this.#options.log.warn({ problem }, "a request to /slack/events was refused");
      return refuse(401, "unauthorized", problem);
    }
    const body = isForm ? formBody(text) : parseJson(text);
    if (!isRecord(body)) return refuse(400, "no_payload", "The body is no payload of Slack's.");
    if (body.type === "url_verification") return Response.json({ challenge: body.challenge });
    if (body.type === "app_rate_limited") {
      const fields = { minute: body.minute_rate_limited };
      this.#options.log.warn(fields, "Slack holds events back: there were too many in an hour");
      return accepted();
    }
    if (!this.#status.ok)
      return refuse(503, "not_ready", "The bot is starting or stopping; deliver this again.");
    return this.#take(body);
  }

  /** The request ends with the acknowledgement, the work may go on. */
  #take(body: Record<string, unknown>): Promise<Response> {
    return new Promise((resolve) => {
      const ack = async (response?: Record<string, unknown>) =>
        resolve(response ? Response.json(response) : accepted());
      const work = this.#options
        .take({ body, ack })
        .catch((error) => {
          const fields = { error: messageOf(error) };
          this.#options.log.error(fields, "a Slack event was not taken in");
          resolve(refuse(503, "not_stored", "The event could not be stored; deliver it again."));
        })
        .finally(() => this.#running.delete(work));
      this.#running.add(work);
    });
  }

  #problemOf({ headers }: Request, raw: Buffer): string | null {
    const stamp = headers.get("x-slack-request-timestamp") ?? "";
    if (!/^\d{1,12}$/.test(stamp)) return "The request has no timestamp.";
    if (Math.abs(this.#options.realNow() - Number(stamp) * 1000) > MOST_APART_MS)
      return "The timestamp is more than five minutes away from this machine's clock.";
    const mac = createHmac("sha256", this.#options.signingSecret)
      .update(`v0:${stamp}:`)
      .update(raw)
      .digest();
    const given = /^v0=([0-9a-f]{64})$/.exec(headers.get("x-slack-signature") ?? "")?.[1] ?? "";
    const bytes = Buffer.from(given, "hex");
    const isSame = bytes.length === mac.length && timingSafeEqual(bytes, mac);
    return isSame ? null : "The signature is wrong.";
  }
}

function accepted(): Response {
  return new Response(null, { status: 200 });
}

/** Interactions come as JSON in the field `payload`; a command is the form itself. */
function formBody(text: string): unknown {
  const form = new URLSearchParams(text);
  const payload = form.get("payload");
  return payload === null ? Object.fromEntries(form) : parseJson(payload);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
