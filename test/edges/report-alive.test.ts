import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type AliveReports, startAliveReports } from "../../src/report-alive.ts";

let server: Server;
let url: string;
let status: number;
let calls: string[];
let lines: string[];
let reports: AliveReports;
let isHealthy: boolean;

beforeEach(async () => {
  [status, calls, lines, isHealthy] = [200, [], [], true];
  server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`);
    response.writeHead(status).end("ok");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ping/s3cret`;
});
afterEach(async () => {
  await reports.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function start() {
  const line = (details: object, message: string) =>
    void lines.push(`${JSON.stringify(details)} ${message}`);
  reports = startAliveReports({
    url,
    async checkHealth() {
      if (!isHealthy) throw new Error("the database does not answer");
    },
    log: { warn: line, info: line } as Parameters<typeof startAliveReports>[0]["log"],
    everyMs: 20,
  });
}

it("calls the address again and again while the bot is well", async () => {
  start();
  await expect.poll(() => calls.length).toBeGreaterThan(2);
  expect(new Set(calls)).toEqual(new Set(["GET /ping/s3cret"]));
  expect(lines).toEqual([]);
});

it("is silent while the bot is not well, and says so once", async () => {
  isHealthy = false;
  start();
  await expect.poll(() => lines.length).toBe(1);
  expect(lines[0]).toContain("the database does not answer");
  isHealthy = true;
  await expect.poll(() => lines.length).toBe(2);
  expect(calls.length).toBeGreaterThan(0);
});

it("tells of a watcher that is away once, without the address's secret", async () => {
  status = 500;
  start();
  await expect.poll(() => calls.length).toBeGreaterThan(2);
  await expect.poll(() => lines.length).toBe(1);
  expect(lines.join()).toMatch(/answered 500/);
  expect(lines.join()).not.toContain("s3cret");
});
