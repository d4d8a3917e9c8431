import type { types, webApi } from "@slack/bolt";
import type { DeskAnswer } from "../../domain/desk.ts";
import { messageOf } from "../../domain/errors.ts";
import type { AnsweredEvent } from "../../domain/inbound.ts";
import type { EdgeLog } from "../edge.ts";
import { splitText } from "../split-text.ts";
import { escapedCost, escapeSlack } from "./escape.ts";
import { buttonBlocks, TEXT_LIMIT } from "./render-card.ts";
import { wordsBlock } from "./rich-text.ts";

/** `apiUrl` tells which hosts a `response_url` may have. */
export interface Answering {
  client: webApi.WebClient;
  apiUrl: string;
  log: EdgeLog;
}

const CALL_LIMIT_MS = 10_000;
/** A response_url may be used five times. */
const PARTS = 5;

/** Says it to the person alone: by the interaction's own address, else as an ephemeral message. */
export async function answerInPrivate(
  { client, apiUrl, log }: Answering,
  event: AnsweredEvent,
  said: { answer: DeskAnswer; responseUrl: string | undefined },
): Promise<void> {
  for (const shown of shownParts(said.answer)) {
    const replaces = said.answer.replaces ?? false;
    const answer = { ...shown, response_type: "ephemeral", replace_original: replaces };
    if (said.responseUrl && (await respond(said.responseUrl, { apiUrl, log, answer }))) continue;
    try {
      await client.chat.postEphemeral({
        channel: event.chatId,
        user: event.person.id,
        ...shown,
        ...(event.threadId === null ? {} : { thread_ts: event.threadId }),
      });
    } catch (error) {
      log.warn({ error: messageOf(error) }, "a private answer could not be given");
    }
  }
}

interface Shown {
  text: string;
  blocks: types.KnownBlock[];
}

/** Nobody but the person reads it. Buttons stand below the last message. */
function shownParts({ text, privately, buttons }: DeskAnswer): Shown[] {
  const said = privately ?? text;
  const parts = splitText(said, TEXT_LIMIT, escapedCost).slice(0, PARTS);
  return parts.map((part, index) => {
    const below = index === parts.length - 1 ? buttonBlocks(buttons ?? []) : [];
    return { text: escapeSlack(part), blocks: [wordsBlock(part, { links: true }), ...below] };
  });
}

async function respond(
  url: string,
  { apiUrl, log, answer: said }: { apiUrl: string; log: EdgeLog; answer: object },
): Promise<boolean> {
  if (!isSlacks(url, apiUrl)) return false;
  try {
    const answer = await fetch(url, {
      method: "POST",
      redirect: "error",
      headers: { "content-type": "application/json; charset=utf-8" },
      body: JSON.stringify(said),
      signal: AbortSignal.timeout(CALL_LIMIT_MS),
    });
    await answer.body?.cancel();
    return answer.ok;
  } catch (error) {
    log.info({ error: messageOf(error) }, "a response_url did not take an answer");
    return false;
  }
}

/** The address came over Slack's connection, but it must be Slack's own nevertheless. */
function isSlacks(url: string, apiUrl: string): boolean {
  if (!URL.canParse(url)) return false;
  const { origin, protocol, hostname } = new URL(url);
  if (origin === new URL(apiUrl).origin) return true;
  return protocol === "https:" && /(^|\.)slack(-gov)?\.com$/.test(hostname);
}
