import type { webApi } from "@slack/bolt";
import { within } from "../wait.ts";

/** Names are kept, so that a busy channel costs no call for each message. */
export interface People {
  /** A person's name, or what is given when Slack does not tell it in time. */
  nameOf(userId: string, otherwise: string): Promise<string>;
}

const KNOWN = 2_000;
/** Well inside the three seconds in which an event must be acknowledged. */
const WITHIN_MS = 800;

/** Events of messages carry an id and no name. */
export function createPeople(client: webApi.WebClient): People {
  const names = new Map<string, string>();
  // two messages at once wait for one answer, and go on in their order
  const asked = new Map<string, Promise<string | undefined>>();
  const ask = (userId: string) => {
    const running = asked.get(userId);
    if (running !== undefined) return running;
    const answer = askName(client, userId).finally(() => asked.delete(userId));
    asked.set(userId, answer);
    return answer;
  };
  return {
    async nameOf(userId, otherwise) {
      const known = names.get(userId);
      if (known !== undefined) return known;
      const name = await within(WITHIN_MS, ask(userId));
      if (name === undefined) return otherwise;
      const oldest = names.keys().next();
      if (names.size >= KNOWN && !oldest.done) names.delete(oldest.value);
      names.set(userId, name);
      return name;
    },
  };
}

async function askName(client: webApi.WebClient, user: string): Promise<string | undefined> {
  try {
    const { user: found } = await client.users.info({ user });
    return found?.profile?.display_name || found?.real_name || found?.name;
  } catch {
    return undefined;
  }
}
