import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AuditEvent } from "../../src/store/audit-events.ts";
import { withOwner } from "../../src/store/db.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, officeRules, openOffice, TENANT } from "../support/office.ts";
import { addLead, call, type OfficeLead } from "../support/office-lead.ts";
import { openTrails, type Trails } from "../support/trail.ts";

forEachEngine((open) => {
  let office: Office;
  let trails: Trails;
  let trail: ReturnType<Trails["of"]>;
  beforeAll(async () => {
    office = await openOffice(open);
    trails = await openTrails(office.database, () => office.time.now);
    trail = trails.of(TENANT);
    await office.person();
    await office.person("admin");
  });
  afterAll(async () => {
    trails.close();
    await office.close();
  });

  /** From now on rows of this event never reach the trail: as a trigger put in by an intruder does. */
  async function swallow(event: AuditEvent): Promise<() => Promise<void>> {
    const run = (statements: string[]) =>
      withOwner(office.db, async (tx) => {
        for (const statement of statements) await tx.execute(sql.raw(statement));
      });
    await run([
      `create or replace function swallow() returns trigger language plpgsql as
        $$ begin return case when new.event_type = tg_argv[0] then null else new end; end $$`,
      `create trigger swallow before insert on audit_log for each row execute function swallow('${event}')`,
    ]);
    return () => run(["drop trigger swallow on audit_log"]);
  }
  /** A payout that is asked for, approved, tried twice and done. */
  async function paysOut(lead: OfficeLead): Promise<void> {
    office.cashier.next = ["retry", "result"];
    await lead.approvedPayout();
    await lead.works();
    office.time.now += 60_000;
    await lead.works();
  }
  const missing = async (before: number) =>
    (await trail.verify()).problems.slice(before).map(({ what }) => what);

  it("a trail of calls, refusals, decisions, retries and failures is complete", async () => {
    const lead = await addLead(office);
    await lead.proposes([
      call("read_price", "{"),
      call("no_such_tool", {}),
      call("wipe_everything", { item: "tea" }),
      call("read_price", { item: "tea" }),
    ]);
    await paysOut(lead);
    const other = await addLead(office);
    office.cashier.next = ["fails"];
    await other.approvedPayout();
    await other.works();
    const third = await addLead(office);
    const asked = await third.asksPayout();
    const operator = await office.person();
    await office.decides(asked.id, operator, { decision: "reject" });
    await office.decides(asked.id, operator);
    const fourth = await addLead(office);
    await fourth.asksPayout("10");
    await fourth.asksPayout("20"); // takes the place of the first
    await trail.seal();
    expect(await trail.verify()).toMatchObject({ unsealed: 0, problems: [] });
  });

  describe("S23: a row that was kept out of the trail is missed:", () => {
    const events: [AuditEvent, RegExp][] = [
      ["candidate.proposed", /^the proposal of candidate/],
      ["arguments.checked", /^an argument check of candidate/],
      ["gate.decided", /^a gate decision of candidate/],
      ["approval.requested", /^the request of approval for candidate/],
      ["approval.decided", /^the decision on the approval for candidate/],
      ["execution.queued", /^the queuing of the execution of candidate/],
      ["execution.retry_scheduled", /^a retry of execution/],
      ["execution.completed", /^(the end of the execution of candidate|a result of execution)/],
    ];
    it.each(events)("%s", async (event, what) => {
      const before = (await trail.verify()).problems.length;
      const restore = await swallow(event);
      const lead = await addLead(office);
      await paysOut(lead);
      await restore();
      await trail.seal();
      const { problems, rows } = await trail.verify();
      const found = problems.filter((problem) => what.test(problem.what));
      expect(found.length).toBeGreaterThan(0);
      expect(problems.length).toBe(before + found.length);
      const [candidate] = await lead.candidates();
      const named = found.at(-1);
      expect(named?.what).toMatch(new RegExp(`${candidate?.id}|${(await lead.execution()).id}`));
      expect(named?.index).toBeGreaterThan(rows - 20);
      expect(named?.index).toBeLessThanOrEqual(rows + 1);
    });

    it("approval.voted, where several people decide", async () => {
      const operator = await office.person();
      await office.rules(officeRules({ approvals_required: 2 }));
      const restore = await swallow("approval.voted");
      const lead = await addLead(office);
      const { id } = await lead.asksPayout();
      expect((await office.decides(id, operator)).code).toBe("counted");
      await restore();
      await office.rules(officeRules());
      expect(await missing(0)).toContainEqual(
        `a vote on the approval (approval and staff id) ${id} ${operator} has no row in the trail`,
      );
    });

    it("execution.failed", async () => {
      const restore = await swallow("execution.failed");
      const lead = await addLead(office);
      office.cashier.next = ["fails"];
      await lead.approvedPayout();
      const { id } = await lead.works();
      await restore();
      expect(await missing(0)).toContainEqual(
        `a result of execution ${id} has no row in the trail`,
      );
    });

    it("and so is a row that was deleted before it was sealed", async () => {
      const lead = await addLead(office);
      const [made] = await lead.proposes([call("read_price", { item: "tea" })]);
      await trails.intrude(
        sql`delete from audit_log where candidate_id = ${made?.candidateId} and event_type = 'gate.decided'`,
      );
      await trail.seal();
      expect(await missing(0)).toContainEqual(
        `a gate decision of candidate ${made?.candidateId} has no row in the trail`,
      );
    });
  });

  it("what is older than the sealing need not be complete", async () => {
    office.time.now -= 86_400_000;
    const restore = await swallow("candidate.proposed");
    const lead = await addLead(office);
    await lead.proposes([call("read_price", { item: "tea" })]);
    await restore();
    office.time.now += 86_400_000;
    const [candidate] = await lead.candidates();
    expect(await missing(0)).not.toContainEqual(expect.stringContaining(candidate?.id ?? "?"));
  });
});
