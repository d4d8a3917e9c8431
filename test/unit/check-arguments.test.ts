import { expect, it } from "vitest";
import { z } from "zod";
import { checkArguments, MAX_ARGUMENT_BYTES } from "../../src/tools/check-arguments.ts";
import type { AnyTool } from "../../src/tools/contract.ts";

const parameters = z.strictObject({
  text: z.string(),
  inner: z.strictObject({ count: z.int() }).optional(),
});
const tool = {
  parameters,
  check: ({ text }: z.infer<typeof parameters>) => (text === "no" ? "text: must not be no" : null),
} as unknown as AnyTool; // only its schema and its own rule are looked at

const check = (args: string, cut = false) => checkArguments(tool, { arguments: args, cut });
const rules = (args: string) => {
  const checked = check(args);
  return checked.ok ? [] : checked.errors.map((error) => `${error.path} ${error.rule}`);
};

it("gives what the schema let through", () => {
  const args = { text: "a", inner: { count: 2 } };
  expect(check(JSON.stringify(args))).toEqual({ ok: true, args });
});

it("names every wrong field, at any depth", () => {
  expect(rules('{"text":1,"inner":{"count":"2","more":1}}')).toEqual([
    "text invalid_type",
    "inner.count invalid_type",
    "inner no_extra_fields",
  ]);
});

it("takes what endpoints say for nothing as no arguments", () => {
  for (const none of ["", " ", "null", "{}"]) expect(rules(none)).toEqual(["text invalid_type"]);
});

it("repairs nothing", () => {
  for (const broken of ['{"text":"a"', "{'text':'a'}", '{"text":"a",}', '```{"text":"a"}```'])
    expect(rules(broken)).toEqual([" json"]);
  expect(rules("[]")).toEqual([" type"]);
});

it("counts bytes, not characters", () => {
  const letters = (count: number) => JSON.stringify({ text: "ж".repeat(count) });
  expect(rules(letters(MAX_ARGUMENT_BYTES / 2))).toEqual([" size"]);
  expect(rules(letters(MAX_ARGUMENT_BYTES / 2 - 10))).toEqual([]);
});

it("refuses characters that cannot be stored, and lets their names through", () => {
  expect(rules('{"text":"a\\u0000"}')).toEqual([" text"]);
  expect(rules('{"text":"\\udc00"}')).toEqual([" text"]);
  expect(rules('{"text":"a\\\\u0000"}')).toEqual([]);
  expect(rules('{"text":"\\ud83d\\udc4d"}')).toEqual([]);
});

it("asks the tool's own rule last", () => {
  expect(check('{"text":"no"}')).toMatchObject({
    errors: [{ rule: "check", message: "text: must not be no" }],
  });
});

it("believes nothing of a cut answer", () => {
  expect(check('{"text":"a"}', true)).toMatchObject({ ok: false, errors: [{ rule: "cut" }] });
});
