import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AdminPart, startAdminPart } from "../support/admin-part.ts";
import type { Played } from "../support/played-world.ts";

interface Operation {
  method: string;
  path: string;
  body: Played | undefined;
  answers: string[];
}

describe("the API's own document", () => {
  let part: AdminPart;
  let document: Played;
  let operations: Operation[];
  let admin: string;
  beforeAll(async () => {
    part = await startAdminPart();
    await part.addTenant("default");
    ({ token: admin } = await part.addPerson("default", "admin"));
    document = (await part.call("GET", "/openapi.json")).body;
    operations = Object.entries(document.paths as Played).flatMap(([path, methods]) =>
      Object.entries(methods as Record<string, Played>).map(([method, one]) => ({
        ...{ method: method.toUpperCase(), path: path.replace(/\{\w+\}/g, "nothing-here") },
        body: one.requestBody?.content["application/json"].schema,
        answers: Object.keys(one.responses),
      })),
    );
  });
  afterAll(() => part.close());

  it("wants a token, and is OpenAPI 3.1 with an error for every operation", async () => {
    expect((await part.call("GET", "/openapi.json", { token: "nobody" })).status).toBe(401);
    expect(document).toMatchObject({ openapi: "3.1.0", info: { version: "0.0.0" } });
    for (const { answers } of operations) expect(answers).toContain("default");
  });

  it("names every route that others rely on", () => {
    const named = new Set(
      Object.entries(document.paths as Played).flatMap(([path, methods]) =>
        Object.keys(methods as Played).map((method) => `${method.toUpperCase()} ${path}`),
      ),
    );
    const relied = [
      "GET /tools",
      "GET /tools/booking",
      "POST /tools/booking",
      "DELETE /tools/booking",
      "PATCH /tools/{name}",
      "GET /policies",
      "PUT /policies",
      "POST /policies/simulate",
      "GET /approvals",
      "POST /approvals/{id}/decision",
      "GET /conversations",
      "GET /conversations/{id}",
      "GET /audit",
      "GET /staff",
      "POST /staff/{id}/tokens",
      "GET /tenants",
      "POST /tenants/{id}/open",
      "GET /channels",
      "GET /quality/tool-calls",
      "POST /quality/tool-calls/{id}/feedback",
      "GET /quality/tool-call-feedback/summary",
      "GET /quality/tool-call-feedback/proposals",
      "GET /quality/tool-call-feedback/export.jsonl",
      "POST /quality/proposals/{id}/dismiss",
      "POST /quality/proposals/{id}/apply",
      "POST /quality/proposals/{id}/case",
      "GET /quality/tool-call-regression-cases",
      "GET /quality/tool-call-regression-cases/export.jsonl",
      "POST /quality/tool-call-regression-cases/{id}/archive",
      "POST /quality/tool-call-regression-cases/{id}/restore",
      "POST /quality/coach/proposals",
      "GET /usage",
    ];
    expect(relied.filter((route) => !named.has(route))).toEqual([]);
  });

  it("names no route that is not there", async () => {
    const missing: string[] = [];
    for (const { method, path } of operations) {
      const hasBody = method !== "GET";
      const { body } = await part.call(method, path, {
        token: admin,
        ...(hasBody ? { body: {} } : {}),
      });
      if (/there is no route/i.test(body?.error?.message ?? "")) missing.push(`${method} ${path}`);
    }
    expect(missing).toEqual([]);
  });

  it("describes bodies by the schemas that refuse them: an unknown field is named", async () => {
    const strict = operations.filter(({ body }) => body?.additionalProperties === false);
    expect(strict.length).toBeGreaterThan(15);
    for (const { method, path, body } of strict) {
      const required = (body?.required ?? []) as string[];
      const answer = await part.call(method, path, {
        token: admin,
        body: { no_such_field_there: 1 },
      });
      const told = [answer.status, JSON.stringify(answer.body)] as const;
      // a route may look for what the path names, or for the first field that is wanted, before
      const isTold = /no_such_field_there|not_found/.test(told[1]);
      const isFirst = required.some((name) => told[1].includes(name));
      expect([method, path, isTold || isFirst, ...told]).toEqual([method, path, true, ...told]);
    }
  });

  it("hides no route: what the router answers stands in the document", () => {
    const written = new Set(
      Object.entries(document.paths as Played).flatMap(([path, methods]) =>
        Object.keys(methods as Played).map((method) => `${method.toUpperCase()} ${path}`),
      ),
    );
    const served = part.admin
      .routes()
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`)
      .filter((route) => !written.has(route));
    expect(served).toEqual([]);
  });
});
