import { describe, expect, it } from "vitest";
import { catalogRegistry } from "../../src/cli/catalog-registry.ts";
import { knownTools } from "../../src/quality/known-tools.ts";
import {
  chooseLines,
  decodeText,
  readCaseLines,
} from "../../src/quality/regressions/case-lines.ts";
import { faultLine, shown } from "../../src/quality/regressions/fault.ts";
import { type Replay, type RunOptions, runRegressions } from "../../src/quality/regressions/run.ts";
import { caseAbout, jsonl, regressionCase } from "../support/regression-case.ts";

const ALL: RunOptions = {
  tools: new Set(["send_email", "create_task_draft"]),
  known: knownTools(catalogRegistry()),
  includeArchived: false,
  skipUnsupported: false,
};
const archived = (id: number) => regressionCase({ id, status: "archived" });

function run(text: string, changes: Partial<RunOptions> = {}, replay?: Replay) {
  return runRegressions({ lines: readCaseLines(text), options: { ...ALL, ...changes }, replay });
}

describe("lines", () => {
  it("skips blank lines and comments, and counts them", () => {
    const lines = readCaseLines('# cases\n\n  \n{"id":1}\n  # more\n{"id":2}');
    expect(lines).toEqual([
      { kind: "json", line: 4, value: { id: 1 } },
      { kind: "json", line: 6, value: { id: 2 } },
    ]);
  });

  it("takes a byte order mark and the line ends of Windows", () => {
    expect(readCaseLines('\uFEFF{"id":1}\r\n# x\r\n{"id":2}\r\n')).toEqual([
      { kind: "json", line: 1, value: { id: 1 } },
      { kind: "json", line: 3, value: { id: 2 } },
    ]);
  });

  it("ends a line at no other character", () => {
    const [line] = readCaseLines(`{"title":"a\u2028b\u0085c"}`);
    expect(line).toMatchObject({ value: { title: "a\u2028b\u0085c" } });
  });

  it.each([
    ["UTF-8", Buffer.from('{"title":"Привет"}')],
    ["UTF-8 with its mark", Buffer.from('\uFEFF{"title":"Привет"}')],
    ["UTF-16", Buffer.from('\uFEFF{"title":"Привет"}', "utf16le")],
  ])("reads %s", (_name, bytes) => {
    expect(readCaseLines(decodeText(bytes))).toMatchObject([{ value: { title: "Привет" } }]);
  });

  it("knows a broken line by its number", () => {
    expect(readCaseLines('{"id":1}\n{"id":\n')[1]).toEqual({
      kind: "broken",
      line: 2,
      text: '{"id":',
    });
  });
});

describe("lines that are chosen", () => {
  const text = `${jsonl(archived(1), regressionCase({ id: 2 }), { id: 3 })}{"broken\n${jsonl(archived(4))}`;
  const chosen = (status: string | null, limit: number | null) =>
    chooseLines(readCaseLines(text), { status, limit }).map(({ line }) => line);

  it.each([
    [null, null, [1, 2, 3, 4, 5]],
    ["all", null, [1, 2, 3, 4, 5]],
    ["active", null, [2, 3, 4]],
    ["archived", null, [1, 3, 4, 5]],
    ["archived", 2, [1, 3]],
    [null, 9, [1, 2, 3, 4, 5]],
  ])("by status %s and limit %s; one whose status nobody can read is kept", (...of) => {
    const [status, limit, lines] = of;
    expect(chosen(status, limit)).toEqual(lines);
  });
});

