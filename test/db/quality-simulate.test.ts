import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/domain/json.ts";
import type { PolicyRow } from "../../src/domain/policy-row.ts";
import { type AdminPart, AUTHORITY_RULE } from "../support/admin-part.ts";
import { forEachEngine } from "../support/database.ts";
import { openQualityPart, type QualityPart, startQuality } from "../support/quality-part.ts";
import { GATE_FACTS, type PlayedCall, playReply } from "../support/quality-rows.ts";

const PATH = "/policies/simulate";
const RULE: PolicyRow = {
  ...{ id: "booking", tool_name: "offer_booking_link", role: "*", condition_json: {} },
  ...{ allow_call: true, requires_approval: false, approvals_required: 1, is_active: true },
  ...{ approver_role: "operator", approval_ttl_s: null, max_calls_per_run: 5 },
  max_payload_size: 2000,
};
const factsOf = (over: JsonObject = {}): JsonObject => ({
  ...GATE_FACTS,
  tool: { name: "offer_booking_link", risk: "read_only", isActive: true, stageAllowed: true },
  ...over,
});
const call = (over: Partial<PlayedCall> = {}): PlayedCall => ({
  ...{ tool: "offer_booking_link", facts: factsOf(), ...over },
});

forEachEngine((open) => {
  let part: AdminPart;
  let offices = 0;

  beforeAll(async () => {
    part = await startQuality(open);
  });
  afterAll(() => part.close());

  async function newOffice(calls: PlayedCall[], ageMs = 0): Promise<QualityPart> {
    offices += 1;
    const office = await openQualityPart(part, `office-${offices}`);
    const { tenantId } = office;
    const now = part.deps.clock.now() - ageMs;
    await office.rows((tx) => playReply(tx, { tenantId, now, calls }));
    return office;
  }

  describe("proposed rules on recorded calls", () => {
    it("tell which come out otherwise, and nothing of the rest", async () => {
      const office = await newOffice([call(), call({ gate: "approval" }), call({ gate: "deny" })]);
      const asking = { ...RULE, id: "asking", requires_approval: true };
      const { status, body } = await office.operator("POST", PATH, { policies: [asking] });
      expect([status, body.candidates, body.unreadable]).toEqual([200, 3, 0]);
      expect(body.counts).toEqual({ "allow→approval": 1, "deny→approval": 1 });
      expect(body.changed).toHaveLength(2);
      expect(body.changed).toContainEqual(
        expect.objectContaining({
          tool_name: "offer_booking_link",
          before: { result: "deny", policy_id: "rule", reason: "role_not_allowed" },
          after: { result: "approval", policy_id: "asking", reason: null },
        }),
      );
    });

    it("that forbid say why", async () => {
      const office = await newOffice([call()]);
      const { body } = await office.admin("POST", PATH, {
        policies: [{ ...RULE, allow_call: false }],
      });
      expect(body.changed).toMatchObject([
        { after: { result: "deny", policy_id: "booking", reason: "role_not_allowed" } },
      ]);
    });

    it("go by the facts of that time", async () => {
      const office = await newOffice([
        call({
          facts: factsOf({ known: { actor_role: "support", source: "model", kyc: "missing" } }),
        }),
        call({
          facts: factsOf({ known: { actor_role: "support", source: "model", kyc: "verified" } }),
        }),
      ]);
      const policies = [{ ...RULE, condition_json: { kyc: "verified" } }];
      const { body } = await office.operator("POST", PATH, { policies });
      expect(body.counts).toEqual({ "allow→deny": 1 });
    });

    it("leave alone what an older version recorded", async () => {
      const office = await newOffice([
        call({ facts: { tool: "offer_booking_link" } }),
        call({ facts: {} }),
        call(),
      ]);
      const { body } = await office.operator("POST", PATH, { policies: [RULE] });
      expect(body).toEqual({ candidates: 3, changed: [], counts: {}, unreadable: 2 });
    });

    it("list 200 and count all", async () => {
      const office = await newOffice(Array.from({ length: 203 }, () => call()));
      const { body } = await office.operator("POST", PATH, { policies: [] });
      expect([body.changed.length, body.counts]).toEqual([200, { "allow→deny": 203 }]);
    });

    it("look at the last week, or from when they are told to, in one's own office", async () => {
      const office = await newOffice([call()], 8 * 86_400_000);
      const count = async (by: QualityPart, over: object = {}) =>
        (await by.operator("POST", PATH, { policies: [], ...over })).body.candidates;
      expect(await count(office)).toBe(0);
      expect(await count(office, { since: "2020-01-01T00:00:00+02:00" })).toBe(1);
      expect(await count(await newOffice([]), { since: "2020-01-01T00:00:00Z" })).toBe(0);
    });
  });

  it("nothing is changed by it, and ADMIN_TOKEN may ask, too", async () => {
    const office = await newOffice([call()]);
    const before = (await part.call("GET", `/policies?tenant=${office.tenantId}`)).body;
    const audit = () => part.call("GET", `/audit?tenant=${office.tenantId}`);
    const trail = (await audit()).body.items.length;
    const path = `${PATH}?tenant=${office.tenantId}`;
    expect((await part.call("POST", path, { body: { policies: [] } })).status).toBe(200);
    const after = await part.call("GET", `/policies?tenant=${office.tenantId}`);
    expect([after.body, (await audit()).body.items.length]).toEqual([before, trail]);
  });

  describe("rules are checked as they are for a change", () => {
    const [fixed] = AUTHORITY_RULE;
    it.each<[string, unknown, number, string]>([
      ["no list", {}, 400, "policies"],
      ["a row that is none", { policies: [{ id: "x" }] }, 400, "policies.0.tool_name"],
      ["another field", { policies: [], from: 1 }, 400, "from"],
      ["a time that is none", { policies: [], since: "soon" }, 400, "since"],
      ["a row twice", { policies: [RULE, RULE] }, 422, "policies.1.id"],
      ["no such tool", { policies: [{ ...RULE, tool_name: "x" }] }, 422, "policies.0.tool_name"],
      [
        "no such fact",
        { policies: [{ ...RULE, condition_json: { nonsense: 1 } }] },
        422,
        "policies",
      ],
      ["the fixed rule", { policies: [{ ...fixed, requires_approval: false }] }, 422, "policies"],
    ])("%s", async (_what, body, status, path) => {
      const refused = await part.call("POST", PATH, { body });
      expect([refused.status, refused.body.error.path]).toEqual([status, path]);
    });
  });
});
