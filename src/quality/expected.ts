import { UserError } from "../domain/errors.ts";
import type { ActionableLabel } from "../domain/feedback.ts";
import type { JsonObject } from "../domain/json.ts";
import { KIND_OF_LABEL, type ProposalKind } from "../domain/quality.ts";
import { type ExpectationFault, expectationFaults } from "./expectation-faults.ts";
import type { KnownTools } from "./known-tools.ts";
import { shown } from "./regressions/fault.ts";

/** What may come of a call at the gate, or before it. */
export const EXPECTED_RESULTS = ["allow", "approval", "deny", "schema_failed"] as const;
export type ExpectedResult = (typeof EXPECTED_RESULTS)[number];

/** What a reviewer says of a case; what is left out follows from the label. */
export interface GivenExpectation {
  behavior?: string | undefined;
  /** null: no tool may be called. */
  tool?: string | null | undefined;
  args?: JsonObject | undefined;
  policyResult?: ExpectedResult | undefined;
  forbiddenTools?: string[] | undefined;
  actionItems?: string[] | undefined;
  /** Those of this version; left out: names and fields are not looked up. */
  tools?: KnownTools | undefined;
}

/** As a regression case holds it. */
export interface Expected {
  /** One sentence. */
  behavior: string;
  proposalKind: ProposalKind;
  actionItems: string[];
  tool?: string | null;
  args?: JsonObject;
  policyResult?: ExpectedResult;
  forbiddenTools?: string[];
}

/**
 * The tool that a case is about: the one that was called; where none was, the one that is missing,
 * or the one that the reviewer names. Throws UserError.
 */
export function toolOfCase(
  label: ActionableLabel,
  called: string | null,
  given: { toolName?: string | undefined; expectedTool?: string | null | undefined },
): string {
  const { toolName, expectedTool } = given;
  if (label === "missing_tool" && typeof expectedTool !== "string")
    throw unfit("expected_tool", "name the tool that is missing here");
  const known = called ?? (label === "missing_tool" ? expectedTool : null) ?? null;
  if (known !== null && toolName !== undefined && toolName !== known)
    throw unfit("tool_name", `the case is about ${known}; leave it out`);
  const tool = known ?? toolName;
  if (tool === undefined)
    throw unfit("tool_name", "the reply came without a call: name the tool that the case is about");
  return tool;
}

/** The expectation of a case about `toolName`. Throws UserError when it contradicts itself. */
export function expectedOf(
  label: ActionableLabel,
  toolName: string,
  given: GivenExpectation,
): Expected {
  const { tool, args, actionItems = [] } = given;
  const forbiddenTools = given.forbiddenTools ?? (label === "wrong_tool" ? [toolName] : undefined);
  const isOwnTool = tool === undefined || tool === toolName;
  const isByLabel = label === "bad_args" && isOwnTool && args === undefined;
  const policyResult = given.policyResult ?? (isByLabel ? "schema_failed" : undefined);
  refuseFault({ ...given, toolName, forbiddenTools, policyResult }, given.tools ?? null);
  return {
    behavior: given.behavior ?? behaviorOf(label, toolName, given),
    proposalKind: KIND_OF_LABEL[label],
    actionItems,
    ...(tool === undefined ? {} : { tool }),
    ...(args === undefined ? {} : { args }),
    ...(policyResult === undefined ? {} : { policyResult }),
    ...(forbiddenTools === undefined ? {} : { forbiddenTools }),
  };
}

const FIELDS: Record<ExpectationFault["field"], string> = {
  tool: "expected_tool",
  args: "expected_args",
  forbiddenTools: "forbidden_tools",
  result: "expected_result",
};

/** Throws UserError. */
function refuseFault(...of: Parameters<typeof expectationFaults>): void {
  const [fault] = expectationFaults(...of);
  if (!fault) return;
  const { field, path, expected, actual } = fault;
  throw unfit(
    [FIELDS[field], ...path].map(String).join("."),
    `wants ${expected}, got ${shown(actual)}`,
  );
}

function behaviorOf(label: ActionableLabel, toolName: string, given: GivenExpectation): string {
  const { tool } = given;
  switch (label) {
    case "wrong_tool":
      if (tool === null) return "no tool is called here";
      return tool === undefined
        ? `${toolName} is not called here`
        : `${tool} is called here, not ${toolName}`;
    case "missing_tool":
      return `${tool} is called here`;
    case "bad_args":
      return behaviorOfArgs(toolName, given);
    default:
      return label satisfies never;
  }
}

function behaviorOfArgs(toolName: string, { tool, args, policyResult }: GivenExpectation): string {
  if (tool === null) return "no tool is called here";
  if (args !== undefined)
    return `${tool ?? toolName} is called with the arguments that are given here`;
  if (tool !== undefined && tool !== toolName) return `${tool} is called here, not ${toolName}`;
  return policyResult === undefined || policyResult === "schema_failed"
    ? `the arguments of ${toolName} are refused or differ`
    : `${toolName} with these arguments comes out as ${policyResult}`;
}

function unfit(path: string, why: string): UserError {
  return new UserError("unprocessable", `${path}: ${why}`, path);
}
