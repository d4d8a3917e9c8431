import { newId } from "../../domain/ids.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { EvalCaseRow, NewEvalCase } from "../../store/eval-cases.ts";
import type { EvalRunRow } from "../../store/eval-runs.ts";
import { caseInputSchema, type EvalCase } from "./case-format.ts";
import type { EvalReport } from "./run-cases.ts";

/** A case as its row holds it: columns for what is compared, the rest as JSON. */
export function rowOfCase(evalCase: EvalCase): NewEvalCase {
  const {
    case_name: caseName,
    expected_tool: expectedTool,
    expected_arguments: expectedArgumentsJson,
    expected_policy_result: expectedPolicyResult,
    forbidden_tools: forbiddenToolsJson,
    risk_level: riskLevel,
    is_active: isActive,
    source,
    ...input
  } = evalCase;
  const inputJson = JSON.parse(JSON.stringify(input)) as JsonObject; // without fields that are undefined
  return {
    ...{ caseName, inputJson, expectedTool, expectedArgumentsJson, forbiddenToolsJson },
    ...{ expectedPolicyResult, riskLevel, isActive, source },
  };
}

/** Throws when the row was written by something else than the product. */
export function caseOfRow(row: EvalCaseRow | NewEvalCase): EvalCase {
  return {
    ...caseInputSchema.parse(row.inputJson),
    case_name: row.caseName,
    expected_tool: row.expectedTool,
    expected_arguments: row.expectedArgumentsJson,
    expected_policy_result: row.expectedPolicyResult,
    forbidden_tools: row.forbiddenToolsJson,
    risk_level: row.riskLevel,
    is_active: row.isActive,
    source: row.source,
  };
}

/** Results of a run as rows. A case without a row of its own is left out. */
export function runRowsOf(
  report: EvalReport,
  of: { tenantId: string; ids: ReadonlyMap<string, string>; now: number },
): EvalRunRow[] {
  const { tenantId, ids, now } = of;
  return report.results.flatMap((result): EvalRunRow[] => {
    const evalCaseId = ids.get(result.case_name);
    if (evalCaseId === undefined) return [];
    return [
      {
        ...{ id: newId(), tenantId, evalCaseId, batchId: report.batch_id, createdAt: now },
        agentVersion: report.agent_version,
        modelId: report.model_id,
        actualTool: result.actual_tool,
        actualArgumentsJson: result.actual_arguments,
        policyResult: result.policy_result,
        passed: result.passed,
        failureReason: result.failure_reason,
      },
    ];
  });
}

/** As a file would hold it; read again it is the same case. */
export function writtenOf<T extends Omit<EvalCase, "source">>(
  evalCase: T,
): JsonObject & Pick<T, "source" & keyof T> {
  const { any_tool, expected_tool, expected_arguments, expected_policy_result, ...rest } = evalCase;
  const { risk_level, ...more } = rest;
  const written = {
    ...more,
    ...(any_tool ? {} : { expected_tool }),
    ...(expected_arguments === null ? {} : { expected_arguments }),
    ...(expected_policy_result === null ? {} : { expected_policy_result }),
    ...(risk_level === null ? {} : { risk_level }),
  };
  return JSON.parse(JSON.stringify(written)); // without fields that are undefined
}
