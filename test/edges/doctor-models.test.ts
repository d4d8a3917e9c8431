import { afterAll, beforeAll, expect, it } from "vitest";
import { modelChecks } from "../../src/cli/doctor-models.ts";
import { entry } from "../support/model-pool.ts";
import { json, type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";

const KEY = "sk-very-secret-0123456789";
let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());

async function finding(status: number, body: unknown, key = KEY) {
  server.answer((_, response) => json(response, status, body));
  const entries = [entry("one", { baseUrl: `${server.url}/v1` })];
  const [check] = modelChecks({ entries, file: "models.json", keyNamed: () => key }, 5_000);
  return (await check?.look(new AbortController().signal))?.[0];
}

const says = (content: string) => ({ choices: [{ message: { content }, finish_reason: "stop" }] });

it("an empty answer is advised as one, and not as a lost connection", async () => {
  expect(await finding(200, says(""))).toMatchObject({
    nextStep: expect.stringContaining("check that model in MODELS_FILE is a chat model"),
  });
});

it("a key that no header can carry is to be set anew", async () => {
  expect(await finding(200, says("ready"), "sk-\u200Bsecret")).toMatchObject({
    what: expect.stringContaining("no header can carry"),
    nextStep: "check ONE_KEY",
  });
});

it.each([
  [401, { error: { message: `wrong key ${KEY}` } }],
  [200, says(`ready ${KEY}`)],
])(
  "a key that is sent back is not shown, whatever space stood around it (%i)",
  async (status, body) => {
    const found = await finding(status, body, ` ${KEY}\n`);
    expect(JSON.stringify(found)).toContain("[key]");
    expect(JSON.stringify(found)).not.toContain("very-secret");
  },
);
