import type { Update, Webhook } from "./events.ts";

/** What the bot's server made of an update. */
export type WebhookOutcome =
  | { kind: "taken" }
  | { kind: "failed"; error: string; status?: number; retryAfterMs?: number };

/** Never throws; the signal's end counts as a time-out. */
export async function postUpdate(
  webhook: Webhook,
  update: Update,
  signal: AbortSignal,
): Promise<WebhookOutcome> {
  const headers: Record<string, string> = { "Content-Type": "application/json" };
  if (webhook.secretToken) headers["X-Telegram-Bot-Api-Secret-Token"] = webhook.secretToken;
  try {
    const answer = await fetch(webhook.url, {
      method: "POST",
      headers,
      body: JSON.stringify(update),
      redirect: "manual",
      signal,
    });
    await answer.body?.cancel();
    if (answer.ok) return { kind: "taken" };
    const { status, statusText } = answer;
    const error = `Wrong response from the webhook: ${status} ${statusText}`.trim();
    const retryAfterS = Number(answer.headers.get("retry-after") ?? 0);
    return { kind: "failed", error, status, retryAfterMs: Math.max(0, retryAfterS || 0) * 1000 };
  } catch {
    const error = signal.aborted ? "Read timeout expired" : "Connection refused";
    return { kind: "failed", error };
  }
}

/** The played world never calls out of the machine. */
export function isThisMachine(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return /^https?:$/.test(protocol) && /^(127\.|localhost$|\[::1\]$)/.test(hostname);
}
