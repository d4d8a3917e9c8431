import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { contacts } from "../../src/store/schema/chat.ts";
import { policyGateLog } from "../../src/store/schema/tools.ts";
import type { AnyTool, RagTool } from "../../src/tools/contract.ts";
import { success } from "../../src/tools/results.ts";
import { failure } from "../../src/tools/runner.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, officeRules, openOffice, rule } from "../support/office.ts";
import { addLead, call, type OfficeLead } from "../support/office-lead.ts";
import { SMALL_TOOL } from "../support/small-tool.ts";

const ADDRESS = "ann@example.com";

const parameters = z.strictObject({ to: z.string(), subject: z.string() });

/** A letter to one of the client's own addresses; none is called "nothing". */
function letterTo(sent: string[]): AnyTool {
  const tool: RagTool<z.infer<typeof parameters>> = {
    ...{ name: "send_letter", title: "Letter", description: SMALL_TOOL, risk: "send_message" },
    ...{ sideEffectType: "message", parameters, output: z.looseObject({}) },
    ...{ offered: true, staged: false, isAvailable: () => true },
    edit: { subject: "text" },
    resources: ({ to }) => [{ path: "to", kind: "email", id: to }],
    async prepare(_tx, args, _scope, edit) {
      if (args.subject === "nothing")
        return { kind: "refused", result: failure("NOT_FOUND", "there is nothing to write") };
      const material = [{ label: "Subject", value: args.subject }];
      return {
        kind: "action",
        action: { ...args, ...edit },
        businessKey: `letter:${args.subject}`,
        material,
      };
    },
    async run({ action }) {
      sent.push(String(action.subject));
      return { kind: "result", result: success({ type: "letter", summary: "sent" }, action) };
    },
  };
  return tool as AnyTool; // lists hold tools of every argument type
}

forEachEngine((open) => {
  const sent: string[] = [];
  let office: Office;
  let operator: string;
  let lead: OfficeLead;
  let other: OfficeLead;
  beforeAll(async () => {
    office = await openOffice(open, undefined, () => [letterTo(sent)]);
    operator = await office.person();
  });
  beforeEach(async () => {
    sent.length = 0;
    await allows({});
    lead = await addLead(office);
    other = await addLead(office);
    await has(lead, ADDRESS);
    await has(other, null);
  });
  afterAll(() => office.close());

  const allows = (over: { max_payload_size?: number }) =>
    office.rules([...officeRules(), rule("send_letter", { requires_approval: true, ...over })]);
  const has = ({ contactId }: OfficeLead, email: string | null) =>
    office.tenant((tx) => tx.update(contacts).set({ email }).where(eq(contacts.id, contactId)));
  /** The address is the other client's now. */
  const moves = async () => {
    await has(lead, null);
    await has(other, ADDRESS);
  };
  const asks = async (subject = `order ${lead.conversationId}`) => {
    const [proposed] = await lead.proposes([call("send_letter", { to: ADDRESS, subject })]);
    return proposed;
  };
  const gatesOf = (candidateId = "") =>
    office.tenant((tx) =>
      tx
        .select()
        .from(policyGateLog)
        .where(eq(policyGateLog.candidateId, candidateId))
        .orderBy(policyGateLog.id),
    );

  describe("whose address it is", () => {
    it("is asked again before the letter is sent", async () => {
      await asks();
      const approval = await lead.approval();
      await office.decides(approval.id, operator);
      await moves();
      await lead.works();
      expect(sent).toEqual([]);
      expect(await lead.execution()).toMatchObject({ status: "cancelled" });
      const gates = await gatesOf(approval.candidateId);
      expect(gates.at(-1)).toMatchObject({ moment: "dispatch", blockReason: "resource_access" });
      expect(gates.at(-1)?.factsJson).toMatchObject({ sameAccount: false });
      await moves();
    });

    it("is asked again when somebody decides: the request waits on", async () => {
      await asks();
      const approval = await lead.approval();
      await moves();
      const pressed = await office.decides(approval.id, operator);
      expect(pressed).toMatchObject({ accepted: false, code: "gate_refuses" });
      expect(await office.approval(approval.id)).toMatchObject({ status: "pending" });
      await has(other, null);
      await has(lead, ADDRESS);
      await office.decides(approval.id, operator);
      await lead.works();
      expect(sent).toHaveLength(1);
    });

    it("is asked again when somebody edits the letter", async () => {
      await asks();
      const approval = await lead.approval();
      await moves();
      const pressed = await office.decides(approval.id, operator, { edit: { subject: "another" } });
      expect(pressed).toMatchObject({ accepted: false, code: "edit_refused" });
      expect(await office.approval(approval.id)).toMatchObject({ status: "pending" });
      expect((await gatesOf(approval.candidateId)).at(-1)).toMatchObject({
        blockReason: "resource_access",
      });
    });
  });

  it("a smaller size that rules allow by now holds for what was approved before", async () => {
    await asks();
    const approval = await lead.approval();
    await office.decides(approval.id, operator);
    await allows({ max_payload_size: 10 });
    await lead.works();
    expect(sent).toEqual([]);
    expect((await gatesOf(approval.candidateId)).at(-1)).toMatchObject({
      ...{ moment: "dispatch", blockReason: "payload_too_large" },
    });
  });

  it("a call of which nothing can be made has its look of the gate, too", async () => {
    const proposed = await asks("nothing");
    expect(proposed?.state).toMatchObject({ kind: "settled", reply: { ok: false } });
    expect(await gatesOf(proposed?.candidateId)).toMatchObject([
      { moment: "proposal", policyResult: "approval", blockReason: null },
    ]);
    const events = (await office.auditOf(lead.conversationId)).map(({ eventType }) => eventType);
    expect(events).toEqual([
      "candidate.proposed",
      "arguments.checked",
      "gate.decided",
      "result.returned",
    ]);
  });
});
