import { expect } from "vitest";
import { writtenOf } from "../../../src/quality/evals/case-rows.ts";
import { readCases, SHIPPED_CASES } from "../../../src/quality/evals/read-cases.ts";
import type { Played } from "../../support/played-world.ts";
import type { DeskProcess } from "../desk-process.ts";
import type { Act, Person } from "./deal.ts";

const EVALS = "/quality/evals";
const COACH = "/quality/coach/proposals";
const LOOK_EVERY_MS = 100;
/** Two processes that play the evals, on a machine that has other work. */
const ENDS_WITHIN_MS = 240_000;

/** One is enough to see a run through; those that ship are switched off, as people may do it. */
export async function fewScenarios(desk: DeskProcess): Promise<void> {
  const shipped = readCases([SHIPPED_CASES]).map((one) => ({
    ...writtenOf(one),
    is_active: false,
  }));
  const hours = { case_name: "opening hours", language: "ru", message: "До скольки вы работаете?" };
  await desk.admin(`${EVALS}/cases`, { cases: [...shipped, hours] }, "PUT");
}

/** Made again it is another one. */
export function playsReplay(desk: DeskProcess, person: Person): Act {
  return again("the conversation is replayed", async () => {
    const conversation_id = await conversationOf(desk, person);
    const { id, turns } = await desk.admin("/quality/replays", { conversation_id, model: "" });
    expect(turns).not.toEqual([]);
    expect(await desk.admin(`/quality/replays/${id}`)).toMatchObject({ conversation_id });
  });
}

/** From a label on the reply. */
export function asksTheCoach(desk: DeskProcess, person: Person): Act {
  return again("the coach is asked", async () => {
    const of = await conversationOf(desk, person);
    const calls = await desk.admin(`/quality/tool-calls?conversation=${of}`);
    const path = `/quality/tool-calls/${calls.items[0].id}/feedback`;
    await desk.admin(path, { label: "wrong_tool" });
    await desk.admin(COACH, { styleId: "default" });
  });
}

/** The newest suggestion; one whose evals came to nothing is tried again at once. */
export function playsShadow(desk: DeskProcess): Act {
  const newest = async () => (await desk.admin(`${COACH}?limit=1`)).items[0];
  return {
    name: "the suggestion is tried",
    async run() {
      const { number } = await newest();
      await desk.admin(`${COACH}/${number}/shadow`, {});
      const { shadow_json } = await ends(async () => {
        const one = await newest();
        return one.shadow_json.state === "running" ? undefined : one;
      });
      expect(shadow_json).toMatchObject({ state: "done", total: 1 });
    },
    isDone: async () => (await newest()).shadow_json?.state === "done",
  };
}

/** `model`: null: the one in use; one without a key leaves the reason. */
export function playsEvals(desk: DeskProcess, model: string | null): Act {
  return again(`the evals run on ${model ?? "the model in use"}`, async () => {
    const named = model === null ? {} : { model: model.replaceAll(" ", "-") };
    const { batch_id } = await desk.admin(`${EVALS}/runs`, named);
    await ends(async () => ((await desk.admin(`${EVALS}/runs`)).running ? undefined : true));
    const { items } = await desk.admin(`${EVALS}/batches`);
    const came = items.find((one: Played) => one.batch_id === batch_id);
    if (model === null) expect(came).toMatchObject({ total: 1, error: null });
    else expect(came).toMatchObject({ total: 0, error: expect.stringContaining("is missing") });
  });
}

/** Every run that was ever begun came to results or says why not. */
export async function expectLabTold(desk: DeskProcess): Promise<void> {
  const begun = (await desk.admin("/audit?event_type=evals.started&limit=200")).items;
  expect(begun).not.toEqual([]);
  const { items } = await desk.admin(`${EVALS}/batches?limit=200`);
  const told = items.map(({ batch_id }: Played) => batch_id);
  for (const { refs } of begun) expect(told).toContain(refs.batch);
  for (const { total, error } of items) expect(total > 0 || error !== null).toBe(true);
  expect((await desk.admin(`${EVALS}/runs`)).running).toBeNull();
}

async function conversationOf(desk: DeskProcess, { chatId }: Person): Promise<string> {
  const { items } = await desk.admin("/conversations?limit=200");
  return items.find((one: Played) => one.chat_id === String(chatId)).id;
}

/** Whoever was killed in it does it anew. */
function again(name: string, run: () => Promise<void>): Act {
  return { name, run, isDone: async () => false };
}

async function ends<T>(look: () => Promise<T | undefined>): Promise<T> {
  const giveUpAt = Date.now() + ENDS_WITHIN_MS;
  while (Date.now() < giveUpAt) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  throw new Error("it does not come to an end");
}
