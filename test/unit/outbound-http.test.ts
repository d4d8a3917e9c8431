import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createOutboundHttp, type Fetched, type FetchLimits } from "../../src/lib/outbound-http.ts";
import { startTlsServer, TLS_CERTIFICATE, type TlsServer } from "../support/tls-server.ts";

const LOOPBACK = [{ address: "127.0.0.1", family: 4 }];
const LIMITS: FetchLimits = { maxBytes: 1_000, timeoutMs: 5_000 };

let server: TlsServer;
let shop: string;
beforeAll(async () => {
  server = await startTlsServer();
  shop = `https://shop.example:${server.port}`;
});
beforeEach(() => {
  server.asked.length = 0;
});
afterAll(() => server.close());

/** Takes the server on the loopback interface for one on the internet. */
const played = createOutboundHttp({
  ca: TLS_CERTIFICATE,
  resolve: async (host) =>
    host === "near.example" ? [{ address: "10.0.0.7", family: 4 }] : LOOPBACK,
  isAllowed: (address) => address === "127.0.0.1",
});
const fetchUrl = (url: string, limits: Partial<FetchLimits> = {}) =>
  played.fetchUrl(url, { ...LIMITS, ...limits });

it("fetches a page from an address that was allowed", async () => {
  server.answer((_, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end("<p>rates</p>");
  });
  const fetched = await fetchUrl(`${shop}/rates`, { accept: ["text/html"] });
  expect(fetched).toMatchObject({ kind: "fetched", url: `${shop}/rates` });
  expect(fetched.kind === "fetched" && fetched.body.toString()).toBe("<p>rates</p>");
});

it.each<[string, string, string]>([
  ["a plain address", "http://shop.example/", "not_https"],
  ["a file", "file:///etc/passwd", "not_https"],
  ["a name before the host", "https://user:word@shop.example/", "user_info"],
  ["no address", "shop example", "not_a_url"],
])("refuses %s", async (_what, url, reason) => {
  expect(await fetchUrl(url)).toEqual({ kind: "refused", url, reason });
});

describe("addresses near us, without a test's hook", () => {
  const real = createOutboundHttp({ ca: TLS_CERTIFICATE });

  it.each([
    ["this machine", () => `https://127.0.0.1:${server.port}/`],
    ["this machine, written as one number", () => `https://2130706433:${server.port}/`],
    ["this machine by name", () => `https://localhost:${server.port}/`],
    ["this machine, mapped to IPv6", () => `https://[::ffff:127.0.0.1]:${server.port}/`],
    ["the cloud's metadata", () => "https://169.254.169.254/latest/meta-data/"],
  ])("refuses %s", async (_what, url) => {
    const fetched = await real.fetchUrl(url(), LIMITS);
    expect(fetched).toEqual({ kind: "refused", url: url(), reason: "private_address" });
    expect(server.asked).toEqual([]);
  });

  it("refuses a name when only one of its addresses is near", async () => {
    const mixed = createOutboundHttp({
      resolve: async () => [{ address: "93.184.216.34", family: 4 }, ...LOOPBACK],
    });
    const fetched = await mixed.fetchUrl("https://shop.example/", LIMITS);
    expect(fetched).toMatchObject({ kind: "refused", reason: "private_address" });
  });
});

it("connects to the address that was judged, however the name is resolved later", async () => {
  const asked: string[] = [];
  const rebound = createOutboundHttp({
    ca: TLS_CERTIFICATE,
    isAllowed: (address) => address === "127.0.0.1",
    async resolve(host) {
      asked.push(host);
      return asked.length === 1 ? LOOPBACK : [{ address: "10.0.0.7", family: 4 }];
    },
  });
  server.answer((_, response) => response.end("once"));
  expect(await rebound.fetchUrl(`${shop}/`, LIMITS)).toMatchObject({ kind: "fetched" });
  expect(asked).toEqual(["shop.example"]);
});

describe("redirects", () => {
  it("follows three and judges each", async () => {
    server.answer((request, response) => {
      const step = Number(request.url?.slice(1));
      if (step === 3) response.end("there");
      else response.writeHead(302, { location: `/${step + 1}` }).end();
    });
    expect(await fetchUrl(`${shop}/0`)).toMatchObject({ kind: "fetched", url: `${shop}/3` });
  });

  it("refuses a fourth", async () => {
    server.answer((_, response) => response.writeHead(302, { location: "/again" }).end());
    const fetched = await fetchUrl(`${shop}/`);
    expect(fetched).toMatchObject({ kind: "refused", reason: "too_many_redirects" });
    expect(server.asked).toHaveLength(4);
  });

  it.each<[string, () => string, string]>([
    ["to a near address", () => "https://10.0.0.7/", "private_address"],
    ["to a name with a near address", () => "https://near.example/", "private_address"],
    ["to plain http", () => "http://shop.example/", "not_https"],
    ["with a name before the host", () => `https://a:b@other.example:${server.port}/`, "user_info"],
  ])("refuses one %s", async (_what, location, reason) => {
    server.answer((_, response) => response.writeHead(307, { location: location() }).end());
    expect(await fetchUrl(`${shop}/`)).toMatchObject({ kind: "refused", reason });
    expect(server.asked).toHaveLength(1);
  });
});

describe("limits", () => {
  it("refuses a body that says it is too long, unread", async () => {
    server.answer((_, response) =>
      response.writeHead(200, { "content-length": 1_001 }).flushHeaders(),
    );
    expect(await fetchUrl(shop)).toMatchObject({ kind: "refused", reason: "too_large" });
  });

  it("refuses a body that is too long without saying so, while it comes", async () => {
    server.answer((_, response) => {
      response.write("x".repeat(600));
      response.write("x".repeat(600)); // and it never ends
    });
    expect(await fetchUrl(shop)).toMatchObject({ kind: "refused", reason: "too_large" });
  });

  it("gives up on an answer that never ends", async () => {
    server.answer((_, response) => response.write("x"));
    expect(await fetchUrl(shop, { timeoutMs: 200 })).toMatchObject({ kind: "unreachable" });
  });

  it("gives up on a name that is never resolved", async () => {
    const stuck = createOutboundHttp({ resolve: () => new Promise(() => {}) });
    const fetched = await stuck.fetchUrl(shop, { ...LIMITS, timeoutMs: 50 });
    expect(fetched).toMatchObject({ kind: "unreachable" });
  });

  it("refuses what unpacks into more than came", async () => {
    server.answer((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end());
    expect(await fetchUrl(shop)).toMatchObject({ kind: "refused", reason: "wrong_type" });
  });

  it("takes only the types that were asked for", async () => {
    server.answer((_, response) =>
      response.writeHead(200, { "content-type": "application/zip" }).end(),
    );
    const fetched = await fetchUrl(shop, { accept: ["text/html"] });
    expect(fetched).toMatchObject({ kind: "refused", reason: "wrong_type" });
  });
});

it("tells which status it was", async () => {
  server.answer((_, response) => response.writeHead(404).end("no"));
  const expected: Fetched = { kind: "status", url: `${shop}/x`, status: 404 };
  expect(await fetchUrl(`${shop}/x`)).toEqual(expected);
});

it("does not believe a certificate of somebody else", async () => {
  const wary = createOutboundHttp({ resolve: async () => LOOPBACK, isAllowed: () => true });
  expect(await wary.fetchUrl(shop, LIMITS)).toMatchObject({ kind: "unreachable" });
});
