import type { Stamp } from "./stamp.ts";
import type { Channel, SlackState, User } from "./state.ts";
import { BOT, BOT_SCOPES, directChannel, personOf } from "./workspace.ts";

/** The world before anything happened; after a reset ids and times go on from `latest`. */
export function createState(
  latest: Stamp = { seq: 0, at: 0, ts: "0.000000", second: 0 },
): SlackState {
  return {
    installation: { revoked: false, scopes: BOT_SCOPES },
    users: new Map(seedUsers().map((user) => [user.id, user])),
    channels: new Map(seedChannels().map((channel) => [channel.id, channel])),
    messages: new Map(),
    views: new Map(),
    triggers: new Map(),
    hooks: new Map(),
    files: new Map(),
    uploads: new Map(),
    envelopes: new Map(),
    events: new Map(),
    latest,
  };
}

function seedUsers(): User[] {
  const people = ["LEAD", "ALICE", "BOB", "ADMIN", "EVE"].map((name) => personOf(`U0${name}`));
  return [{ id: BOT.userId, name: BOT.name, realName: "Countersign", isBot: true }, ...people];
}

function seedChannels(): Channel[] {
  const staff = [BOT.userId, "U0ALICE", "U0BOB", "U0ADMIN"];
  return [
    { id: "C0OPERATORS", name: "operators", isIm: false, members: new Set(staff) },
    { id: "C0REVIEW", name: "review", isIm: false, members: new Set(staff) },
    directChannel("D0LEAD", "U0LEAD"),
  ];
}
