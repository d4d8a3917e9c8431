import { describe, expect, it } from "vitest";
import { readToolRegressionArgs } from "../../src/cli/tool-regression-options.ts";
import { exportUrl } from "../../src/quality/regressions/fetch-export.ts";

const TOKEN = { QUALITY_LAB_TOKEN: "token-of-the-environment" };
const API = ["--api-base", "https://bot.example.com"];
const FILE = ["--file", "cases.jsonl"];

function read(args: string[], env: { QUALITY_LAB_TOKEN?: string } = TOKEN) {
  const options = readToolRegressionArgs(args, env);
  if (typeof options === "string") throw new Error(options);
  return options;
}

describe("the regression runner's arguments", () => {
  it.each<[string[], RegExp]>([
    [[], /one of --file and --api-base/],
    [[...FILE, ...API], /one of --file and --api-base/],
    [["--file", ""], /--file/],
    [["--api-base", "bot.example.com"], /--api-base: wants an address/],
    [["--api-base", "file:///etc/passwd"], /--api-base: wants an address/],
    [["--api-base", ""], /--api-base: wants an address/],
    [["--api-base", "https://ann:hunter22@bot.example.com"], /without user and password/],
    [[...API, "--status", "open"], /--status: wants one of active, archived, all/],
    ...["0", "5001", "-1", "1.5", "ten", "", "1e3"].map<[string[], RegExp]>((limit) => [
      [...API, `--limit=${limit}`],
      /--limit: wants a whole number from 1 to 5000/,
    ]),
    [[...FILE, "--status", "foo"], /--status: wants one of active, archived, all/],
    ...["0", "5001", "abc", "", "1e3"].map<[string[], RegExp]>((limit) => [
      [...FILE, `--limit=${limit}`],
      /--limit: wants a whole number from 1 to 5000/,
    ]),
    [[...FILE, "--tenant="], /--tenant/],
    [[...API, "--tenant="], /--tenant/],
    [[...API, "--token=two words"], /characters that no token has/],
    [[...API, "--token=secret-ключ"], /characters that no token has/],
    [[...FILE, "--tools", " , "], /--tools: wants names/],
    [[...FILE, "--out-md="], /want a file each/],
    [[...FILE, "--out-json", "./cases.jsonl"], /name the same file/],
    [[...FILE, "--out-json", "a", "--out-junit", "a"], /name the same file/],
    [[...FILE, "secret-without-flag"], /wants a flag before it/],
  ])("%j are refused in one line that shows no secret", (args, problem) => {
    const said = readToolRegressionArgs(args, TOKEN);
    expect(said).toMatch(problem);
    expect(said).not.toMatch(/\n|hunter22|secret|two words|environment/);
  });

  it.each([{}, { QUALITY_LAB_TOKEN: "" }, { QUALITY_LAB_TOKEN: " \n" }])(
    "name the variable when a token is missing: %j",
    (env) => {
      expect(readToolRegressionArgs(API, env)).toContain("QUALITY_LAB_TOKEN");
    },
  );

  it("ask for active cases, 500 at most", () => {
    const { source, warnings } = read(API);
    expect(source).toMatchObject({ status: "active", limit: 500, tenant: null });
    expect(warnings).toEqual([]);
  });

  it.each([
    [["--include-archived"], "all"],
    [["--include-archived", "--status", "archived"], "archived"],
    [["--status", "all"], "all"],
  ])("with %j ask for %s", (flags, status) => {
    expect(read([...API, ...flags]).source).toMatchObject({ status });
  });

  it.each([
    [["--status", "archived"], true],
    [["--status", "all"], false],
    [["--include-archived"], true],
    [[], false],
  ])("with %j look at archived cases: %s", (flags, includeArchived) => {
    expect(read([...API, ...flags])).toMatchObject({ includeArchived });
  });

  it("take a token of the command line first, without its line end, and warn", () => {
    const { source, warnings } = read([...API, "--token", "of-the-line\n"]);
    expect(source).toMatchObject({ token: "of-the-line" });
    expect(warnings).toEqual([expect.stringContaining("QUALITY_LAB_TOKEN")]);
    expect(warnings.join()).not.toContain("of-the-line");
  });

  it.each([
    ["http://bot.example.com", 1],
    ["http://127.0.0.1:3000", 0],
    ["http://localhost:3000", 0],
    ["http://[::1]:3000", 0],
    ["http://127.0.0.1.example.com", 1],
    ["https://bot.example.com", 0],
  ])("warn of a token that goes unencrypted: %s", (base, count) => {
    expect(read(["--api-base", base]).warnings).toHaveLength(count);
  });

  it("say which flags count for nothing beside a file", () => {
    const { warnings } = read([...FILE, "--tenant", "second"]);
    expect(warnings).toEqual([expect.stringMatching(/--tenant$/)]);
  });

  it("choose among the cases of a file only when told to", () => {
    expect(read(FILE)).toMatchObject({ source: { status: null, limit: null } });
    const chosen = read([...FILE, "--status", "archived", "--limit", "5"]);
    expect(chosen).toMatchObject({
      ...{ source: { status: "archived", limit: 5 }, includeArchived: true, warnings: [] },
    });
  });

  it("take names of tools with spaces and twice", () => {
    expect(read([...FILE, "--tools", "a, b,,a"]).tools).toEqual(["a", "b"]);
    expect(read(FILE).tools).toBeNull();
  });
});

describe("the address that is asked", () => {
  it.each([
    ["https://bot.example.com", ""],
    ["https://bot.example.com/", ""],
    ["https://bot.example.com/api/admin", ""],
    ["https://bot.example.com/api/admin/", ""],
    ["https://bot.example.com/desk", "/desk"],
    ["https://bot.example.com/desk/api/admin?x=1#y", "/desk"],
  ])("%s", (base, prefix) => {
    const request = { base: new URL(base), status: "active", limit: 500, tenant: null };
    expect(exportUrl(request).href).toBe(
      `https://bot.example.com${prefix}/api/admin/quality/tool-call-regression-cases/export.jsonl?status=active&limit=500`,
    );
  });

  it("names the tenant, escaped", () => {
    const base = new URL("https://bot.example.com");
    const url = exportUrl({ base, status: "all", limit: 1, tenant: "a&b=c" });
    expect(url.search).toBe("?status=all&limit=1&tenant=a%26b%3Dc");
  });
});
