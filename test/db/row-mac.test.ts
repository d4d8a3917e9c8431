import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../src/domain/ids.ts";
import { actionDigest } from "../../src/policy/digest.ts";
import { addPolicyRows } from "../../src/store/policies.ts";
import { forEachEngine } from "../support/database.ts";
import { officeRules, rule, TENANT } from "../support/office.ts";
import { openPayingOffice, PAYOUT, type PayingOffice } from "../support/paying-office.ts";

const MALLORY = { bank: "SCB", account: "666", holder: "Mallory" };
type Lead = Awaited<ReturnType<PayingOffice["paidLead"]>>;

forEachEngine((open) => {
  let office: PayingOffice;
  let alice: string;
  let bob: string;
  beforeAll(async () => {
    office = await openPayingOffice(open);
    alice = await office.person();
    bob = await office.person();
  });
  afterAll(() => office.close());
  // a rule that a test has deleted is named again, else it would be a change that forgets it
  const plainRules = (over = {}) => [
    ...officeRules(over),
    rule(PAYOUT, { id: "never", allow_call: false, is_active: false }),
  ];
  beforeEach(() => office.rules(plainRules()));

  const paidFor = ({ order: { number } }: Lead) =>
    office.payouts().filter(({ order }) => order.order_id === `EX-${number}`);

  /** Whatever stands in the queue is worked on, and the gateway is asked for nothing. */
  async function nothingIsPaid(lead: Lead): Promise<void> {
    await lead.worksAll();
    expect(paidFor(lead)).toEqual([]);
  }

  /** Once in the trail and once in the operators' chat. */
  async function peopleAreTold(table: string, id: string): Promise<void> {
    const { ids, alerts, audited } = await office.told(table);
    expect(ids.filter((told) => told === id)).toHaveLength(1);
    expect(alerts).toBe(audited);
    expect(office.logged).toContainEqual(expect.objectContaining({ table, row: id }));
  }

  /** As `decide` would write it, by somebody who has no key. */
  const grants = (approvalId: string) =>
    office.attacks(sql`update approval_queue set status = 'approved', approver = ${alice},
      approved_at = now(), decided_at = now(), approved_action_json = proposed_action_json,
      effective_action_json = proposed_action_json where id = ${approvalId}`);
  const votes = async (approvalId: string, staffId: string) => {
    const id = newId();
    await office.attacks(sql`insert into approval_votes
      (id, tenant_id, approval_id, staff_id, decision, via, action_digest, created_at)
      select ${id}, tenant_id, id, ${staffId}, 'approve', 'slack', action_digest, now()
        from approval_queue where id = ${approvalId}`);
    return id;
  };
  const queues = (approvalId: string) =>
    office.attacks(sql`insert into tool_execution_queue
      (id, tenant_id, conversation_id, candidate_id, approval_id, tool_name, payload_json,
        action_digest, idempotency_key, business_key, has_side_effect, status, attempts, run_after, created_at)
      select ${newId()}, tenant_id, conversation_id, candidate_id, id, tool_name,
        coalesce(effective_action_json, proposed_action_json), action_digest, id, business_key,
        true, 'queued', 0, created_at, created_at from approval_queue where id = ${approvalId}`);

  it("what people approve is paid, once", async () => {
    const lead = await office.paidLead();
    const approval = await lead.asks();
    expect(await office.decides(approval.id, alice)).toMatchObject({ code: "approved" });
    await lead.worksAll();
    expect(paidFor(lead)).toMatchObject([{ key: approval.id, order: { amount: "1300" } }]);
    expect((await office.told("approval_queue")).audited).toBe(0);
  });

  describe("decisions that nobody made:", () => {
    it("an approval that was flipped, with votes and an execution", async () => {
      const lead = await office.paidLead();
      const { id } = await lead.asks();
      await grants(id);
      await votes(id, alice);
      await queues(id);
      await nothingIsPaid(lead);
      await peopleAreTold("approval_queue", id);
    });

    it("an execution beside an approval that waits", async () => {
      const lead = await office.paidLead();
      const { id } = await lead.asks();
      await queues(id);
      await nothingIsPaid(lead);
    });

    it("an execution that was never asked for, of an approval that was carried out", async () => {
      const first = await office.paidLead();
      const { id } = await first.asks();
      await office.decides(id, alice);
      await first.worksAll();
      const lead = await office.paidLead();
      const mine = await lead.asks();
      await office.attacks(sql`insert into tool_execution_queue
        (id, tenant_id, conversation_id, candidate_id, approval_id, tool_name, payload_json,
          action_digest, idempotency_key, business_key, has_side_effect, status, attempts, run_after, created_at)
        select ${newId()}, tenant_id, conversation_id, candidate_id, ${id}, tool_name,
          proposed_action_json, action_digest, 'another key', business_key, true, 'queued', 0,
          created_at, created_at from approval_queue where id = ${mine.id}`);
      await nothingIsPaid(lead);
    });

    it("a vote for somebody else, so that one person is two", async () => {
      await office.rules(plainRules({ approvals_required: 2 }));
      const lead = await office.paidLead();
      const { id } = await lead.asks();
      const vote = await votes(id, bob);
      expect(await office.decides(id, alice)).toMatchObject({ code: "counted" });
      await nothingIsPaid(lead);
      await peopleAreTold("approval_votes", vote);
    });

    it("a vote that was given to another person, so that its owner may vote again", async () => {
      await office.rules(plainRules({ approvals_required: 2 }));
      const lead = await office.paidLead();
      const { id } = await lead.asks();
      await office.decides(id, alice);
      await office.attacks(
        sql`update approval_votes set staff_id = ${bob} where approval_id = ${id}`,
      );
      expect(await office.decides(id, alice)).toMatchObject({ code: "counted" });
      await nothingIsPaid(lead);
    });

    it("a vote that was copied with its hash from another request", async () => {
      await office.rules(plainRules({ approvals_required: 2 }));
      const other = await office.paidLead();
      const { id: otherId } = await other.asks();
      await office.decides(otherId, bob);
      const lead = await office.paidLead();
      const { id } = await lead.asks();
      const copy = newId();
      await office.attacks(sql`insert into approval_votes
        (id, tenant_id, approval_id, staff_id, decision, via, action_digest, mac, created_at)
        select ${copy}, v.tenant_id, ${id}, v.staff_id, v.decision, v.via, a.action_digest, v.mac, v.created_at
          from approval_votes v, approval_queue a where v.approval_id = ${otherId} and a.id = ${id}`);
      expect(await office.decides(id, alice)).toMatchObject({ code: "counted" });
      await nothingIsPaid(lead);
      await peopleAreTold("approval_votes", copy);
    });

    it("fewer approvals than the request wants", async () => {
      await office.rules(plainRules({ approvals_required: 2 }));
      const lead = await office.paidLead();
      const { id } = await lead.asks();
      await office.attacks(sql`update approval_queue set approvals_required = 1 where id = ${id}`);
      expect(await office.decides(id, alice)).toMatchObject({ code: "not_found" });
      expect((await office.approval(id)).status).toBe("cancelled");
      await nothingIsPaid(lead);
      await peopleAreTold("approval_queue", id);
    });

    it("another maker, so that somebody may decide about himself", async () => {
      const userId = "maker";
      const own = await office.person("operator", [{ messenger: "telegram", teamId: "", userId }]);
      const lead = await office.paidLead({}, { userId });
      const { id } = await lead.asks();
      expect(await office.decides(id, own)).toMatchObject({ code: "forbidden" });
      await office.attacks(sql`delete from staff_identities where staff_id = ${own}`);
      expect(await office.decides(id, own)).toMatchObject({ code: "forbidden" });
      await office.attacks(sql`update approval_queue set requested_by = 'x' where id = ${id}`);
      expect(await office.decides(id, own)).toMatchObject({ code: "not_found" });
      await nothingIsPaid(lead);
    });

    it("a request that was copied with its hash under another id", async () => {
      const lead = await office.paidLead();
      const { id } = await lead.asks();
      await office.decides(id, alice);
      const copy = newId();
      await office.attacks(sql`update tool_execution_queue set approval_id = ${copy}, idempotency_key = ${copy}
        where approval_id = ${id}`);
      await office.attacks(sql`insert into approval_queue
        select (jsonb_populate_record(a, jsonb_build_object('id', ${copy}::text, 'number', 999))).*
          from approval_queue a where id = ${id}`);
      await nothingIsPaid(lead);
      await peopleAreTold("approval_queue", copy);
    });
  });

  describe("what was approved, changed before it is carried out:", () => {
    async function approved() {
      const lead = await office.paidLead();
      const { id } = await lead.asks();
      expect(await office.decides(id, alice)).toMatchObject({ code: "approved" });
      return { lead, id };
    }

    it("the effective action, with the execution's own", async () => {
      const { lead, id } = await approved();
      const action = { ...(await office.approval(id)).effectiveActionJson, destination: MALLORY };
      const digest = actionDigest(PAYOUT, action);
      await office.attacks(sql`update approval_queue set action_digest = ${digest},
        effective_action_json = ${JSON.stringify(action)}::jsonb where id = ${id}`);
      await office.attacks(sql`update tool_execution_queue set action_digest = ${digest},
        payload_json = ${JSON.stringify(action)}::jsonb where approval_id = ${id}`);
      await office.attacks(sql`update exchange_orders
        set payout_destination_json = ${JSON.stringify(MALLORY)}::jsonb where id = ${lead.order.id}`);
      await nothingIsPaid(lead);
      await peopleAreTold("exchange_orders", lead.order.id);
    });

    it("only the effective action", async () => {
      const { lead, id } = await approved();
      await office.attacks(sql`update approval_queue set effective_action_json =
        effective_action_json || '{"amount": "999999"}'::jsonb where id = ${id}`);
      await nothingIsPaid(lead);
      await peopleAreTold("approval_queue", id);
      expect(await office.candidate((await office.approval(id)).candidateId)).toMatchObject({
        status: "failed",
        code: "approval_forged",
      });
    });

    it.each([
      ["destination", sql`payout_destination_json = ${JSON.stringify(MALLORY)}::jsonb`],
      ["amount", sql`amount_to = 999999`],
      ["client", sql`contact_id = 'lead-1'`],
      ["hash, blanked", sql`mac = ''`],
    ])("the order's %s", async (_what, set) => {
      const { lead } = await approved();
      await office.attacks(sql`update exchange_orders set ${set} where id = ${lead.order.id}`);
      await nothingIsPaid(lead);
      await peopleAreTold("exchange_orders", lead.order.id);
    });

    it("the order's amount, back again in the end: the row is the product's once more", async () => {
      const { lead } = await approved();
      const set = (amount: string) =>
        office.attacks(
          sql`update exchange_orders set amount_to = ${amount} where id = ${lead.order.id}`,
        );
      await set("999999");
      await set("1300.00");
      await lead.worksAll();
      expect(paidFor(lead)).toHaveLength(1);
    });

    it("a payout that was made, to be made once more under another key", async () => {
      const { lead, id } = await approved();
      await lead.worksAll();
      expect(paidFor(lead)).toHaveLength(1);
      await office.attacks(sql`delete from idempotency_keys where tenant_id = ${TENANT}`);
      await office.attacks(sql`update tool_execution_queue set status = 'queued', attempts = 0,
        idempotency_key = 'once more' where approval_id = ${id}`);
      await office.attacks(
        sql`update exchange_orders set status = 'paid' where id = ${lead.order.id}`,
      );
      await lead.worksAll();
      expect(paidFor(lead)).toMatchObject([{ key: id }]);
    });
  });

  describe("an order", () => {
    it("that nobody has paid is not paid out because its row says so", async () => {
      const lead = await office.paidLead({ status: "awaiting_payment", amountReceived: null });
      await office.attacks(sql`update exchange_orders set status = 'paid', amount_received = 40
        where id = ${lead.order.id}`);
      await lead.proposes([{ name: PAYOUT, arguments: "{}" }]);
      await expect(lead.approval()).rejects.toThrow("no such row");
      await peopleAreTold("exchange_orders", lead.order.id);
    });
  });

  describe("rules that nobody made:", () => {
    const asksInVain = async (lead: Lead) => {
      const [made] = await lead.proposes([{ name: PAYOUT, arguments: "{}" }]);
      const candidate = await office.candidate(made?.candidateId ?? "");
      expect(candidate).toMatchObject({ status: "blocked_by_policy", code: "policy_forged" });
      await nothingIsPaid(lead);
    };
    const forbidden = () =>
      office.rules([...officeRules(), rule(PAYOUT, { id: "never", allow_call: false })]);

    it("a rule that allows without asking, added", async () => {
      const lead = await office.paidLead();
      await office.attacks(sql`insert into tool_policy
        (tenant_id, id, tool_name, role, condition_json, allow_call, requires_approval,
          approvals_required, approver_role, max_calls_per_run, max_payload_size, is_active)
        values (${TENANT}, 'mine', ${PAYOUT}, '*', '{}', true, false, 0, 'operator', 9, 9999, true)`);
      await asksInVain(lead);
      await peopleAreTold("tool_policy", "mine");
      await office.attacks(sql`delete from tool_policy where id = 'mine'`);
      await lead.asks(); // as before
    });

    it("a rule that asks people, changed; only its tool is held", async () => {
      const lead = await office.paidLead();
      const id = `rule-${PAYOUT}`;
      await office.attacks(sql`update tool_policy set requires_approval = false, approvals_required = 0
        where id = ${id}`);
      await asksInVain(lead);
      await peopleAreTold("tool_policy", id);
      const [read] = await lead.proposes([{ name: "read_price", arguments: '{"item":"x"}' }]);
      expect(read?.state.kind).toBe("run");
      await office.attacks(sql`update tool_policy set requires_approval = true, approvals_required = 1
        where id = ${id}`);
      await lead.asks();
    });

    it("a rule that forbids, deleted", async () => {
      await forbidden();
      const lead = await office.paidLead();
      await office.attacks(sql`delete from tool_policy where id = 'never'`);
      await asksInVain(lead);
      await peopleAreTold("tool_policy", "never");
    });

    it("a rule that forbids, deleted, is not forgotten by an honest change either", async () => {
      await forbidden();
      await office.attacks(sql`delete from tool_policy where id = 'never'`);
      await expect(office.rules(officeRules())).rejects.toThrow(/the rules never: send them again/);
      await office.tenant((tx) => addPolicyRows(tx, TENANT, [rule(PAYOUT, { id: "never" })]));
      await asksInVain(await office.paidLead());
    });

    it("a rule that forbids, switched off", async () => {
      await forbidden();
      const lead = await office.paidLead();
      await office.attacks(sql`update tool_policy set is_active = false where id = 'never'`);
      await asksInVain(lead);
    });

    it("a rule that forbids, deleted with the list of rules", async () => {
      await forbidden();
      const lead = await office.paidLead();
      await office.attacks(sql`delete from tool_policy where id = 'never'`);
      await office.attacks(
        sql`update row_lists set rows = rows - 'never' where table_name = 'tool_policy'`,
      );
      await asksInVain(lead);
      await peopleAreTold("row_lists", "tool_policy");
      await office.attacks(sql`delete from row_lists where table_name = 'tool_policy'`);
      await asksInVain(lead);
    });

    it("an old rule with its hash, brought back", async () => {
      await office.rules([...officeRules(), rule(PAYOUT, { id: "old" })]);
      await office.attacks(sql`create table kept as select * from tool_policy where id = 'old'`);
      await office.rules(plainRules());
      const lead = await office.paidLead();
      await office.attacks(sql`insert into tool_policy select * from kept`);
      await asksInVain(lead);
      await office.attacks(sql`drop table kept`);
    });

    it("and an approved payout stays where it is, too", async () => {
      const lead = await office.paidLead();
      const { id, candidateId } = await lead.asks();
      await office.decides(id, alice);
      await office.attacks(
        sql`update tool_policy set approvals_required = 0 where tool_name = ${PAYOUT}`,
      );
      await nothingIsPaid(lead);
      expect(await office.candidate(candidateId)).toMatchObject({ code: "policy_forged" });
    });
  });
});
