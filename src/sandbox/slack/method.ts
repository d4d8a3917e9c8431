import type { SlackCore } from "./core.ts";
import type { Json } from "./state.ts";

/** Answers a call with what goes beside `ok: true`, or throws a `Refusal`. */
export type Method = (args: Json, core: SlackCore) => Json;
