import { endpointsOf } from "../../src/admin/endpoint.ts";
import { qualityRoutes } from "../../src/admin/quality-routes.ts";
import { policySimulationRoutes } from "../../src/admin/routes/policy-simulation.ts";
import { usageRoutes } from "../../src/admin/routes/usage.ts";
import { type Tx, withTenant } from "../../src/store/db.ts";
import { type AdminPart, type Reply, startAdminPart } from "./admin-part.ts";
import type { OpenDatabase } from "./database.ts";

/** One person's way into the API; every answer is held against the schema that the route names. */
export type AsPerson = (method: string, path: string, body?: unknown) => Promise<Reply>;

/** An office with an admin and an operator, whose replies are judged. */
export interface QualityPart {
  part: AdminPart;
  tenantId: string;
  admin: AsPerson;
  operator: AsPerson;
  ids: { admin: string; operator: string };
  /** Their own, for the pages. */
  adminToken: string;
  operatorToken: string;
  /** Lines of a JSONL export, with the answer's headers. */
  lines(path: string): Promise<{ rows: Reply["body"][]; headers: Headers }>;
  rows<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

/** On one database there may be several; `tenantId` tells them apart. */
export async function openQualityPart(part: AdminPart, tenantId: string): Promise<QualityPart> {
  await part.addTenant(tenantId);
  const admin = await part.addPerson(tenantId, "admin");
  const operator = await part.addPerson(tenantId, "operator");
  const opened = await part.call("POST", `/tenants/${tenantId}/open`);
  if (opened.status !== 200) throw new Error(`the tenant was not opened: ${opened.status}`);
  const described = describedRoutes(part);
  const as =
    (token: string): AsPerson =>
    async (method, path, body) => {
      const reply = await part.call(method, path, { token, body });
      if (reply.status < 300) answerOf(described, method, path).parse(reply.body);
      return reply;
    };
  return {
    part,
    tenantId,
    admin: as(admin.token),
    operator: as(operator.token),
    ids: { admin: admin.id, operator: operator.id },
    adminToken: admin.token,
    operatorToken: operator.token,
    async lines(path) {
      const headers = { authorization: `Bearer ${admin.token}` };
      const request = new Request(`http://localhost/api/admin${path}`, { headers });
      const response = await part.admin.fetch(request);
      if (response.status !== 200) throw new Error(`${path} was answered ${response.status}`);
      const text = await response.text();
      const rows = text
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line));
      for (const row of rows) answerOf(described, "GET", path).parse(row);
      return { rows, headers: response.headers };
    },
    rows: (work) => withTenant(part.database.db, tenantId, work),
  };
}

/** The API on one of the two databases. */
export async function startQuality(open: OpenDatabase): Promise<AdminPart> {
  return startAdminPart({ database: await open() });
}

function describedRoutes({ deps }: AdminPart) {
  const mounted = [
    ...qualityRoutes(deps),
    ["/usage", usageRoutes(deps)] as const,
    ["/policies/simulate", policySimulationRoutes(deps)] as const,
  ];
  return mounted.flatMap(([base, routes]) =>
    endpointsOf(routes).map((one) => {
      const path = `${base}${one.path === "/" ? "" : one.path}`;
      return { ...one, pattern: new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`) };
    }),
  );
}

function answerOf(described: ReturnType<typeof describedRoutes>, method: string, path: string) {
  const [plain = ""] = path.split("?");
  const route = described.find(
    (one) => one.method === method.toLowerCase() && one.pattern.test(plain),
  );
  if (!route) throw new Error(`no route describes ${method} ${path}`);
  return route.answer;
}
