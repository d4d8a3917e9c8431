import { z } from "zod";
import type { JsonObject } from "../../domain/json.ts";
import { type ExpectationFault, expectationFaults } from "../expectation-faults.ts";
import type { KnownTools } from "../known-tools.ts";

/** Something that is wrong with a case. */
export interface CaseFault {
  path: readonly PropertyKey[];
  /** What ought to stand there, in words. */
  expected: string;
  actual: unknown;
}

/** Fields that are weighed together; each is left out where it is not of its kind. */
const weighed = z.looseObject({
  message: z.unknown().optional(),
  messages: z.unknown().optional(),
  /** Of another kind than a name: the schema says so. */
  expected_tool: z.string().nullish().catch("?"),
  expected_arguments: optional(z.record(z.string(), z.unknown())),
  expected_policy_result: optional(z.string()),
  expected_result: optional(z.record(z.string(), z.unknown())),
  expected_calls: optional(z.number()),
  forbidden_tools: optional(z.array(z.string())),
});
type Weighed = Partial<z.infer<typeof weighed>>;

const FIELDS: Record<ExpectationFault["field"], string> = {
  tool: "expected_tool",
  args: "expected_arguments",
  forbiddenTools: "forbidden_tools",
  result: "expected_result",
};

/**
 * What no schema of one field tells: fields that contradict each other, and expectations that can
 * never hold, or never fail. `tools`: null: tools and their fields are not looked up.
 */
export function ruleFaults(written: unknown, tools: KnownTools | null): CaseFault[] {
  const parsed: Weighed = weighed.safeParse(written).data ?? {};
  return [...messageFaults(parsed), ...judgedFaults(parsed), ...expectedFaults(parsed, tools)];
}

function messageFaults({ message, messages }: Weighed): CaseFault[] {
  if ((message === undefined) !== (messages === undefined)) return [];
  return [{ path: ["message"], expected: "either message or messages", actual: message }];
}

function judgedFaults(written: Weighed): CaseFault[] {
  const { expected_tool: tool, expected_calls: calls } = written;
  const found: CaseFault[] = [];
  const judging = ["expected_arguments", "expected_policy_result", "expected_result"] as const;
  if (!tool)
    for (const name of judging)
      if (written[name] !== undefined)
        found.push({
          ...{ path: [name], actual: written[name] },
          expected: "nothing: it is judged only with an expected_tool",
        });
  if (tool && calls === 0)
    found.push({
      ...{ path: ["expected_calls"], actual: calls },
      expected: "1 or more: a call of expected_tool is wanted",
    });
  if (tool === null && calls !== undefined && calls > 0)
    found.push({
      ...{ path: ["expected_calls"], actual: calls },
      expected: "nothing: no tool may be called here",
    });
  return found;
}

function expectedFaults(written: Weighed, tools: KnownTools | null): CaseFault[] {
  const { expected_tool: tool, expected_policy_result: policyResult, forbidden_tools } = written;
  const args = written.expected_arguments as JsonObject | undefined; // of JSON or YAML
  const result = written.expected_result as JsonObject | undefined; // of JSON or YAML
  const expectation = {
    ...{ toolName: null, tool: tool ?? undefined, policyResult, forbiddenTools: forbidden_tools },
    // without a tool both are refused already
    ...(tool ? { args, result } : {}),
  };
  return expectationFaults(expectation, tools).map(({ field, path, expected, actual }) => ({
    path: [FIELDS[field], ...path],
    ...{ expected, actual },
  }));
}

function optional<T extends z.ZodType>(schema: T) {
  return schema.optional().catch(undefined);
}
