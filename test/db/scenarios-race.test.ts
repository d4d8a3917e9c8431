import { inArray, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Decided } from "../../src/desk/decision.ts";
import { newId } from "../../src/domain/ids.ts";
import { actionDigest } from "../../src/policy/digest.ts";
import { insertApproval } from "../../src/store/approvals.ts";
import { insertProposals } from "../../src/store/proposals.ts";
import { approvalQueue, approvalVotes } from "../../src/store/schema/approvals.ts";
import { auditLog } from "../../src/store/schema/tenancy.ts";
import { toolExecutionQueue } from "../../src/store/schema/tools.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, TENANT } from "../support/office.ts";
import { addLead, type OfficeLead } from "../support/office-lead.ts";
import { openPayingOffice, PAY } from "../support/office-payment.ts";

const RACES = 1_000;
/** Races at the same time, each of two people of its own: so many connections are used. */
const LANES = 5;

forEachEngine((open) => {
  let office: Office;
  beforeAll(async () => {
    office = await openPayingOffice(open);
  });
  afterAll(() => office.close());

  describe("S2: two people decide at the same moment", () => {
    it(`leaves one decision and at most one execution in ${RACES} races, and tells the loser who and when`, async () => {
      const people: string[] = [];
      for (let lane = 0; lane < LANES * 2; lane += 1) people.push(await office.person());
      const ids = await manyApprovals(RACES);
      const results: Decided[][] = [];
      for (let at = 0; at < ids.length; at += LANES)
        results.push(
          ...(await Promise.all(ids.slice(at, at + LANES).map((id, lane) => race(id, lane, at)))),
        );
      expect(results.filter((answers) => answers.filter((a) => a.accepted).length !== 1)).toEqual(
        [],
      );
      const losers = results.flat().filter(({ accepted }) => !accepted);
      const wrong = losers.filter(
        ({ code, message }) =>
          code !== "already_decided" ||
          !/^Already (approved|rejected) by operator .+ at \d{4}-.+ UTC/.test(message),
      );
      expect(wrong).toEqual([]);
      expect(await countsOf(ids)).toEqual({
        ...{ open: 0, votes: RACES, decided: RACES, refused: RACES },
        executionsWithoutApproval: 0,
        approvedWithoutOneExecution: 0,
      });

      function race(id: string, lane: number, at: number): Promise<Decided[]> {
        const second = (at + lane) % 2 === 0 ? ("reject" as const) : ("approve" as const);
        return Promise.all([
          office.decides(id, people[lane * 2] ?? "", { decision: "approve" }),
          office.decides(id, people[lane * 2 + 1] ?? "", { decision: second, via: "telegram" }),
        ]);
      }
    }, 180_000);

    /** Requests that wait, without the road that asks: only the deciding is raced. */
    async function manyApprovals(count: number): Promise<string[]> {
      const leads: OfficeLead[] = [];
      for (let made = 0; made < 10; made += 1) leads.push(await addLead(office));
      const ids: string[] = [];
      await office.tenant(async (tx) => {
        for (let made = 0; made < count; made += 1) {
          const { conversationId, contactId } = leads[made % leads.length] as OfficeLead;
          const [id, candidateId] = [newId(), newId()];
          const action = { orderId: `EX-${made}`, purpose: "x", amount: "1", currency: "THB" };
          const base = { tenantId: TENANT, conversationId, toolName: PAY, schemaVersion: 1 };
          await insertProposals(tx, {
            ...{ checks: [], gates: [], executions: [] },
            candidates: [
              {
                ...{ ...base, id: candidateId, ordinal: 0, cycle: 0, source: "model" },
                ...{ maker: contactId, argumentsRaw: "{}", argumentsJson: {}, argumentsHash: id },
                ...{ status: "waiting_approval", createdAt: office.time.now },
              },
            ],
          });
          await insertApproval(tx, {
            ...{ ...base, id, candidateId, number: 10_000 + made, requestedBy: contactId },
            ...{
              requestedAction: "other",
              riskLevel: "payment",
              payloadSummary: "",
              status: "pending",
            },
            ...{ proposedActionJson: action, materialJson: [], approverRole: "operator" },
            actionDigest: actionDigest(PAY, action),
            ...{ approvalsRequired: 1, createdAt: office.time.now },
          });
          ids.push(id);
        }
      });
      return ids;
    }

    async function countsOf(ids: string[]) {
      return office.tenant(async (tx) => {
        const asked = await tx
          .select({ id: approvalQueue.id, status: approvalQueue.status })
          .from(approvalQueue)
          .where(inArray(approvalQueue.id, ids));
        const votes = await tx
          .select({ id: approvalVotes.id })
          .from(approvalVotes)
          .where(inArray(approvalVotes.approvalId, ids));
        const executed = await tx
          .select({ approvalId: toolExecutionQueue.approvalId })
          .from(toolExecutionQueue)
          .where(inArray(toolExecutionQueue.approvalId, ids));
        const trail = await tx
          .select({ eventType: auditLog.eventType })
          .from(auditLog)
          .where(inArray(sql`${auditLog.refs}->>'approval'`, ids));
        const approved = new Set(
          asked.filter(({ status }) => status === "approved").map(({ id }) => id),
        );
        const times = (id: string) => executed.filter((one) => one.approvalId === id).length;
        return {
          open: asked.filter(({ status }) => !["approved", "rejected"].includes(status)).length,
          votes: votes.length,
          decided: trail.filter((one) => one.eventType === "approval.decided").length,
          refused: trail.filter((one) => one.eventType === "approval.refused").length,
          executionsWithoutApproval: executed.filter((one) => !approved.has(one.approvalId ?? ""))
            .length,
          approvedWithoutOneExecution: [...approved].filter((id) => times(id) !== 1).length,
        };
      });
    }
  });
});
