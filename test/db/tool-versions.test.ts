import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { decide } from "../../src/desk/decide.ts";
import type { DeskDeps } from "../../src/desk/deps.ts";
import { handleExecution } from "../../src/engine/execution.ts";
import { toolSchemaVersions } from "../../src/store/schema/tools.ts";
import { staffById } from "../../src/store/staff.ts";
import type { AnyTool, RagTool } from "../../src/tools/contract.ts";
import { propose } from "../../src/tools/propose.ts";
import { createRegistry, type Registry } from "../../src/tools/registry.ts";
import { success } from "../../src/tools/results.ts";
import { createRunner } from "../../src/tools/runner.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, officeRules, openOffice, rule, TENANT } from "../support/office.ts";
import { addLead, call, type OfficeLead } from "../support/office-lead.ts";
import { SMALL_TOOL } from "../support/small-tool.ts";

const parameters = z.strictObject({ amount: z.string() });
type Args = z.infer<typeof parameters>;

forEachEngine((open) => {
  /** Which version did it. */
  const done: string[] = [];
  function credit(version: string, over: Partial<RagTool<Args>> = {}): AnyTool {
    const tool: RagTool<Args> = {
      ...{ name: "credit_account", title: "Credit", description: SMALL_TOOL, parameters },
      ...{ risk: "write_internal", sideEffectType: "external_api", output: z.looseObject({}) },
      ...{ offered: true, staged: false, isAvailable: () => true },
      async prepare(_tx, { amount }) {
        const material = [{ label: "Sum", value: amount }];
        return { kind: "action", action: { amount }, businessKey: `credit:${amount}`, material };
      },
      async run({ action }) {
        done.push(version);
        return { kind: "result", result: success({ type: "credit", summary: "done" }, action) };
      },
      ...over,
    };
    return tool as AnyTool; // lists hold tools of every argument type
  }

  let office: Office;
  let operator: string;
  let lead: OfficeLead;
  let amounts = 0;
  beforeAll(async () => {
    office = await openOffice(open, undefined, () => [credit("first")]);
    operator = await office.person();
    await office.rules([...officeRules(), rule("credit_account", { requires_approval: true })]);
  });
  beforeEach(async () => {
    done.length = 0;
    lead = await addLead(office);
    await office.tenant((tx) => office.registry.sync(tx, TENANT, office.time.now));
  });
  afterAll(() => office.close());

  /** A process of its own, with another version of the tool; started now. */
  async function starts(tool: AnyTool) {
    const others = office.registry.all().map((one) => one.tool);
    const registry = createRegistry([...others.filter(({ name }) => name !== tool.name), tool]);
    await office.tenant((tx) => registry.sync(tx, TENANT, office.time.now));
    return processOf(registry);
  }
  function processOf(registry: Registry) {
    const { realNow } = office.engine;
    const engine = {
      ...{ ...office.engine, registry },
      runner: createRunner({ registry, realNow, timeoutMs: 20_000 }),
    };
    const desk: DeskDeps = { ...office.desk, registry };
    return {
      proposes: async (amount: string) => {
        const proposing = { ...office.engine.proposing, registry };
        const calls = [call("credit_account", { amount })];
        const [proposed] = await office.tenant((tx) =>
          propose(tx, proposing, lead.proposing(), calls),
        );
        return proposed?.state;
      },
      presses: (approvalId: string) =>
        office.tenant(async (tx) => {
          const staff = await staffById(tx, TENANT, operator);
          const by = { staff, decision: "approve" as const, via: "slack" as const };
          return decide(tx, desk, { tenantId: TENANT, approvalId, ...by });
        }),
      works: async () => {
        const { id } = await lead.execution();
        await handleExecution(engine, { tenantId: TENANT, id }, AbortSignal.timeout(20_000));
        return lead.execution();
      },
    };
  }
  const anAmount = () => {
    amounts += 1;
    return `${amounts}.00`;
  };
  const versions = () =>
    office.tenant((tx) =>
      tx
        .select()
        .from(toolSchemaVersions)
        .where(eq(toolSchemaVersions.toolName, "credit_account"))
        .orderBy(toolSchemaVersions.schemaVersion),
    );

  describe("a new version is registered by itself", () => {
    const changes: [string, Partial<RagTool<Args>>][] = [
      ["for another schema", { parameters: z.strictObject({ amount: z.string().max(9) }) }],
      ["for another risk", { risk: "payment" }],
      ["for another effect", { sideEffectType: "internal_rows" }],
      ["for more that approvers may change", { edit: { amount: "down" } }],
    ];
    it.each(changes)("%s", async (_, over) => {
      const before = (await versions()).length;
      await starts(credit("second", over));
      const after = await versions();
      expect(after).toHaveLength(before + 1);
      expect(after.map(({ status }) => status).filter((status) => status === "active")).toEqual([
        "active",
      ]);
    });

    it("and not for the same tool in another process", async () => {
      const before = (await versions()).length;
      await starts(credit("second"));
      expect(await versions()).toHaveLength(before);
    });

    it.each(changes)("%s: what was approved before is not done by it", async (_, over) => {
      const old = processOf(office.registry);
      await old.proposes(anAmount());
      const { id, candidateId } = await lead.approval();
      const second = await starts(credit("second", over));
      expect(await second.presses(id)).toMatchObject({ accepted: true });
      expect(await second.works()).toMatchObject({ status: "cancelled" });
      expect(await office.candidate(candidateId)).toMatchObject({ code: "schema_changed" });
      expect(done).toEqual([]);
    });
  });

  describe("a process that was started before another registered a newer version", () => {
    const raised = () => credit("second", { risk: "payment" });

    it("proposes nothing by the old one", async () => {
      const old = processOf(office.registry);
      await starts(raised());
      expect(await old.proposes(anAmount())).toMatchObject({
        kind: "settled",
        reply: { ok: false, error: { code: "POLICY_DENIED" } },
      });
    });

    it("takes no decision, and says that it is to be restarted; nothing is used up", async () => {
      const old = processOf(office.registry);
      await old.proposes(anAmount());
      const { id } = await lead.approval();
      await starts(raised());
      const pressed = await old.presses(id);
      expect(pressed).toMatchObject({ accepted: false, code: "gate_refuses" });
      expect(pressed.message).toMatch(/Restart it/);
      expect(await office.approval(id)).toMatchObject({ status: "pending" });
    });

    it("leaves what was approved to the newer one", async () => {
      const old = processOf(office.registry);
      const second = await starts(raised());
      await second.proposes(anAmount());
      await second.presses((await lead.approval()).id);
      expect(await old.works()).toMatchObject({ status: "queued", attempts: 0 });
      expect(await second.works()).toMatchObject({ status: "completed" });
      expect(done).toEqual(["second"]);
    });
  });
});
