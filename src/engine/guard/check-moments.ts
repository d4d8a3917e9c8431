import { isEcho } from "./attribution.ts";
import type { Check, GuardContext } from "./guard-context.ts";
import type { Finding } from "./guard-facts.ts";
import type { Moment } from "./moments.ts";
import type { FactIndex } from "./sources.ts";

/** Hours, dates and days of the week: from tools, the order and evidence. */
export const checkMoments: Check = (context) =>
  context.moments
    .filter((moment) => !isBacked(context, moment))
    .map(
      (moment): Finding => ({
        kind: moment.kind === "always" ? "hours" : moment.kind,
        text: moment.text.trim(),
        rule: "unbacked_time",
        hint: "No source holds this time or day. Copy it from a tool result or passage, or leave it out.",
      }),
    );

function isBacked(context: GuardContext, moment: Moment): boolean {
  const { tools, requisites, evidence, lead } = context.sources;
  const sources = [tools, requisites, evidence];
  const known = moment.values.every((value) =>
    sources.some((index) => holds(index, moment, value)),
  );
  if (known) return true;
  const leads = moment.values.every((value) => holds(lead, moment, value));
  return leads && isEcho(context, moment, "addressed");
}

function holds(index: FactIndex, moment: Moment, value: string): boolean {
  return index.moments.some((one) => {
    if (one.values.includes("24/7"))
      return moment.kind === "weekday" || value === "daily" || value === "24/7";
    if (moment.kind === "weekday" && one.values.includes("daily")) return true;
    const everyDay = one.kind === "weekday" && one.values.length === 7;
    return one.values.includes(value) || (value === "daily" && everyDay);
  });
}
