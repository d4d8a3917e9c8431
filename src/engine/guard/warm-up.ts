import { guardReply } from "./guard.ts";
import { guardFactsSchema } from "./guard-facts.ts";

/** The first checks compile hundreds of patterns (about a second): not while a lead waits. */
export function warmUpGuard(): void {
  const facts = guardFactsSchema.parse({});
  guardReply({
    reply: "Курс 31.3, к выплате 62 600 THB, 10:00. Call +66 76 555 018.",
    lang: "ru",
    facts,
  });
}
