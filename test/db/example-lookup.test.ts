import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Branch,
  LOOK_UP_BRANCHES_POLICY,
  lookUpBranches,
} from "../../examples/lookup/look-up-branches.ts";
import type { AnyTool } from "../../src/tools/contract.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, openOffice, TENANT } from "../support/office.ts";
import { addLead, call, type OfficeLead } from "../support/office-lead.ts";

const BRANCHES: Branch[] = [
  { id: "B-1", city: "Phuket", street: "Beach Road 1" },
  { id: "B-2", city: "Pattaya", street: "Beach Road 9" },
];
const GOOD = { query: "beach road", limit: 2 };

forEachEngine((open) => {
  let office: Office;
  let lead: OfficeLead;
  const asked: string[] = [];
  const tool = lookUpBranches({
    async findBranches(_tx, { tenantId, text, limit }) {
      asked.push(tenantId);
      const found = BRANCHES.filter(({ street }) => street.toLowerCase().includes(text));
      return found.slice(0, limit);
    },
  }) as unknown as AnyTool; // lists hold tools of every argument type
  beforeAll(async () => {
    office = await openOffice(open, undefined, () => [tool]);
    await office.rules([LOOK_UP_BRANCHES_POLICY]);
    lead = await addLead(office);
  });
  afterAll(() => office.close());

  const propose = async (args: unknown) => {
    const [proposed] = await lead.proposes([call("look_up_branches", args)]);
    if (!proposed) throw new Error("nothing was proposed");
    return proposed;
  };

  describe("the example tool", () => {
    it("is offered with a closed schema: both fields required, the limit one of three numbers", () => {
      expect(createRegistry([tool]).definitionOf("look_up_branches").parameters).toMatchObject({
        type: "object",
        properties: { query: { type: "string" }, limit: { type: "integer", enum: [1, 2, 3] } },
        required: ["query", "limit"],
        additionalProperties: false,
      });
    });

    it("runs for the session's own tenant and tells what it found", async () => {
      const { state } = await propose(GOOD);
      if (state.kind !== "run") throw new Error(`it ended as ${state.kind}`);
      const work = await office.engine.runner.run(state.permit, {
        ...{ tenantId: TENANT, conversationId: lead.conversationId, contactId: lead.contactId },
        ...{ runId: null, language: "en", now: office.time.now },
        signal: AbortSignal.timeout(5_000),
        outside: { begin: () => () => {} },
        read: office.tenant,
      });
      expect(asked).toEqual([TENANT]);
      expect(work).toMatchObject({ result: { ok: true, data: { branches: BRANCHES } } });
    });

    it.each([
      ["a limit as text", { ...GOOD, limit: "2" }, "limit"],
      ["a limit beyond three", { ...GOOD, limit: 4 }, "limit"],
      ["a limit between", { ...GOOD, limit: 1.5 }, "limit"],
      ["no query", { limit: 2 }, "query"],
      ["no limit", { query: "beach road" }, "limit"],
      ["a tenant in the arguments", { ...GOOD, workspace_id: "other" }, "workspace_id"],
    ])("refuses %s by its schema, naming the field", async (_name, args, field) => {
      const { state } = await propose(args);
      expect(state).toMatchObject({ kind: "settled", status: "schema_failed" });
      const { message, code } = (state.kind === "settled" && state.reply.error) || {};
      expect([code, message]).toEqual(["INVALID_ARGUMENTS", expect.stringContaining(field)]);
    });

    it.each([
      ["an empty query", "", "is blank"],
      ["a blank query", "   ", "is blank"],
      ["a query of 201 characters", "a".repeat(201), "more than 200"],
    ])("refuses %s by its own rule, apart from the schema", async (_name, query, words) => {
      expect(tool.parameters.safeParse({ ...GOOD, query }).success).toBe(true);
      const { state } = await propose({ ...GOOD, query });
      const { message } = (state.kind === "settled" && state.reply.error) || {};
      expect(message).toContain(words);
    });

    it("takes a query of just 200 characters", async () => {
      expect((await propose({ ...GOOD, query: "a".repeat(200) })).state.kind).toBe("run");
    });

    it("is refused without a row of the policy", async () => {
      await office.rules([]);
      const { state } = await propose(GOOD);
      await office.rules([LOOK_UP_BRANCHES_POLICY]);
      expect(state).toMatchObject({ kind: "settled", status: "blocked_by_policy" });
    });
  });
});
