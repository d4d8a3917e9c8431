import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseBodyJson } from "../../src/admin/body-json.ts";
import { UserError } from "../../src/domain/errors.ts";

function refusalOf(text: string): UserError {
  try {
    parseBodyJson(text);
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error(`was read: ${text.slice(0, 100)}`);
}

describe("a body that would be read as something else", () => {
  it.each([
    ["__proto__", '{"condition_json":{"__proto__":{"a":1}}}', "condition_json.__proto__"],
    ["__proto__ spelled otherwise", '{"a":{"\\u005f_proto__":1}}', "a.__proto__"],
    ["constructor", '[{"constructor":1}]', "0.constructor"],
    ["prototype", '{"prototype":null}', "prototype"],
    ["a key twice", '{"a":1,"b":{"a":1,"a":2}}', "a"],
    ["NUL in an id", '[{"id":"a\\u0000b"}]', "0.id"],
    ["half a character in an id", '{"id":"\\ud800x"}', "id"],
    ["NUL in a list", '{"tools":["a","b\\u0000"]}', "tools.1"],
    ["NUL in a name", '{"a\\u0000b":1}', "ab"],
    [
      "NUL in a field within a free text's name",
      '{"condition_json":{"note":"\\u0000"}}',
      "condition_json.note",
    ],
  ])("is refused by the place: %s", (_what, text, path) => {
    const { code, path: at, message } = refusalOf(text);
    expect([code, at]).toEqual(["invalid", path]);
    expect(message).toContain(path);
  });

  it.each([
    ["nothing", "", "empty"],
    ["blanks", " \n", "empty"],
    ["a cut text", '{"a":', "no valid JSON"],
    ["a comma that lacks", '{"a":1 "b":2}', "position 7"],
    ["deep lists", `${"[".repeat(65)}${"]".repeat(65)}`, "65 levels"],
    ["lists too deep for a stack", `${"[".repeat(200_000)}${"]".repeat(200_000)}`, "200000 levels"],
    ["deep objects", `${'{"a":'.repeat(70)}1${"}".repeat(70)}`, "70 levels"],
  ])("%s: the answer says what is wrong", (_what, text, words) => {
    const { code, message } = refusalOf(text);
    expect([code, message]).toEqual(["bad_json", expect.stringContaining(words)]);
  });

  it("is not repeated in the answer: it may hold a secret", () => {
    expect(refusalOf('{"value":"hunter2" oops}').message).not.toContain("hunter2");
  });
});

describe("a body that is read", () => {
  it("loses from words of people what no row can hold", () => {
    const text = '{"note":"a\\u0000b","reason":"\\ud800","examples":[{"client":"x\\u0000"}]}';
    const read = { note: "ab", reason: "\ufffd", examples: [{ client: "x" }] };
    expect(parseBodyJson(text)).toEqual(read);
  });

  it("is 64 levels deep at most", () => {
    const text = `${"[".repeat(64)}${"]".repeat(64)}`;
    expect(JSON.stringify(parseBodyJson(text))).toBe(text);
  });

  it("is what was sent, whatever the value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value);
        const odd = /__proto__|constructor|prototype|\\u0000|\\ud[89a-f]/i.test(text);
        if (!odd) expect(JSON.stringify(parseBodyJson(text))).toBe(text);
      }),
    );
  });
});
