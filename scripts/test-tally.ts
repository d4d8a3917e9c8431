/** What is used of the file that vitest's JSON reporter writes. */
export interface Report {
  testResults: {
    /** Path of the test file. */
    name: string;
    status: "passed" | "failed";
    assertionResults: { status: string; ancestorTitles: string[] }[];
  }[];
}

export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

export interface Counted {
  total: Tally;
  /** A line for each folder of tests: how many, and on what database. */
  groups: string[];
}

export function countTests(report: Report | null): Counted {
  const total: Tally = { passed: 0, failed: 0, skipped: 0 };
  const groups = new Map<string, Group>();
  for (const file of report?.testResults ?? []) {
    const name = /\/test\/([^/]+)\//.exec(file.name)?.[1] ?? "others";
    const group = groups.get(name) ?? {
      tally: { passed: 0, failed: 0, skipped: 0 },
      engines: new Map(),
    };
    groups.set(name, group);
    addFile(group, file);
  }
  for (const { tally } of groups.values()) add(total, tally);
  return { total, groups: [...groups].map(([name, group]) => groupLine(name, group)).sort() };
}

export function tallyLine({ passed, failed, skipped }: Tally): string {
  return `tests: ${passed} passed, ${failed} failed, ${skipped} skipped`;
}

interface Group {
  tally: Tally;
  /** Tests by the database that their title names. */
  engines: Map<string, number>;
}

/** A file that failed without a failed test (it could not be loaded, a hook threw) counts as one. */
function addFile({ tally, engines }: Group, file: Report["testResults"][number]): void {
  const own: Tally = { passed: 0, failed: 0, skipped: 0 };
  for (const { status, ancestorTitles } of file.assertionResults) {
    const outcome = outcomeOf(status);
    own[outcome] += 1;
    const engine = ancestorTitles.find((title) => title.startsWith("on "));
    if (engine && outcome !== "skipped") engines.set(engine, (engines.get(engine) ?? 0) + 1);
  }
  if (file.status === "failed" && own.failed === 0) own.failed = 1;
  add(tally, own);
}

function add(sum: Tally, more: Tally): void {
  sum.passed += more.passed;
  sum.failed += more.failed;
  sum.skipped += more.skipped;
}

function outcomeOf(status: string): keyof Tally {
  return status === "passed" || status === "failed" ? status : "skipped";
}

function groupLine(name: string, { tally, engines }: Group): string {
  const counts = `${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped`;
  const by = [...engines].map(([engine, count]) => `${count} ${engine}`);
  return `${name}: ${counts}${by.length > 0 ? ` (${by.join(", ")})` : ""}`;
}
