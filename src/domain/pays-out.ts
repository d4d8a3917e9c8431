import type { RiskClass } from "./tool.ts";

/** Of class `payment`, and yet nothing leaves: they only say that money came. */
const TAKES_IN: ReadonlySet<string> = new Set(["confirm_fiat_payment"]);

/** Does the action send money out? A new tool of class `payment` does until it is named above. */
export function paysOut(action: { name: string; risk: RiskClass }): boolean {
  return action.risk === "payment" && !TAKES_IN.has(action.name);
}
