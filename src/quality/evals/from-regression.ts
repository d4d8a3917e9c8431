import type { ChatMessage } from "../../domain/chat-model.ts";
import { UserError } from "../../domain/errors.ts";
import type { Json, JsonObject } from "../../domain/json.ts";
import type { KnownTools } from "../known-tools.ts";
import type { RegressionRecord } from "../regressions/record.ts";
import type { EvalCase } from "./case-format.ts";
import { caseFaultLine, checkCase } from "./check-case.ts";

const LONGEST_TITLE = 140;
const MOST_LINES = 60;

/**
 * A regression case as a scenario: the client's last words are put to a model again, after what was
 * said before them, and what people expected is expected. `tools`: null: those that it names are not
 * looked up. Throws UserError where it holds too little.
 */
export function caseFromRegression(
  record: RegressionRecord,
  tools: KnownTools | null = null,
): EvalCase {
  const name = `REG-${record.id}`;
  const messages = (record.input.messages ?? []) as ChatMessage[]; // their shape was checked
  const lastAt = messages.findLastIndex(({ role }) => role === "user");
  const last = messages[lastAt];
  if (!last)
    throw new UserError("unprocessable", `${name} holds no words of a client to put again`, "id");
  const { language, client } = contextOf(record.context);
  const written = {
    case_name: `${name}: ${record.title}`.slice(0, LONGEST_TITLE),
    ...{ language, client, note: record.expected.behavior.slice(0, 1000) },
    before: linesOf(messages.slice(0, lastAt)).slice(-MOST_LINES),
    message: last.content,
    ...expectationOf(record),
  };
  const { evalCase, faults } = checkCase(written, tools);
  if (evalCase) return { ...evalCase, source: name };
  const [first] = faults;
  const why = first ? caseFaultLine(`${name} cannot be made a case`, first) : name;
  throw new UserError("unprocessable", why, "id");
}

/**
 * What a model has to do, or must not. Throws UserError where people only said that a call was
 * wrong: a scenario that asks for that call again would reward the fault.
 */
function expectationOf(record: RegressionRecord) {
  const { id, toolName, label, expected } = record;
  const { tool, args, policyResult } = expected;
  const isWrongTool = label === "wrong_tool";
  const forbidden_tools = expected.forbiddenTools ?? (isWrongTool ? [toolName] : []);
  if (tool === null) return { expected_tool: null, forbidden_tools };
  const wanted = wantedTool(record);
  if (wanted !== null)
    return {
      expected_tool: wanted,
      ...(args === undefined ? {} : { expected_arguments: args }),
      ...(policyResult === undefined ? {} : { expected_policy_result: policyResult }),
      forbidden_tools,
    };
  if (isWrongTool ? forbidden_tools.length > 0 : forbidden_tools.includes(toolName))
    return { forbidden_tools };
  throw new UserError(
    "unprocessable",
    `REG-${id} says that a call of ${toolName} was wrong, not what is right: give expected_args, or another expected_tool, when a case is made; or write the scenario with PUT /quality/evals/cases`,
    "id",
  );
}

/** null: the case names no call that is right. */
function wantedTool({ label, toolName, expected }: RegressionRecord): string | null {
  const { tool, args, policyResult } = expected;
  if (label !== "bad_args") return tool ?? null;
  if (args !== undefined) return tool ?? toolName;
  const isThrough = policyResult === "allow" || policyResult === "approval";
  const isOwn = tool === undefined || tool === toolName;
  if (isOwn) return isThrough ? toolName : null;
  return tool;
}

/** Where the deal stood and who wrote, as far as the gate's facts tell. */
function contextOf(context: JsonObject | Record<string, unknown>) {
  const facts = objectAt(context.facts);
  const known = objectAt(facts.known);
  const { stage, kyc, recipient_verified: verified } = known;
  return {
    language: context.language === "ru" ? "ru" : "en",
    client: {
      ...(typeof stage === "string" && stage !== "" ? { stage } : {}),
      ...(typeof kyc === "string" && kyc !== "bad_attributes" ? { kyc } : {}),
      ...(verified === true ? { email: "client@example.test", email_verified: true } : {}),
    },
  };
}

function linesOf(messages: readonly ChatMessage[]): JsonObject[] {
  const results = new Map(
    messages.flatMap((one) => (one.role === "tool" ? [[one.toolCallId, one.content]] : [])),
  );
  return messages.flatMap((message) => lineOf(message, results));
}

function lineOf(message: ChatMessage, results: ReadonlyMap<string, string>): JsonObject[] {
  switch (message.role) {
    case "user":
      return filled("client", message.content);
    case "system":
      return filled("event", message.content);
    case "tool":
      return []; // stands with its call
    case "assistant":
      return [
        ...filled("bot", message.content),
        ...(message.toolCalls ?? []).map((call) => ({
          call: { tool: call.name, args: objectIn(call.arguments) },
          result: objectIn(results.get(call.id) ?? "{}"),
        })),
      ];
    default:
      return message satisfies never;
  }
}

function filled(name: string, text: string): JsonObject[] {
  return text.trim() === "" ? [] : [{ [name]: text.slice(0, name === "event" ? 2000 : 12_000) }];
}

function objectIn(text: string): JsonObject {
  try {
    return objectAt(JSON.parse(text));
  } catch {
    return { summary: text.slice(0, 500) };
  }
}

function objectAt(value: unknown): JsonObject {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, Json>) : {}; // plain JSON of a row
}
