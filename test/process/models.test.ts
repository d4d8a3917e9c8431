import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forEachEngine } from "../support/engines.ts";
import { createClient, type DeskProcess, openDeskProcess } from "./desk-process.ts";

/** What each endpoint was asked, in order: its name and the key. */
const asked: { name: string; key: string }[] = [];
const askedOf = (name: string) => asked.filter((one) => one.name === name);
const server = createServer(async (request, response) => {
  const name = request.url?.split("/")[1] ?? "";
  const key = request.headers.authorization?.replace("Bearer ", "") ?? "";
  for await (const _chunk of request); // to its end
  asked.push({ name, key });
  ENDPOINTS[name]?.(request, response);
});
const ENDPOINTS: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  dead: (request) => request.socket.destroy(),
  limited(_request, response) {
    response.writeHead(429, { "content-type": "application/json", "retry-after": "3600" });
    response.end(JSON.stringify({ error: { message: "slow down" } }));
  },
  html(_request, response) {
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<html>Welcome to nginx</html>");
  },
  good: (_request, response) => response.end(GREETING),
  other: (_request, response) => response.end(GREETING),
};
const GREETING = JSON.stringify({
  ...{ id: "1", object: "chat.completion", created: 0, model: "m" },
  choices: [
    { index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hello there!" } },
  ],
  usage: { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 },
});

const model = (name: string, over: object = {}) => {
  const { port } = server.address() as AddressInfo; // listening on TCP
  const base_url = `http://127.0.0.1:${port}/${name}`;
  return { name, base_url, model: `${name}-1`, api_key_ref: "POOL_KEY", weight: 1, ...over };
};
const PRICED = { price_in: "2", price_out: 8, weight: 1 };

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

forEachEngine((engine) => {
  describe("several models", () => {
    let desk: DeskProcess;
    let file: string;
    let next = 700;
    const write = (...models: object[]) => writeFileSync(file, JSON.stringify({ models }));
    const hello = async (): Promise<string[]> => {
      next += 1;
      const client = createClient(desk, next);
      await client.says("Hello, what are you?");
      return client.heard();
    };
    beforeAll(async () => {
      asked.length = 0;
      desk = await openDeskProcess(engine, { more: { POOL_KEY: "shared-key", SANDBOX: "on" } });
      await desk.stop();
      file = join(desk.dataDir, "models.json");
      write(model("dead"), model("limited"), model("html"), model("good", PRICED));
      await desk.start({ MODELS_FILE: file });
    });
    afterAll(() => desk.close());

    it("answer every client, whichever of them fails, and a failing one is left alone", async () => {
      for (let n = 0; n < 8; n += 1) expect(await hello()).toEqual(["Hello there!"]);
      expect(askedOf("good")).toHaveLength(8);
      expect(askedOf("limited").length).toBeLessThanOrEqual(1);
      expect(new Set(asked.map(({ key }) => key))).toEqual(new Set(["shared-key"]));
      const { items } = await desk.admin("/models/calls?limit=1000");
      expect(items).toHaveLength(asked.length);
      const ok = items.filter(({ status }: { status: string }) => status === "ok");
      expect(ok).toHaveLength(8);
      for (const one of ok) expect(one).toMatchObject({ llm_name: "good", cost: "0.0028" });
      const failed = items.filter(({ status }: { status: string }) => status === "failed");
      const statuses = new Map([
        ["dead", null],
        ["limited", 429],
        ["html", null],
      ]); // an HTML answer came with 200
      for (const { llm_name, http_status } of failed)
        expect([llm_name, http_status]).toEqual([llm_name, statuses.get(llm_name)]);
    });

    it("are known again after a kill: what cools is not asked", async () => {
      // asked until the limited one had its turn
      for (let n = 0; n < 40 && askedOf("limited").length === 0; n += 1) await hello();
      expect(askedOf("limited")).toHaveLength(1);
      await desk.kill();
      await desk.start({ MODELS_FILE: file });
      const { models } = await desk.admin("/models");
      expect(models).toContainEqual(
        expect.objectContaining({
          ...{ llm_name: "limited", has_key: true },
          cooldown_until: expect.stringMatching(/^20/),
        }),
      );
      for (let n = 0; n < 5; n += 1) expect(await hello()).toEqual(["Hello there!"]);
      expect(askedOf("limited")).toHaveLength(1);
    });

    it("are called with the tenant's own key as soon as there is one", async () => {
      await desk.admin("/secrets/POOL_KEY", { value: "the-tenants-own" }, "PUT");
      asked.length = 0;
      expect(await hello()).toEqual(["Hello there!"]);
      expect(asked.at(-1)).toEqual({ name: "good", key: "the-tenants-own" });
      const shown = JSON.stringify([
        await desk.admin("/models"),
        await desk.admin("/models/calls"),
      ]);
      expect(shown).not.toMatch(/the-tenants-own|shared-key/);
    });

    it("change with the file, while the bot runs, and no working one is lost by a slip", async () => {
      const reload = (body: object = {}) => desk.admin("/models/reload", body);
      write(model("other", { nonsense: 1 }));
      await expect(reload()).rejects.toThrow(/422 .*model \\"other\\": does not know/);
      write(model("other", PRICED));
      await expect(reload()).rejects.toThrow(/409 .*no .*\\"good\\"/);
      expect(await hello()).toEqual(["Hello there!"]);
      expect(askedOf("other")).toEqual([]);
      const remove = ["dead", "limited", "html", "good"];
      expect(await reload({ remove })).toEqual({ added: ["other"], changed: [], removed: remove });
      asked.length = 0;
      expect(await hello()).toEqual(["Hello there!"]);
      expect(asked.map(({ name }) => name)).toEqual(["other"]);
    });
  });
});
