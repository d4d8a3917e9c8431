import type { DeskAnswer, FormRequest } from "../../domain/desk.ts";
import { messageOf } from "../../domain/errors.ts";
import { type ClickEvent, type DeskEvent, isAnswered, isDeskEvent } from "../../domain/inbound.ts";
import type { Received } from "../../store/receive.ts";
import type { EdgeOptions } from "../edge.ts";
import { failureAnswer } from "../edge-words.ts";
import { takeInOnce } from "../take-in.ts";
import { within } from "../wait.ts";
import { type Answering, answerInPrivate } from "./answers.ts";
import { parseSlack, type SlackInbound } from "./parse.ts";
import type { People } from "./people.ts";
import { renderModal } from "./render-card.ts";

/** What Slack sent, from a socket or over HTTP, before anything in it is believed. */
export interface Envelope {
  body: unknown;
  /** Slack delivers the envelope again until this is called. */
  ack(response?: Record<string, unknown>): Promise<void>;
}

/** `botUserId` asks Slack once; what the bot wrote itself is left out by it. */
export interface IntakeOptions extends Answering {
  edge: EdgeOptions;
  people: People;
  botUserId(): Promise<string>;
}

/** Of the three seconds in which a modal must be open, reading rights may take this much. */
const RIGHTS_WITHIN_MS = 1_500;
/** And this much opening it; a late one still opens, while the click is stored. */
const OPEN_WITHIN_MS = 1_000;

/**
 * One envelope, in this order: what must happen in Slack's three seconds, the commit, the
 * acknowledgement, and then the desk. Throws when the event is not stored: it comes again.
 */
export async function takeEnvelope(options: IntakeOptions, envelope: Envelope): Promise<void> {
  const { edge } = options;
  const inbound = parseSlack(envelope.body, {
    channelId: edge.channelId,
    botUserId: await options.botUserId(),
    now: edge.clock.now(),
  });
  if (!inbound) return acknowledge(options, envelope);
  const { event } = inbound;
  if (event.kind === "submission") {
    const errors = edge.desk.checkForm(event);
    if (Object.keys(errors).length > 0)
      return acknowledge(options, envelope, { response_action: "errors", errors });
  }
  if (event.kind === "click") await openForm(options, event, inbound.triggerId);
  if (event.kind === "message" || event.kind === "edit")
    event.person.name = await options.people.nameOf(event.person.id, event.person.name);
  const received = await takeInOnce(edge, event);
  await acknowledge(options, envelope);
  if (received && isDeskEvent(event)) await runDesk(options, { inbound, event, received });
}

/** The socket may have been changed meanwhile: then the event comes again and is a duplicate. */
async function acknowledge(
  { log }: IntakeOptions,
  envelope: Envelope,
  response?: Record<string, unknown>,
): Promise<void> {
  try {
    await envelope.ack(response);
  } catch (error) {
    log.warn({ error: messageOf(error) }, "an envelope could not be acknowledged");
  }
}

/** A modal that does not open costs a reason at most; the click counts all the same. */
async function openForm(
  options: IntakeOptions,
  click: ClickEvent,
  triggerId: string | undefined,
): Promise<void> {
  if (!triggerId) return;
  const { edge, client, log } = options;
  try {
    const asked = edge.desk.formFor(edge.tenantId, click);
    asked.catch(() => {}); // it may fail after the limit
    const form: FormRequest | null | undefined = await within(RIGHTS_WITHIN_MS, asked);
    if (!form) return;
    const { chatId, threadId } = click;
    const view = renderModal(form, { subject: form.subject, chatId, threadId });
    const opened = client.views.open({ trigger_id: triggerId, view });
    opened.catch(() => {}); // also when it fails after the limit
    await within(OPEN_WITHIN_MS, opened);
  } catch (error) {
    log.warn({ error: messageOf(error) }, "a form could not be opened");
  }
}

interface DeskWork {
  inbound: SlackInbound;
  event: DeskEvent;
  received: Received;
}

async function runDesk(options: IntakeOptions, work: DeskWork): Promise<void> {
  const { event, received } = work;
  // delivered again because the acknowledgement was lost: it was answered then
  if (received.kind === "duplicate" && received.answer) return;
  const answer = await handle(options, event, received.inboxId);
  if (!answer || !isAnswered(event)) return;
  const { responseUrl } = work.inbound;
  await answerInPrivate(options, event, { answer, responseUrl });
}

async function handle(
  { edge }: IntakeOptions,
  event: DeskEvent,
  inboxId: string,
): Promise<DeskAnswer | null> {
  try {
    return await edge.desk.handle({ tenantId: edge.tenantId, inboxId });
  } catch (error) {
    edge.log.error({ inboxId, error: messageOf(error) }, "the desk failed");
    return isAnswered(event) ? failureAnswer(event.person) : null;
  }
}
