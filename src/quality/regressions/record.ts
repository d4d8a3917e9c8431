import { z } from "zod";
import { ACTIONABLE_LABELS } from "../../domain/feedback.ts";
import type { Json, JsonObject } from "../../domain/json.ts";

/** Later than this many seconds is the year 5138: such a figure is milliseconds. */
const LATEST_SECOND = 100_000_000_000;

// Each message is what a fault calls "expected".
const anObject = "an object";
const text = z.string("a text");
const words = filledText("words");
const textOrNull = z.string("a text or null").nullable();
const filled = filledText("a text that is not empty");
const label = z.enum(ACTIONABLE_LABELS, oneOf(ACTIONABLE_LABELS));
const POLICY_RESULTS = ["allow", "approval", "deny", "schema_failed"] as const;
const CASE_STATUSES = ["active", "archived"] as const;

const epochSeconds = whole(
  "positive epoch seconds (whole, no milliseconds)",
  (value) => value > 0 && value < LATEST_SECOND,
);
const positiveOrNull = whole("a whole number above 0, or null", (value) => value > 0).nullable();

const said = z.looseObject({ role: z.enum(["system", "user"]), content: words });
const answered = z
  .looseObject({
    role: z.literal("assistant"),
    content: text,
    toolCalls: z
      .array(z.looseObject({ id: text, name: text, arguments: text }, anObject), "a list of calls")
      .optional(),
  })
  .refine(({ content, toolCalls = [] }) => content.trim() !== "" || toolCalls.length > 0, {
    ...{ path: ["content"], error: "words, or calls" },
  });
const resulted = z.looseObject({ role: z.literal("tool"), toolCallId: text, content: text });
const message = z.discriminatedUnion(
  "role",
  [said, answered, resulted],
  "a message of role system, user, assistant or tool",
);

const toolCall = z.looseObject(
  {
    result: z.custom<Json>((value) => value !== undefined, "a value"),
    error: z.boolean("true or false"),
    cycle: whole("a whole number"),
    toolCallIndex: whole("a whole number"),
    latencyMs: whole("a whole number or null").nullable(),
  },
  anObject,
);

/** What people expect; also read by itself, where other fields of a record are wrong. */
export const expectedSchema = z.looseObject(
  {
    behavior: filled,
    proposalKind: filled.optional(),
    actionItems: z.array(text, "a list of texts"),
    tool: filledText("a tool's name, or null for no tool").nullable().optional(),
    args: z.custom<JsonObject>(isObject, anObject).optional(),
    policyResult: z.enum(POLICY_RESULTS, oneOf(POLICY_RESULTS)).optional(),
    forbiddenTools: z.array(filledText("a tool's name"), "a list of tools' names").optional(),
  },
  anObject,
);

/**
 * A case that people made of a wrong call, as the export writes it. Fields that are not named are
 * let through. That two fields agree is no part of it: see `checkRecord`.
 */
export const regressionRecordSchema = z.looseObject(
  {
    recordType: z.literal("tool_call_regression_case", '"tool_call_regression_case"'),
    id: whole("a whole number above 0", (value) => value > 0),
    source: z.literal("tool_call_feedback", '"tool_call_feedback"'),
    toolName: filled,
    label,
    title: filled,
    status: z.enum(CASE_STATUSES, oneOf(CASE_STATUSES)),
    proposalId: positiveOrNull,
    toolCallId: positiveOrNull,
    input: z.looseObject(
      {
        toolName: filled,
        args: z.custom<JsonObject | null>(
          (value) => value === null || isObject(value),
          "an object or null",
        ),
        feedback: z.looseObject({ label, note: textOrNull }, anObject),
        messages: z
          .array(message, "a list of messages")
          .min(1, "one message or more; left out where none is known")
          .optional(),
      },
      anObject,
    ),
    expected: expectedSchema,
    // null: the reply came without a call
    context: z.looseObject({ toolCall: toolCall.nullable().optional() }, anObject),
    createdAt: epochSeconds,
    updatedAt: epochSeconds,
    createdByAdminId: positiveOrNull,
  },
  anObject,
);

/** A record whose shape was checked; texts in it may be a client's. */
export type RegressionRecord = z.infer<typeof regressionRecordSchema>;

/** No list and not null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function filledText(expected: string) {
  return z.string(expected).refine((value) => value.trim() !== "", expected);
}

function whole(expected: string, suits: (value: number) => boolean = () => true) {
  return z
    .number(expected)
    .refine((value) => Number.isSafeInteger(value) && suits(value), expected);
}

function oneOf(values: readonly string[]): string {
  return `one of ${values.join(", ")}`;
}
