import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config.ts";
import { badValues, parseValues, VARIABLES } from "../../src/variables.ts";

/** Read by docker compose, not by the program. */
const OF_COMPOSE = ["POSTGRES_PASSWORD"];

const lines = readFileSync(".env.example", "utf8").split("\n");
const entries = lines.flatMap((line, at) => {
  const found = /^(# )?([A-Z][A-Z_0-9]+)=(.*)$/.exec(line);
  if (!found) return [];
  const [, comment, name = "", value = ""] = found;
  return [{ name, value, isSet: comment === undefined, above: lines[at - 1] ?? "" }];
});
const examples = Object.fromEntries(entries.map(({ name, value }) => [name, value]));

describe(".env.example", () => {
  it("names every variable that is read, once, and no other", () => {
    const names = entries.map(({ name }) => name);
    expect(names.toSorted()).toEqual([...Object.keys(VARIABLES), ...OF_COMPOSE].toSorted());
  });

  it("explains each in the line above it", () => {
    const bare = entries.filter(({ above }) => !/^# [^─].{10,}$/.test(above));
    expect(bare.map(({ name }) => name)).toEqual([]);
  });

  it("has no line longer than a window", () => {
    expect(lines.filter((line) => line.length > 110)).toEqual([]);
  });

  it("shows only values that fit", () => {
    expect(badValues(examples)).toEqual([]);
  });

  it("copied as it is changes nothing: its values are the defaults", () => {
    const text = readFileSync(".env.example", "utf8");
    const copied = loadConfig(parseEnv(text) as Record<string, string>); // no line is undefined
    const bare = loadConfig({});
    expect(JSON.stringify(copied)).toBe(JSON.stringify(bare));
    expect(copied.sandbox).toBe(true);
  });

  it("shows the real default wherever there is one", () => {
    const defaults = parseValues({});
    const shown = parseValues(examples);
    for (const [name, value] of Object.entries(defaults))
      if (value !== undefined && examples[name] !== "")
        expect([name, shown[name as keyof typeof shown]]).toEqual([name, value]);
  });
});
