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

describe("a cursor that no row can have", () => {
  const NUMBERS = ["1.5", "1e300", "-1"];
  const TIMES = ['{"at":1e300,"id":"y"}', '{"at":-1e14,"id":"y"}', '{"at":null,"id":"y"}'];
  const LISTS: [string, string[]][] = [
    ["/conversations", TIMES],
    ["/quality/evals/runs", TIMES],
    ["/quality/evals/batches", TIMES],
    ["/approvals", [...NUMBERS, "2147483648"]],
    ["/exchange/orders", [...NUMBERS, "2147483648"]],
    ["/quality/coach/proposals", [...NUMBERS, "2147483648"]],
    ["/quality/tool-call-feedback/proposals", [...NUMBERS, "2147483648"]],
    ["/quality/tool-call-regression-cases", [...NUMBERS, "2147483648"]],
    ["/quality/tool-calls", NUMBERS],
    ["/audit", NUMBERS],
    ["/kb/documents", NUMBERS],
    ["/quality/evals/cases", NUMBERS],
  ];
  const cases = LISTS.flatMap(([path, texts]) => texts.map((text) => [path, text] as const));

  it.each(cases)("of %s is refused: %s", async (path, text) => {
    const cursor = Buffer.from(text).toString("base64url");
    const { status, body } = await send("GET", `${path}?cursor=${cursor}`);
    expect([status, body.error.path, errors]).toEqual([400, "cursor", []]);
    expect(body.error.message).toContain("use next_cursor of the page before");
  });
});

describe("a number that no case can have", () => {
  it.each([3_000_000_000, 1.5, 0])("is refused for a scenario: %s", async (id) => {
    const path = "/quality/evals/cases/from-regression";
    const { status, body } = await send("POST", path, JSON.stringify({ id }));
    expect([status, body.error.path, errors]).toEqual([400, "id", []]);
  });
});

describe("a time that no row can have", () => {
  const LISTS = [
    ...["/usage?since", "/audit?since", "/audit?until"],
    ...["/quality/tool-call-feedback/summary?since"],
    ...["/quality/tool-call-feedback/export.jsonl?since"],
  ];
  const TIMES = ["0000-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "9999-12-31T23:59:59-01:00"];
  const cases = LISTS.flatMap((list) => TIMES.map((time) => [list, time] as const));

  it.each(cases)("in %s is refused: %s", async (list, time) => {
    const { status, body } = await send("GET", `${list}=${encodeURIComponent(time)}`);
    const field = list.split("?")[1];
    expect([status, body.error.path, errors]).toEqual([400, field, []]);
  });

  it.each(LISTS.filter((list) => !list.includes("export")))(
    "in %s may be the last",
    async (list) => {
      const { status } = await send("GET", `${list}=9999-12-31T23:59:59.999Z`);
      expect([status, errors]).toEqual([200, []]);
    },
  );
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

describe("a secret's value", () => {
  const put = (value: string) => send("PUT", "/secrets/some_value", JSON.stringify({ value }));

  it.each([
    ["sk-\u200B1", "character 4 cannot be seen (U+200B)"],
    ["\uFEFFsk-1", "character 1 cannot be seen (U+FEFF)"],
    ["sk-1\u0007", "character 5 cannot be seen (U+0007)"],
    ["sk\u2028-1", "character 3 cannot be seen (U+2028)"],
  ])("with a character that cannot be seen is refused: %j", async (value, words) => {
    const { status, body } = await put(value);
    expect([status, body.error.path]).toEqual([400, "value"]);
    expect(body.error.message).toContain(words);
    expect(body.error.message).not.toContain("sk");
  });

  it("may have lines, like a certificate, and any writing", async () => {
    expect((await put("-----BEGIN KEY-----\r\nслово\tü\n-----END KEY-----\n")).status).toBe(200);
  });
});
