import type { PLAYED_SERVICES } from "../domain/played-world.ts";

/** One that can be played and made to fail. */
export type ServiceName = (typeof PLAYED_SERVICES)[number];
