import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBroker } from "../../src/model/broker/broker.ts";
import { createMemoryJournal } from "../../src/model/broker/memory-journal.ts";
import { createMemoryState } from "../../src/model/broker/memory-state.ts";
import type { ModelEntry } from "../../src/model/broker/models-file.ts";
import { realSleep } from "../../src/model/broker/stand-in-line.ts";
import { entry, HELLO, seeded } from "../support/model-pool.ts";
import { json, type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";

const TURNS = 1_000;
const AT_ONCE = 16;
/** The broker's time runs so much faster than ours: its pauses are over soon. */
const FASTER = 50;

const servers: ScriptedServer[] = [];
async function server(): Promise<ScriptedServer> {
  const one = await startScriptedServer();
  servers.push(one);
  return one;
}
afterAll(() => Promise.all(servers.map((one) => one.close())));

const says = (content: string) => ({
  choices: [{ index: 0, message: { content }, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 1 },
});

function openBroker(entries: ModelEntry[]) {
  const startedAt = Date.now();
  const realNow = () => startedAt + (Date.now() - startedAt) * FASTER;
  const state = createMemoryState();
  const journal = createMemoryJournal();
  const lines: string[] = [];
  const say = (_fields: object, text: string) => lines.push(text);
  let ids = 0;
  const broker = createBroker({
    ...{ pool: () => entries, keys: () => "key", state, journal, realNow, random: seeded(3) },
    ...{ log: { debug: say, info: say, warn: say, error: say }, clock: { now: realNow } },
    sleep: (ms, signal) => realSleep(Math.ceil(ms / FASTER), signal),
    newId() {
      ids += 1;
      return `call-${ids}`;
    },
  });
  return { broker, state, realNow, lines };
}

/** So many turns, some of them at once; what each came to. */
async function takeTurns(count: number, turn: (at: number) => Promise<string>): Promise<string[]> {
  const said: string[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const at = next;
      next += 1;
      said[at] = await turn(at);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return said;
}

describe("a thousand turns over one dead, one rate-limited and one slow endpoint", () => {
  let run: ReturnType<typeof openBroker>;
  let said: string[];
  const calledWhileCooling: string[] = [];
  let limitedRequests = 0;
  let limitedRefusals = 0;
  let slowAtOnce = 0;
  let slowMost = 0;
  const SLOW_PLACES = 6;

  beforeAll(async () => {
    const [gone, limited, slow] = [await server(), await server(), await server()];
    await gone.close();
    const at = (one: ScriptedServer) => ({ baseUrl: `${one.url}/v1` });
    run = openBroker([
      entry("dead", at(gone)),
      entry("limited", { ...at(limited), parallel: 1 }),
      entry("slow", { ...at(slow), weight: 0.5, parallel: SLOW_PLACES }),
    ]);
    // one at a time and asked before it answers: what the state says then is exact
    const answerLimited = async (response: ServerResponse) => {
      limitedRequests += 1;
      const { models } = await run.broker.snapshot();
      const { cooldownUntil = null } = models.find(({ llmName }) => llmName === "limited") ?? {};
      if (cooldownUntil !== null) calledWhileCooling.push(`limited until ${cooldownUntil}`);
      if (limitedRequests % 10 !== 0) return json(response, 200, says("limited"));
      limitedRefusals += 1;
      response.setHeader("Retry-After", "4");
      json(response, 429, { error: { message: "slow down", type: "rate_limit_error" } });
    };
    limited.answer((_, response) => void answerLimited(response));
    slow.answer((_, response) => {
      slowAtOnce += 1;
      slowMost = Math.max(slowMost, slowAtOnce);
      setTimeout(() => {
        slowAtOnce -= 1;
        json(response, 200, says("slow"));
      }, 5);
    });
    said = await takeTurns(TURNS, async (turn) => {
      const options = { traceId: `turn-${turn}`, operation: "reply", wait: 1_000_000_000 };
      return (await run.broker.chat(HELLO, options)).text;
    });
  });

  it("loses none", () => {
    expect(said).toHaveLength(TURNS);
    expect(new Set(said)).toEqual(new Set(["limited", "slow"]));
  });

  it("writes every attempt down, and exactly one answer a turn", async () => {
    const answers = await run.broker.calls({ status: "ok", limit: 10 * TURNS });
    expect(new Set(answers.map(({ traceId }) => traceId)).size).toBe(TURNS);
    expect(answers).toHaveLength(TURNS);
    const { models } = await run.broker.stats({ limit: 10 * TURNS });
    const of = (name: string) => models.find(({ llmName }) => llmName === name)?.byStatus;
    expect(of("limited")).toMatchObject({ failed: limitedRefusals, ok: expect.any(Number) });
    expect(of("slow")).toMatchObject({ failed: 0 });
    expect(of("dead")).toMatchObject({ ok: 0, failed: expect.any(Number) });
    expect(limitedRefusals).toBeGreaterThan(0);
  });

  it("calls no endpoint that cools", async () => {
    expect(calledWhileCooling).toEqual([]);
    const rows = await run.broker.calls({ status: "failed", limit: 10 * TURNS });
    const dead = rows.filter(({ llmName }) => llmName === "dead").reverse();
    expect(dead.length).toBeGreaterThan(1);
    // calls that were under way together fail together; each later one waits for the pause to end
    const incidents = groups(dead.map(({ at, latencyMs }) => ({ from: at - latencyMs, at })));
    for (const [index, incident] of incidents.entries()) {
      const before = incidents[index - 1];
      if (!before) continue;
      const pauseMs = Math.min(300_000, 2_000 * 2 ** (index - 1));
      expect(incident.from).toBeGreaterThanOrEqual(before.at + pauseMs);
    }
  });

  it("asks no more at once than the cap, and the full ones are waited for", () => {
    expect(slowMost).toBe(SLOW_PLACES);
  });

  it("logs changes, not calls", () => {
    expect(run.lines.length).toBeLessThan(limitedRefusals * 2 + 20);
  });
});

/** Spans of time, those that overlap as one; `at` is the end of the first. */
function groups(spans: { from: number; at: number }[]): { from: number; at: number }[] {
  const found: { from: number; at: number; end: number }[] = [];
  for (const span of spans.toSorted((left, right) => left.from - right.from)) {
    const last = found.at(-1);
    if (last && span.from < last.end) last.end = Math.max(last.end, span.at);
    else found.push({ ...span, end: span.at });
  }
  return found;
}

describe("a thousand turns over three endpoints that are well", () => {
  it("are spread by weight and rating", async () => {
    const all = [await server(), await server(), await server()];
    const weights = [1, 0.5, 0.5];
    const names = ["heavy", "praised", "blamed"];
    for (const [at, one] of all.entries())
      one.answer((_, response) => json(response, 200, says(names[at] ?? "")));
    const { broker } = openBroker(
      names.map((name, at) => entry(name, { baseUrl: `${all[at]?.url}/v1`, weight: weights[at] })),
    );
    for (let at = 0; at < 16; at += 1) {
      await broker.recordQuality(1, { llmName: "praised", operation: "reply" });
      await broker.recordQuality(0, { llmName: "blamed", operation: "reply" });
    }
    const said = await takeTurns(TURNS, async () => {
      return (await broker.chat(HELLO, { operation: "reply" })).text;
    });
    // weight × rating, the weight to a fifth after 16 verdicts: 1 × 0.5, 0.5^0.2 × 0.9, 0.5^0.2 × 0.1
    const raw = [0.5, 0.5 ** 0.2 * 0.9, 0.5 ** 0.2 * 0.1];
    const total = raw.reduce((sum, one) => sum + one, 0);
    for (const [at, share] of raw.map((one) => one / total).entries()) {
      const count = said.filter((name) => name === names[at]).length;
      expect(Math.abs(count - TURNS * share)).toBeLessThan(
        4 * Math.sqrt(TURNS * share * (1 - share)),
      );
      expect(all[at]?.seen).toHaveLength(count);
    }
  });
});
