/** `point : moment` → the acts in which it is reached, in the order of the stories. */
export type Places = ReadonlyMap<string, readonly Place[]>;

export interface Place {
  story: number;
  act: number;
}

/** One telling of a story; at each of these acts the process is killed once. */
export interface Round {
  story: number;
  kills: Map<number, string>;
}

/**
 * As few tellings as it takes to be killed at every moment once. Moments with few places come first,
 * each in the latest act that is free: what was killed early has much before it that must survive.
 */
export function planRounds(places: Places): Round[] {
  const rounds: Round[] = [];
  const rareFirst = [...places].sort(([, some], [, others]) => some.length - others.length);
  for (const [moment, all] of rareFirst) {
    const at = all.toReversed();
    const free = rounds.find((round) => freeAct(round, at) !== undefined);
    const round = free ?? { story: at[0]?.story ?? 0, kills: new Map<number, string>() };
    if (!free) rounds.push(round);
    const act = freeAct(round, at);
    if (act !== undefined) round.kills.set(act, moment);
  }
  return rounds;
}

function freeAct({ story, kills }: Round, places: readonly Place[]): number | undefined {
  return places.find((place) => place.story === story && !kills.has(place.act))?.act;
}
