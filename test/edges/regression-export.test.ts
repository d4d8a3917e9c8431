import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fetchExport } from "../../src/quality/regressions/fetch-export.ts";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";

const TOKEN = "lab-token-3f9c1d7a";

let bot: ScriptedServer;
beforeAll(async () => {
  bot = await startScriptedServer();
});
afterAll(() => bot.close());

function ask(tenant: string | null = null): Promise<string> {
  const base = new URL(bot.url);
  return fetchExport({ base, status: "active", limit: 500, tenant, token: TOKEN });
}

async function refusal(tenant: string | null = null): Promise<string> {
  const error = await ask(tenant).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Error)) throw new Error("it was not refused");
  expect(error.name).toBe("StartError");
  expect(error.message).not.toContain(TOKEN);
  expect(error.message).not.toContain("\n");
  return error.message;
}

interface Answer {
  what: string;
  status: number;
  headers?: Record<string, string>;
  body?: string;
  said: RegExp;
}

const HTML = { "content-type": "text/html; charset=utf-8" };
const saying = (message: string) => JSON.stringify({ error: { code: "x", message } });

const REFUSALS: Answer[] = [
  {
    what: "401",
    status: 401,
    body: saying("Send Authorization"),
    said: /refuses the token \(401\); set QUALITY_LAB_TOKEN/,
  },
  { what: "401 of a proxy", status: 401, headers: HTML, body: "<p>", said: /QUALITY_LAB_TOKEN/ },
  { what: "403", status: 403, body: saying("Not yours"), said: /403: Not yours; use a token/ },
  {
    what: "404 with a message of two lines",
    status: 404,
    body: saying("There is no\ncase"),
    said: /404: There is no\\u\{a\}case; check --api-base, and that the bot has this version/,
  },
  { what: "400", status: 400, body: saying("limit: too many"), said: /limit: too many; check/ },
  { what: "429", status: 429, body: "", said: /answers 429; try again later/ },
  { what: "an error page", status: 502, headers: HTML, body: "<h1>", said: /502; try again later/ },
  { what: "its token", status: 500, body: saying(`no ${TOKEN}`), said: /500: no \*\*\*;/ },
  { what: "JSON of another kind", status: 500, body: '{"error":"no"}', said: /answers 500; try/ },
  { what: "a web page", status: 200, headers: HTML, body: "hello", said: /a web page/ },
  { what: "a web page of no type", status: 200, body: "\n <html></html>", said: /a web page/ },
  {
    what: "another address",
    status: 302,
    headers: { location: "https://login.example.com/?next=x" },
    said: /redirects to https:\/\/login\.example\.com, and the token is not sent on/,
  },
  {
    what: "another address that is none",
    status: 308,
    headers: { location: "http://" },
    said: /redirects elsewhere/,
  },
];

describe("the export of a bot", () => {
  it("is taken as it is, whatever its type", async () => {
    bot.answer((_request, response) => response.writeHead(200).end('\uFEFF{"id":1}\n'));
    expect(await ask()).toContain('{"id":1}');
    bot.answer((_request, response) => response.writeHead(200).end());
    expect(await ask()).toBe("");
  });

  it.each(REFUSALS)("is not $what", async ({ status, headers = {}, body = "", said }) => {
    bot.answer((_request, response) => response.writeHead(status, headers).end(body));
    expect(await refusal()).toMatch(said);
  });

  it("asks to look at the tenant that was named", async () => {
    bot.answer((_request, response) => response.writeHead(404).end(saying("There is no tenant x")));
    expect(await refusal("x")).toMatch(/There is no tenant x; check --api-base and --tenant/);
  });

  it("is whole or not at all", async () => {
    bot.answer((_request, response) => {
      response.writeHead(200, { "content-length": 9999 });
      response.write('{"id":1}\n', () => response.destroy());
    });
    expect(await refusal()).toMatch(/cannot be reached \(.+\); check --api-base/);
  });

  it("is not sent for again after a redirect, so the token goes nowhere else", async () => {
    const before = bot.seen.length;
    bot.answer((_request, response) => response.writeHead(307, { location: bot.url }).end());
    await refusal();
    expect(bot.seen.length - before).toBe(1);
  });
});
