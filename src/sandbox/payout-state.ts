import { isDeepStrictEqual } from "node:util";
import type { WorldEvent } from "./journal.ts";

export type PayoutStatus = "completed" | "pending" | "failed";

/** As it came, with the names of the wire. */
export interface PayoutOrder {
  order_id: string;
  amount: string;
  currency: string;
  method?: string | null;
  location?: string | null;
  destination?: unknown;
}

/** What the gateway was told to do with the next payout. Other sums and orders play a wrong answer. */
export interface PayoutScript {
  status?: PayoutStatus;
  reason?: string;
  code?: string;
  code_expires_at?: string;
  order_id?: string;
  amount?: string;
  currency?: string;
}

/** As the gateway answers it; `amount` as decimal text. */
export interface PayoutAnswer {
  id: string;
  order_id: string;
  amount: string;
  currency: string;
  status: PayoutStatus;
  reason?: string;
  code?: string;
  code_expires_at?: string;
}

/** What stands under one idempotency key; it never changes into another order. */
export interface Payout {
  key: string;
  at: number;
  order: PayoutOrder;
  answer: PayoutAnswer;
}

/** As the journal holds it; the answer's id is made of the event's number. */
export interface RecordedPayout {
  key: string;
  order: PayoutOrder;
  answer: Omit<PayoutAnswer, "id">;
  scripted: boolean;
}

/** The gateway's books: a fold over the journal. */
export interface Payouts {
  apply(event: WorldEvent): void;
  get(key: string): Payout | undefined;
  list(): Payout[];
  nextScript(): PayoutScript | undefined;
}

export function createPayouts(): Payouts {
  const byKey = new Map<string, Payout>();
  let scripts: PayoutScript[] = [];
  return {
    apply(event) {
      if (event.kind === "world.reset") {
        byKey.clear();
        scripts = [];
      }
      if (event.kind === "payout.scripted") scripts.push(event.data as PayoutScript);
      if (event.kind === "payout.recorded") {
        const { key, order, answer, scripted } = event.data as RecordedPayout;
        if (scripted) scripts.shift();
        byKey.set(key, { key, at: event.at, order, answer: { id: `po_${event.seq}`, ...answer } });
      }
      if (event.kind === "payout.settled") {
        const { key, change } = event.data as { key: string; change: Partial<PayoutAnswer> };
        const payout = byKey.get(key);
        if (payout) payout.answer = { ...payout.answer, ...change };
      }
    },
    get: (key) => byKey.get(key),
    list: () => [...byKey.values()],
    nextScript: () => scripts[0],
  };
}

/** To the letter: "40" and "40.0" under one key are a conflict, as with strict gateways. */
export function sameOrder(left: PayoutOrder, right: PayoutOrder): boolean {
  return isDeepStrictEqual(left, right);
}
