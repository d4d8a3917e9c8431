import type { Desk, SlackMessage } from "./desk-people.ts";
import type { Played } from "./played-world.ts";

/** What one admin alone asks for takes effect after so long. */
const DELAY_S = 600;

/** A change of authority by the desk's only admin, in force: nobody rejects it in time. */
export async function changeAlone(
  desk: Desk,
  ...request: [method: string, path: string, body: unknown]
): Promise<Played> {
  const asked = await desk.admin(...request);
  if (!asked.approval) throw new Error(`nothing was asked for: ${JSON.stringify(asked)}`);
  await desk.idle(); // the time starts with the card
  await desk.advance(DELAY_S);
  return asked;
}

/** The newest message in the operators' channel that names the request and has buttons, or none any more. */
export async function cardOf(desk: Desk, name: string): Promise<SlackMessage> {
  const shown = await desk.slackCards();
  const card = shown.findLast(
    ({ text, ephemeral_for: only }) => !only && text.includes(` · ${name}`),
  );
  if (!card) throw new Error(`there is no card ${name}`);
  return card;
}

/** Types a command in Slack; what the person alone is answered. */
export async function typesInSlack(
  desk: Desk,
  user: string,
  line: string,
  channel = "C0OPERATORS",
): Promise<string> {
  const [command = "", ...rest] = line.split(" ");
  const typed = { channel, user, command, text: rest.join(" ") };
  const { answer } = await desk.world.post("slack/commands", typed);
  await desk.idle();
  return answer?.text ?? "";
}

/** Types a command in the operators' Telegram group; what the bot then says there. */
export async function typesInTelegram(
  desk: Desk,
  user_id: number,
  text: string,
  chat_id = -1_002_000_000_001,
): Promise<string[]> {
  const { message_id } = await desk.world.post("telegram/messages", { chat_id, user_id, text });
  const said = async (): Promise<string[]> => {
    const all: Played[] = await desk.world.get(`telegram/chats/${chat_id}/messages`);
    return all.filter((one) => one.from_bot && one.message_id > message_id).map((o) => o.text);
  };
  await desk.until(async () => (await said()).length > 0);
  await desk.idle();
  return said();
}
