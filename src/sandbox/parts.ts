import { createChainPart } from "./chain.ts";
import { createModelPart } from "./model/part.ts";
import { createPayoutPart } from "./payout.ts";
import { createSlackPart } from "./slack/part.ts";
import { createSmtpPart } from "./smtp.ts";
import { createTelegramPart } from "./telegram/part.ts";
import type { World, WorldPart } from "./world.ts";

/** Every emulated service. `smtpPort`: of the mail server, if it is free; 0: any. */
export function makeParts(
  world: World,
  origin: () => string,
  { smtpPort = 0 }: { smtpPort?: number } = {},
): WorldPart[] {
  return [
    createTelegramPart(world),
    createSlackPart(world, { origin }),
    createModelPart(world),
    createChainPart(world),
    createPayoutPart(world),
    createSmtpPart(world, smtpPort),
  ];
}
