import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

interface Step {
  id?: string;
  if?: string;
  run?: string;
  uses?: string;
  env?: Record<string, string>;
  with?: Record<string, string>;
}

const workflow = parse(readFileSync(".github/workflows/tool-regressions.yml", "utf8"));
const job = workflow.jobs["tool-call-regressions"];
const steps = job.steps as Step[];

describe("the workflow of the regression cases", () => {
  it("runs by hand and once a day", () => {
    expect(Object.keys(workflow.on)).toEqual(["workflow_dispatch", "schedule"]);
    const [{ cron }] = workflow.on.schedule;
    expect(cron).toMatch(/^\d+ \d+ \* \* \*$/);
  });

  it("reads one secret and five variables, and may only read the repository", () => {
    const env = Object.assign({}, job.env, ...steps.map((step) => step.env ?? {}));
    const read = Object.values<string>(env).map((text) => /^\$\{\{ (\S+) \}\}$/.exec(text)?.[1]);
    expect(read.toSorted()).toEqual([
      "secrets.QUALITY_LAB_TOKEN",
      ...["API_BASE", "LIMIT", "SKIP_UNSUPPORTED", "STATUS", "TOOLS"].map(
        (name) => `vars.QUALITY_TOOL_REGRESSION_${name}`,
      ),
    ]);
    expect(workflow.permissions).toEqual({ contents: "read" });
  });

  it("gives the token to the two steps that need it, never to the packages' scripts", () => {
    const holders = steps.filter((step) => step.env?.QUALITY_LAB_TOKEN);
    expect(holders.map((step) => /setup|quality/.test(`${step.id} ${step.run}`))).toEqual([
      true,
      true,
    ]);
    expect(job.env.QUALITY_LAB_TOKEN).toBeUndefined();
    expect(steps.find((step) => step.run?.includes("npm ci"))?.env).toBeUndefined();
  });

  it("puts no value into a script's text", () => {
    const scripts = steps.flatMap((step) => step.run ?? []);
    expect(scripts.length).toBeGreaterThan(0);
    for (const script of scripts) expect(script).not.toContain("${{");
  });

  it("does nothing more when it is not set up", () => {
    expect(steps[0]).toMatchObject({ id: "setup" });
    for (const step of steps.slice(1))
      expect(step.if).toContain("steps.setup.outputs.ready == 'true'");
  });

  it("keeps the report also of a red run", () => {
    const upload = steps.find((step) => step.uses?.startsWith("actions/upload-artifact@"));
    expect(upload?.with).toMatchObject({
      name: "tool-call-regressions",
      path: expect.stringContaining("runner.temp"),
    });
    expect(upload?.if).toMatch(/^always\(\) && /);
  });
});
