import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { masking, maskOf, NO_KEY } from "../../src/model/key-mask.ts";
import { request } from "../support/model-endpoint.ts";
import { answer, failure, figures } from "../support/model-pool.ts";

const KEY = "sk-proj-4eC3/9Hq+Lyj=WDarj";
const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("a mask takes away", () => {
  it.each([
    KEY,
    KEY.toUpperCase(),
    encodeURIComponent(KEY),
    encodeURIComponent(KEY).toLowerCase(),
    base64(KEY),
    Buffer.from(KEY).toString("base64url"),
  ])("the key as %s", (form) => {
    expect(maskOf(KEY).records(`before ${form} after`)).toMatch(/^before \[key\]\S{0,2} after$/);
  });

  it("the key inside longer base64, wherever it begins", () => {
    for (const before of ["", ":", "a:", "user:", "Bearer "]) {
      const hidden = maskOf(KEY).records(base64(`${before}${KEY}:after`));
      expect(Buffer.from(hidden.replace("[key]", ""), "base64").toString()).not.toContain("4eC3");
      expect(hidden).toContain("[key]");
    }
  });

  it("every key from all of a value", () => {
    const keys = fc.stringMatching(/^[!-~]{16,60}$/);
    fc.assert(
      fc.property(keys, fc.string(), (key, text) => {
        const value = { a: [`${text}${key}${text}`, { [key]: key }], n: 1, z: null };
        const { records, words } = maskOf(key);
        for (const hide of [records, words]) {
          const hidden = hide(value);
          expect(JSON.stringify(hidden)).not.toContain(JSON.stringify(key).slice(1, -1));
          expect(hidden).toMatchObject({ n: 1, z: null });
        }
      }),
    );
  });
});

it("a short key is taken from records, and is left as a word in what is said", () => {
  const { records, words } = maskOf("ollama");
  expect([records("no ollama"), words("ask ollama")]).toEqual(["no [key]", "ask ollama"]);
});

it.each([NO_KEY, "abc"])("%s is no key", (key) => {
  expect(maskOf(key).records(`there is ${key}`)).toBe(`there is ${key}`);
});

it("a value without end is cut off and not walked to its end", () => {
  let deep: unknown = KEY;
  for (let depth = 0; depth < 50_000; depth += 1) deep = [deep];
  expect(() => maskOf(KEY).records(deep)).not.toThrow();
});

it("all of an outcome is without the key, streams too", async () => {
  const said = {
    ...answer(`it is ${KEY}`, [{ providerId: KEY, name: "quote", arguments: `{"a":"${KEY}"}` }]),
    reasoning: { provider: "p", model: "m", fields: { thought: [KEY] } },
    journal: figures({ modelId: `m-${KEY}`, finishReason: KEY }),
  };
  const refused = failure("access_denied", { error: `401 wrong key ${KEY}` });
  const heard: string[] = [];
  for (const outcome of [said, refused]) {
    const model = masking(
      {
        async chat({ onDelta }) {
          onDelta?.(`it is ${KEY}`);
          return outcome;
        },
      },
      maskOf(KEY),
    );
    const shown = await model.chat(request("whole", { onDelta: (text) => heard.push(text) }));
    expect(JSON.stringify(shown)).not.toContain(KEY);
    expect(shown).toMatchObject({ kind: outcome.kind });
  }
  expect(heard).toEqual(["it is [key]", "it is [key]"]);
});
