import { expect } from "vitest";
import type { Played } from "../../support/played-world.ts";
import type { DeskProcess } from "../desk-process.ts";
import { type Act, createPerson, fault, timePasses, worldOnly } from "./deal.ts";
import {
  asksTheCoach,
  expectLabTold,
  fewScenarios,
  playsEvals,
  playsReplay,
  playsShadow,
} from "./lab-acts.ts";
import { expectAnswered, expectSound } from "./soundness.ts";
import type { Tell } from "./story.ts";

/** What staff try out beside the work. */
export const lab: Tell = (desk, chatId) => {
  const person = createPerson(desk, chatId);
  return {
    name: "a reply judged, replayed, and put to the coach and the evals",
    acts: [
      worldOnly("few scenarios", () => fewScenarios(desk)),
      person.says("До скольки вы работаете?"),
      playsReplay(desk, person),
      asksTheCoach(desk, person),
      playsShadow(desk),
      playsEvals(desk, null),
      playsEvals(desk, "a model that nobody has a key for"),
    ],
    async holds() {
      await expectAnswered(person);
      await expectSound(desk, person);
      await expectLabTold(desk);
    },
  };
};

/** A messenger that refuses the first cards and copies. */
export const refusedCard: Tell = (desk, chatId) => {
  const person = createPerson(desk, chatId);
  const refusals = { service: "slack", kind: "status", status: 400 };
  return {
    name: "a card that is refused, and comes again",
    acts: [
      person.says("Здравствуйте"),
      fault(desk, { ...refusals, count: 8 }),
      person.documents,
      fault(desk, { ...refusals, count: 0 }),
      timePasses(desk, 60),
      person.presses("Approve", person.card("Identity documents")),
    ],
    async holds() {
      const cards = await desk.cards(person.card("Identity documents"));
      expect(cards.length).toBeGreaterThan(0);
      await expectAnswered(person);
      await expectSound(desk, person);
    },
  };
};

/** What one admin alone asks for takes effect ten minutes after its card stands. */
export const ownChange: Tell = (desk, chatId) => {
  const person = createPerson(desk, chatId);
  const operator_daily_cap = String(100_000_000 + chatId);
  const path = "/exchange/settings";
  return {
    name: "a change that an admin asks for in the API",
    acts: [
      asked(desk, "asks for another cap", () => desk.admin(path, { operator_daily_cap }, "PUT")),
      timePasses(desk, 700),
      timePasses(desk, 700),
      asked(desk, "reads the models anew", () => desk.admin("/models/reload", {})),
      person.says("До скольки вы работаете?"),
    ],
    async holds() {
      expect(await desk.admin(path)).toMatchObject({ operator_daily_cap });
      await expectAnswered(person);
      await expectSound(desk, person);
    },
  };
};

/** It is asked for once: a request that waits was taken in, whether that was answered or not. */
function asked(desk: DeskProcess, name: string, ask: () => Promise<unknown>): Act {
  return {
    name,
    run: async () => void (await ask()),
    async isDone() {
      const { items } = await desk.admin("/approvals?status=pending&limit=200");
      return items.some((one: Played) => one.tool_name === "change_authority");
    },
  };
}
