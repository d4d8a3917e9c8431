import type { GuardFacts } from "./guard-facts.ts";
import { fieldsOf } from "./sources.ts";

export interface Outcome {
  tool: string;
  fields: Record<string, string>;
}

/** What the backend knows to have happened. */
export interface Outcomes {
  /** Completed executions whose data does not say no. */
  succeeded: (tool: RegExp) => Outcome[];
  orderStatus: string;
  pending: boolean;
  handoff: boolean;
  needsOperator: boolean;
  thirdPartyApproved: boolean;
  /** A call of this turn that failed, was refused or still waits. */
  unfinished: boolean;
}

/** What calls have really done; a result that says `ok: false` has done nothing. */
export function outcomesOf(facts: GuardFacts): Outcomes {
  const all = facts.tool_results.map((one) => ({
    tool: one.tool,
    status: one.status,
    fields: Object.fromEntries(fieldsOf(one.data).map(({ key, value }) => [key, value])),
  }));
  const good = all.filter((one) => one.status === "completed" && one.fields.ok !== "false");
  const order = Object.fromEntries(fieldsOf(facts.order).map(({ key, value }) => [key, value]));
  const passedOn = [...facts.completed, ...facts.pending, ...good.map((one) => one.tool)];
  return {
    succeeded: (tool) => good.filter((one) => tool.test(one.tool)),
    orderStatus: order.status ?? "",
    pending: facts.pending.length > 0 || all.some((one) => one.status === "waiting_approval"),
    handoff: facts.handoff || passedOn.some((tool) => /handoff/u.test(tool)),
    // a call that was refused at the gate called nobody
    needsOperator: all.some(
      (one) => one.status !== "denied" && one.fields.needsOperator === "true",
    ),
    thirdPartyApproved: /^true$/iu.test(
      order.third_party_approved ?? order.thirdPartyApproved ?? "",
    ),
    unfinished: all.some((one) => !good.includes(one)),
  };
}
