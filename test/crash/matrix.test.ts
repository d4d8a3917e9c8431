import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Act } from "../process/crash/deal.ts";
import { allFaultPoints } from "../process/crash/fault-points.ts";
import { type FaultyHouse, openFaultyHouse } from "../process/crash/faulty-house.ts";
import { NOT_IN_A_STORY } from "../process/crash/not-in-a-story.ts";
import { payMachinesByHand } from "../process/crash/operators.ts";
import { type Place, planRounds, type Round } from "../process/crash/rounds.ts";
import { STORIES } from "../process/crash/stories.ts";
import type { Story } from "../process/crash/story.ts";
import { embeddedEngine } from "../support/engines.ts";

/** More than a group's minute: the next story must not wait for what the last one posted. */
const REST_S = 90;
const RECORDING_LIMIT_MS = 900_000;
const MOMENTS = ["before", "after"] as const;

/**
 * `kill -9` at every commit and around every outside call, as they are found in the code. A story is
 * told several times, and in each telling the process dies at another moment of each of its acts.
 */
describe("killed", () => {
  const points = allFaultPoints();
  const played = points.filter((point) => !Object.hasOwn(NOT_IN_A_STORY, point));
  let house: FaultyHouse;
  /** `point : moment` → where it is reached. */
  const places = new Map<string, Place[]>();
  let rounds: Round[] = [];
  const results = new Map<Round, Promise<Set<string>>>();
  let told = 0;

  beforeAll(async () => {
    house = await openFaultyHouse(embeddedEngine);
    await payMachinesByHand(house.desk);
    for (const story of STORIES.keys()) await recordPlaces(story);
    const moments = played.flatMap((point) => MOMENTS.map((moment) => `${point} : ${moment}`));
    rounds = planRounds(new Map([...places].filter(([moment]) => moments.includes(moment))));
  }, RECORDING_LIMIT_MS);
  afterAll(() => house?.close());

  it("nowhere else: every point of the code is played or named with the reason why not", () => {
    const reached = new Set([...places.keys()].map((place) => place.replace(/ : \w+$/, "")));
    expect(played.filter((point) => !reached.has(point))).toEqual([]);
    expect(Object.keys(NOT_IN_A_STORY).filter((point) => !points.includes(point))).toEqual([]);
  });

  it.each(played.flatMap((point) => MOMENTS.map((moment) => `${point} : ${moment}`)))(
    "%s",
    async (moment) => {
      const round = rounds.find(({ kills }) => [...kills.values()].includes(moment));
      if (!round) throw new Error("no story comes here");
      const died = await playOnce(round);
      if (died.has(moment)) return;
      // an earlier death had changed the way: alone it has none before it
      for (const { story, act } of (places.get(moment) ?? []).toReversed())
        if ((await play({ story, kills: new Map([[act, moment]]) })).has(moment)) return;
      throw new Error("nothing died here, wherever it was reached before");
    },
  );

  /** All kills of a round are made in one telling. */
  function playOnce(round: Round): Promise<Set<string>> {
    const result = results.get(round) ?? play(round);
    results.set(round, result);
    return result;
  }

  /** Answers the moments at which the process died. */
  async function play({ story: index, kills }: Round): Promise<Set<string>> {
    const story = await newStory(index);
    const died = new Set<string>();
    try {
      for (const [at, act] of story.acts.entries()) {
        const moment = kills.get(at);
        if (moment === undefined) await act.run();
        else if (await diesIn(act, moment)) died.add(moment);
        await house.desk.settles();
      }
      await story.holds();
    } catch (error) {
      const where = `"${story.name}", killed at ${[...died].join("; ")}`;
      throw new Error(`${where}: ${error instanceof Error ? error.message : error}`, {
        cause: error,
      });
    }
    return died;
  }

  async function recordPlaces(index: number): Promise<void> {
    const story = await newStory(index);
    house.reached();
    for (const [act, { run, isWorldOnly }] of story.acts.entries()) {
      await run();
      await house.desk.settles();
      if (isWorldOnly) continue;
      for (const moment of house.reached())
        places.set(moment, [...(places.get(moment) ?? []), { story: index, act }]);
    }
    await story.holds();
  }

  async function newStory(index: number): Promise<Story> {
    told += 1;
    if (told > 1) await house.desk.world.post("clock", { advance_s: REST_S });
    await house.desk.settles();
    const tell = STORIES[index];
    if (!tell) throw new Error(`there is no story ${index}`);
    return tell(house.desk, 9000 + told);
  }

  async function diesIn(act: Act, moment: string): Promise<boolean> {
    house.arm(moment);
    // a process that dies at this moment answers nobody
    await act.run().catch(() => {});
    const died = await house.diedOrRested();
    house.disarm();
    if (!died) return false;
    await house.desk.start();
    if (!(await act.isDone())) await act.run();
    return true;
  }
});
