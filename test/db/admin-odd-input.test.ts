import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAdmin } from "../../src/admin/app.ts";
import type { PolicyRow } from "../../src/domain/policy-row.ts";
import {
  type AdminPart,
  AUTHORITY_RULE,
  type Reply,
  SETUP_TOKEN,
  startAdminPart,
} from "../support/admin-part.ts";

const RULE: PolicyRow = {
  ...{ id: "payout", tool_name: "issue_exchange_payout", role: "*", condition_json: {} },
  ...{ allow_call: true, requires_approval: true, approvals_required: 1, is_active: true },
  ...{ approver_role: "operator", approval_ttl_s: null, max_calls_per_run: 1 },
  max_payload_size: 2000,
};

let part: AdminPart;
let errors: object[];
let send: (method: string, path: string, body?: string) => Promise<Reply>;

beforeAll(async () => {
  part = await startAdminPart();
  errors = [];
  const admin = createAdmin({ ...part.deps, log: { error: (details) => errors.push(details) } });
  send = async (method, path, body) => {
    const headers = { authorization: `Bearer ${SETUP_TOKEN}`, "content-type": "application/json" };
    const url = `http://desk.test/api/admin${path}`;
    const request = new Request(url, { method, headers, ...(body === undefined ? {} : { body }) });
    const response = await admin.fetch(request);
    return { status: response.status, body: await response.json() };
  };
});
afterAll(() => part.close());

const standing = async () => (await send("GET", "/policies")).body.policies;

describe("NUL in an address", () => {
  it.each([
    ["GET", "/conversations/%00", 404],
    ["GET", "/conversations/a%00b/trace", 404],
    ["GET", "/approvals/%00", 404],
    ["POST", "/staff/%00/tokens", 404],
    ["PATCH", "/tools/%00", 404],
    ["DELETE", "/secrets/%00", 404],
    ["GET", "/tenants/%00", 404],
    ["GET", "/audit?tenant=%00", 400],
    ["GET", "/audit?user=a%00", 400],
    ["GET", "/kb/search?q=%00", 400],
    ["GET", "/approvals?%00=1", 400],
  ])("%s %s is the caller's fault, not ours", async (method, path, status) => {
    const answer = await send(method, path, method === "GET" ? undefined : "{}");
    expect([answer.status, errors]).toEqual([status, []]);
    expect(answer.body.error.message).toContain("NUL");
  });

  it("in a cursor is no cursor", async () => {
    const cursor = Buffer.from('"a\\u0000b"').toString("base64url");
    const { status, body } = await send("GET", `/kb/documents?cursor=${cursor}`);
    expect([status, body.error.path, errors]).toEqual([400, "cursor", []]);
  });
});

describe("rules that would be read as others", () => {
  it.each([
    ["a condition that is dropped", '{"__proto__":{"a":1}}', "policies.0.condition_json.__proto__"],
    [
      "a condition of names of objects",
      '{"constructor":1}',
      "policies.0.condition_json.constructor",
    ],
    ["a value with NUL", '{"kyc":"a\\u0000"}', "policies.0.condition_json.kyc"],
  ])("are refused: %s", async (_what, condition, path) => {
    const before = await standing();
    const row = JSON.stringify({ ...RULE, condition_json: "X" }).replace('"X"', condition);
    const { status, body } = await send("PUT", "/policies", `{"policies":[${row}]}`);
    expect([status, body.error.path]).toEqual([400, path]);
    expect(await standing()).toEqual(before);
  });

  it("are refused where an id would become another", async () => {
    const rows = JSON.stringify([{ ...RULE, id: "a\0b" }]);
    const { status, body } = await send("PUT", "/policies", rows);
    expect([status, body.error.path]).toEqual([400, "0.id"]);
  });

  it.each(["[]", '{"policies":[]}'])("%s is refused with the next step", async (list) => {
    const before = await standing();
    const { status, body } = await send("PUT", "/policies", list);
    expect([status, body.error.path]).toEqual([422, "policies"]);
    expect(body.error.message).toContain("/api/admin/tools/");
    expect(await standing()).toEqual(before);
  });
});

describe("rules that leave tools without a call", () => {
  it("are taken with a warning that names the tools", async () => {
    const { status, body } = await send("PUT", "/policies", JSON.stringify(AUTHORITY_RULE));
    expect(status).toBe(200);
    expect(body.warnings).toContainEqual(
      expect.stringContaining("offer_booking_link, issue_exchange_payout"),
    );
  });

  it("are warned of once the tenant is open, too", async () => {
    await part.addTenant("open");
    const admin = await part.addPerson("open", "admin");
    await part.call("POST", "/tenants/open/open");
    const { status, body } = await part.call("PUT", "/policies", {
      token: admin.token,
      body: [{ ...RULE, is_active: false }],
    });
    expect(status).toBe(202);
    expect(body.warnings).toContainEqual(
      expect.stringMatching(/no active rule allows .*issue_exchange_payout/),
    );
  });
});
