import type { Api } from "grammy";

/** How grammY types an abort signal: by a polyfill, though the standard object is what it takes. */
export type CallSignal = Parameters<Api["sendMessage"]>[3];