describe("a run", () => {
  it.each([
    ['"title":"A letter without a subject"', '"title":"x","title":"A letter"', ["title"]],
    ['"subject":""', '"subject":"a","\\u0073ubject":""', ["input.args.subject"]],
    ['"actionItems":[]', '"actionItems":[],"x":[1,{"a":1,"b":[],"a":2}]', ["expected.x[1].a"]],
  ])("fails fields that stand twice, of which a parser keeps one: %s", async (one, two, paths) => {
    const text = jsonl(regressionCase()).replace(one, two);
    const [result] = await run(text);
    expect(result?.faults).toEqual(
      paths.map((path) => ({
        ...{ line: 1, case: 7, tool: "send_email", path },
        ...{ expected: "the field once", actual: "more than once" },
      })),
    );
  });

  it("fails an expectation in vain without a replay, all of it at once", async () => {
    const expected = {
      ...{ behavior: "…", actionItems: [], tool: "create_taskdraft" },
      ...{ args: { title: { matches: "[" } }, forbiddenTools: ["delete_custome"] },
    };
    const [result] = await run(jsonl(regressionCase({ expected })));
    expect(result?.faults.map(({ path, line, tool }) => [path, line, tool])).toEqual([
      ["expected.tool", 1, "send_email"],
      ["expected.forbiddenTools[0]", 1, "send_email"],
      ["expected.args.title.matches", 1, "send_email"],
    ]);
  });

  it("passes what is right and fails what is not, in the order of the lines", async () => {
    const results = await run(jsonl(regressionCase(), regressionCase({ id: 8, title: "" })));
    expect(results).toEqual([
      {
        line: 1,
        id: 7,
        tool: "send_email",
        title: "A letter without a subject",
        caseStatus: "active",
        status: "passed",
        faults: [],
      },
      expect.objectContaining({ line: 2, id: 8, status: "failed" }),
    ]);
    expect(results[1]?.faults).toEqual([
      {
        line: 2,
        case: 8,
        tool: "send_email",
        path: "title",
        expected: "a text that is not empty",
        actual: '""',
      },
    ]);
  });

  it("fails a broken line with its number and goes on", async () => {
    const results = await run(`# cases\n{"id":7,\n${jsonl(regressionCase())}`);
    expect(results.map(({ line, status }) => [line, status])).toEqual([
      [2, "failed"],
      [3, "passed"],
    ]);
    expect(results[0]?.faults.map(faultLine)).toEqual([
      'FAIL line 2, case ?, tool ?, path (line): expected one JSON object, actual {"id":7,',
    ]);
  });

  it("skips archived cases without a look, faults or not", async () => {
    const broken = { ...archived(8), label: 5, toolName: "unknown_tool" };
    const results = await run(jsonl(archived(7), broken));
    expect(results.map(({ status, reason }) => [status, reason])).toEqual([
      ["skipped", "archived"],
      ["skipped", "archived"],
    ]);
  });

  it("looks at archived cases when told to", async () => {
    const text = jsonl(archived(7), { ...archived(8), title: 1 });
    const results = await run(text, { includeArchived: true });
    expect(results.map(({ status }) => status)).toEqual(["passed", "failed"]);
  });

  it("fails a case about a tool that is not allowed, and says which are", async () => {
    const [result] = await run(jsonl(caseAbout("delete_customer")));
    expect(result?.faults).toMatchObject([
      {
        path: "toolName",
        expected: "one of send_email, create_task_draft",
        actual: '"delete_customer"',
      },
    ]);
  });

  it("skips it when told to, but not a case whose tool is no name", async () => {
    const text = jsonl(caseAbout("delete_customer"), regressionCase({ id: 8, toolName: 5 }));
    const results = await run(text, { skipUnsupported: true });
    expect(results.map(({ status, reason }) => [status, reason])).toEqual([
      ["skipped", "unsupported_tool"],
      ["failed", undefined],
    ]);
  });

  it("fails an id that an earlier line has", async () => {
    const text = jsonl(archived(7), regressionCase(), regressionCase({ id: 9 }), regressionCase());
    const results = await run(text);
    expect(results.map(({ status }) => status)).toEqual(["skipped", "failed", "passed", "failed"]);
    for (const result of [results[1], results[3]])
      expect(result?.faults).toMatchObject([
        { path: "id", expected: "an id of its own (line 1 has it)", actual: "7" },
      ]);
  });
});

describe("a replay", () => {
  it("is asked about cases that are right, and about no other", async () => {
    const asked: unknown[] = [];
    const replay: Replay = async (record, where) => {
      asked.push([record.expected.behavior, where]);
      return [];
    };
    const text = jsonl(regressionCase(), regressionCase({ id: 8, title: "" }), archived(9));
    await run(text, {}, replay);
    expect(asked).toEqual([
      ["The arguments are refused", { line: 1, case: 7, tool: "send_email" }],
    ]);
  });

  it("fails a case by its faults", async () => {
    const replay: Replay = async (_record, where) => [
      { ...where, path: "expected.tool", expected: "no call", actual: "send_email" },
    ];
    expect(await run(jsonl(regressionCase()), {}, replay)).toMatchObject([
      { status: "failed", faults: [{ path: "expected.tool", line: 1, case: 7 }] },
    ]);
  });

  it("that breaks off fails its case, and the others are still looked at", async () => {
    const replay: Replay = async (record) => {
      if (record.id === 7) throw new Error("no model");
      return [];
    };
    const results = await run(jsonl(regressionCase(), regressionCase({ id: 8 })), {}, replay);
    expect(results.map(({ status }) => status)).toEqual(["failed", "passed"]);
    expect(results[0]?.faults).toMatchObject([{ path: "(replay)", actual: '"no model"' }]);
  });
});

describe("a value that is shown", () => {
  it.each([
    [undefined, "(missing)"],
    [null, "null"],
    ["2", '"2"'],
    [Number.POSITIVE_INFINITY, "Infinity"],
    ["two\nlines", '"two\\nlines"'],
    ["\u202Eabc\u0085", '"\\u{202e}abc\\u{85}"'],
    [{ a: [1] }, '{"a":[1]}'],
  ])("%j stands on one line", (value, expected) => {
    expect(shown(value)).toBe(expected);
  });

  it("is cut, and not within a character", () => {
    const text = shown("😀".repeat(500));
    expect(Array.from(text)).toHaveLength(120);
    expect(text).toMatch(/^"(😀)+…$/u);
  });

  it("may be nested deeper than can be written", () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 200_000; depth += 1) deep = [deep];
    expect(shown(deep)).toBe("(too deep to show)");
  });
});
