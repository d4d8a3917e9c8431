import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FeedbackLabel } from "../../src/domain/feedback.ts";
import { newId } from "../../src/domain/ids.ts";
import { giveLabel } from "../../src/quality/labels.ts";
import { withTenant } from "../../src/store/db.ts";
import { agentToolCallImprovementProposals } from "../../src/store/schema/quality.ts";
import { agentToolCallFeedback } from "../../src/store/schema/runs.ts";
import { auditLog } from "../../src/store/schema/tenancy.ts";
import type { AdminPart } from "../support/admin-part.ts";
import { forEachEngine } from "../support/database.ts";
import { openQualityPart, type QualityPart, startQuality } from "../support/quality-part.ts";
import { type PlayedReply, playReply } from "../support/quality-rows.ts";

const LIST = "/quality/tool-call-feedback/proposals";
const REF = { kind: "pull_request", value: "https://git.example/pull/7" };

forEachEngine((open) => {
  let part: AdminPart;
  let offices = 0;

  beforeAll(async () => {
    part = await startQuality(open);
  });
  afterAll(() => part.close());

  /** An office with one reply that came with the named calls. */
  async function newOffice(...tools: string[]) {
    offices += 1;
    const office = await openQualityPart(part, `office-${offices}`);
    return { ...office, reply: await plays(office, tools) };
  }
  type Office = Awaited<ReturnType<typeof newOffice>>;

  function plays(office: QualityPart, tools: string[]): Promise<PlayedReply> {
    const { tenantId } = office;
    const calls = tools.map((tool) => ({ tool }));
    return office.rows((tx) => playReply(tx, { tenantId, now: part.deps.clock.now(), calls }));
  }
  async function labels(office: Office, label: FeedbackLabel, index = 0): Promise<string> {
    const path = `/quality/tool-calls/${office.reply.callIds[index]}/feedback`;
    return (await office.operator("POST", path, { label })).body.id;
  }
  /** As it was done before there were proposals, or without a call. */
  async function hasLabel(office: Office, label: FeedbackLabel, toolCallId = ""): Promise<string> {
    const id = newId();
    const { conversationId, messageId } = office.reply;
    await office.rows((tx) =>
      tx.insert(agentToolCallFeedback).values({
        ...{ id, tenantId: office.tenantId, conversationId, messageId, toolCallId, label },
        ...{ source: "reaction", staffId: newId(), createdAt: part.deps.clock.now() - 3_600_000 },
      }),
    );
    return id;
  }
  async function retracts(office: Office, id: string): Promise<void> {
    await office.rows((tx) =>
      tx
        .update(agentToolCallFeedback)
        .set({ retractedAt: part.deps.clock.now() })
        .where(eq(agentToolCallFeedback.id, id)),
    );
  }
  async function listed(office: Office, query = "") {
    const { body } = await office.operator("GET", `${LIST}${query}`);
    return body.items as {
      id: string;
      number: number;
      tool_name: string;
      label: string;
      status: string;
      labels: number;
      evidence: { feedback_id: string }[];
    }[];
  }
  const namesOf = (rows: Awaited<ReturnType<typeof listed>>) =>
    rows.map((row) => `${row.number} ${row.label} ${row.tool_name} ${row.labels}`);

  describe("proposals", () => {
    it("are opened by labels that say what to change, one for each tool and label", async () => {
      const office = await newOffice("a", "b");
      for (const label of ["good_reply", "other", "wrong_tool", "bad_args"] as const)
        await labels(office, label);
      await labels(office, "wrong_tool", 1);
      const path = `/quality/tool-calls/${office.reply.callIds[0]}/feedback`;
      await office.admin("POST", path, { label: "wrong_tool", note: "no rate was asked for" });
      expect(namesOf(await listed(office))).toEqual([
        "3 wrong_tool b 1",
        "2 bad_args a 1",
        "1 wrong_tool a 2",
      ]);
      const [, , first] = await listed(office);
      expect(first).toMatchObject({
        ...{ kind: "tool_selection", status: "pending", resolution: null },
        evidence: [
          {
            ...{ staff_id: office.ids.admin, note: "no rate was asked for" },
            ...{ tool_call_id: office.reply.callIds[0], message_id: office.reply.messageId },
          },
          { staff_id: office.ids.operator, note: null },
        ],
      });
    });

    it("are written with the label, not when somebody looks", async () => {
      const office = await newOffice("a");
      await labels(office, "bad_args");
      const rows = await office.rows((tx) => tx.select().from(agentToolCallImprovementProposals));
      expect(rows).toMatchObject([{ toolName: "a", label: "bad_args", status: "pending" }]);
    });

    it("of labels that are older than proposals are there, too", async () => {
      const office = await newOffice("a");
      await hasLabel(office, "missing_tool", office.reply.callIds[0]);
      expect(namesOf(await listed(office))).toEqual(["1 missing_tool a 1"]);
      expect(namesOf(await listed(office))).toEqual(["1 missing_tool a 1"]);
    });

    it("of a reply that came without a call name no tool", async () => {
      const office = await newOffice();
      await hasLabel(office, "missing_tool");
      const [row] = await listed(office);
      expect(row).toMatchObject({ tool_name: "", kind: "tool_coverage", labels: 1 });
      expect(row?.evidence).toMatchObject([
        { tool_call_id: null, tool_call_number: null, message_id: office.reply.messageId },
      ]);
    });

    it("vanish with their last label and come back with a new one", async () => {
      const office = await newOffice("a");
      const first = await labels(office, "wrong_tool");
      const [{ id } = { id: "" }] = await listed(office);
      await retracts(office, first);
      expect(await listed(office)).toEqual([]);
      const refused = await office.admin("POST", `/quality/proposals/${id}/dismiss`, {});
      expect(refused.status).toBe(409);
      await labels(office, "wrong_tool");
      expect((await listed(office)).map((row) => [row.id, row.labels])).toEqual([[id, 1]]);
    });

    it("show the newest 20 labels and count all", async () => {
      const office = await newOffice("a");
      const [callId] = office.reply.callIds;
      for (let count = 0; count < 22; count += 1) await hasLabel(office, "bad_args", callId);
      const newest = await labels(office, "bad_args");
      const [row] = await listed(office);
      expect([row?.labels, row?.evidence.length]).toEqual([23, 20]);
      expect(row?.evidence[0]?.feedback_id).toBe(newest);
    });

    it("are read page by page, by status, and of one's own office only", async () => {
      const office = await newOffice("a", "b", "c");
      for (const index of [0, 1, 2]) await labels(office, "wrong_tool", index);
      await office.admin("POST", "/quality/proposals/2/dismiss", {});
      expect(namesOf(await listed(office, "?status=pending"))).toEqual([
        "3 wrong_tool c 1",
        "1 wrong_tool a 1",
      ]);
      expect(namesOf(await listed(office, "?status=dismissed"))).toEqual(["2 wrong_tool b 1"]);
      const first = await office.operator("GET", `${LIST}?limit=2`);
      const next = `?limit=2&cursor=${first.body.next_cursor}`;
      expect(namesOf(await listed(office, next))).toEqual(["1 wrong_tool a 1"]);
      expect(await listed(await newOffice("a"))).toEqual([]);
    });

    it.each([
      ["?status=open", "status"],
      ["?tool=a", "tool"],
      [`?cursor=${Buffer.from("9999999999").toString("base64url")}`, "cursor"],
    ])("refuse %s", async (query, path) => {
      const { status, body } = await part.call("GET", `${LIST}${query}`);
      expect([status, body.error.path]).toEqual([400, path]);
    });

    it("of two labels at once are one", async () => {
      const office = await newOffice("a");
      const path = `/quality/tool-calls/${office.reply.callIds[0]}/feedback`;
      const both = await Promise.all([
        office.operator("POST", path, { label: "bad_args" }),
        office.admin("POST", path, { label: "bad_args" }),
      ]);
      expect(both.map(({ status }) => status)).toEqual([201, 201]);
      const rows = await listed(office);
      expect(rows.map(({ labels }) => labels)).toEqual([2]);
    });
  });

  describe("a decision", () => {
    it("dismisses, with a note, and is audited without its words", async () => {
      const office = await newOffice("a");
      await labels(office, "wrong_tool");
      const [{ id } = { id: "" }] = await listed(office);
      const { status, body } = await office.admin("POST", `/quality/proposals/${id}/dismiss`, {
        note: "Ivan was right",
      });
      expect([status, body]).toMatchObject([
        200,
        {
          ...{ status: "dismissed", labels: 1 },
          resolution: { note: "Ivan was right", by: office.ids.admin },
        },
      ]);
      expect(body.resolution.ref).toBeUndefined();
      const lines = await office.rows((tx) =>
        tx.select().from(auditLog).where(eq(auditLog.eventType, "improvement_proposal.dismissed")),
      );
      expect(lines).toMatchObject([{ userId: office.ids.admin, refs: { proposal: id } }]);
      expect(JSON.stringify(lines)).not.toContain("Ivan");
    });

    it("applies what names the change, by the proposal's number, too", async () => {
      const office = await newOffice("a");
      await labels(office, "bad_args");
      const { status, body } = await office.admin("POST", "/quality/proposals/1/apply", {
        ref: REF,
      });
      expect([status, body.status, body.resolution]).toMatchObject([200, "applied", { ref: REF }]);
    });

    it.each([
      [{}, "ref"],
      [{ note: "done" }, "ref"],
      [{ ref: { kind: "pull_request" } }, "ref.value"],
      [{ ref: { kind: "pull_request", value: " " } }, "ref.value"],
      [{ ref: { kind: "e-mail", value: "x" } }, "ref.kind"],
      [{ ref: REF, note: "x".repeat(1001) }, "note"],
    ])("that applies is refused with %j", async (body, path) => {
      const office = await newOffice("a");
      await labels(office, "bad_args");
      const refused = await office.admin("POST", "/quality/proposals/1/apply", body);
      expect([refused.status, refused.body.error.path]).toEqual([400, path]);
      expect((await listed(office)).map(({ status }) => status)).toEqual(["pending"]);
    });

    it("is made once; the second one is told what happened", async () => {
      const office = await newOffice("a");
      await labels(office, "bad_args");
      const answers = await Promise.all([
        office.admin("POST", "/quality/proposals/1/apply", { ref: REF }),
        office.admin("POST", "/quality/proposals/1/dismiss", {}),
        office.admin("POST", "/quality/proposals/1/case", {}),
      ]);
      const statuses = answers.map(({ status }) => status).sort();
      expect([statuses.slice(1), [200, 201].includes(statuses[0] ?? 0)]).toEqual([
        [409, 409],
        true,
      ]);
      const late = await office.admin("POST", "/quality/proposals/1/dismiss", {});
      expect(late.body.error.message).toMatch(
        /^Proposal 1 was (applied|dismissed).* by admin of office-\d+ \(.+\) at 20\d\d-/,
      );
      const ends = await office.rows((tx) =>
        tx
          .select()
          .from(auditLog)
          .where(
            and(eq(auditLog.tenantId, office.tenantId), eq(auditLog.userId, office.ids.admin)),
          ),
      );
      const decided = ends.filter(({ eventType }) => eventType.startsWith("improvement_proposal."));
      expect(decided).toHaveLength(1);
    });

    it("answers the labels that there are; a newer one opens another proposal", async () => {
      const office = await newOffice("a");
      const first = await labels(office, "wrong_tool");
      await office.admin("POST", "/quality/proposals/1/dismiss", {});
      expect(namesOf(await listed(office, "?status=pending"))).toEqual([]);
      const late = await hasLabel(office, "wrong_tool", office.reply.callIds[0]);
      const rows = await listed(office);
      expect(rows.map((row) => [row.number, row.status, row.labels])).toEqual([
        [2, "pending", 1],
        [1, "dismissed", 1],
      ]);
      expect(rows.map(({ evidence }) => evidence.map((one) => one.feedback_id))).toEqual([
        [late],
        [first],
      ]);
    });

    it("answers a label as it was given: given once more, it asks anew", async () => {
      const office = await newOffice("a");
      await labels(office, "wrong_tool");
      await office.admin("POST", "/quality/proposals/1/dismiss", {});
      part.deps.clock.now = (
        (now) => () =>
          now() + 1000
      )(part.deps.clock.now);
      await labels(office, "wrong_tool");
      expect(namesOf(await listed(office, "?status=pending"))).toEqual(["2 wrong_tool a 1"]);
    });

    it("is an admin's; operators only label", async () => {
      const office = await newOffice("a");
      await labels(office, "bad_args");
      for (const [act, body] of [
        ["dismiss", {}],
        ["apply", { ref: REF }],
        ["case", {}],
      ] as const) {
        const path = `/quality/proposals/1/${act}`;
        expect((await office.operator("POST", path, body)).status).toBe(403);
        const setUp = await part.call("POST", `${path}?tenant=${office.tenantId}`, { body });
        expect(setUp.status).toBe(403);
      }
      expect((await listed(office)).map(({ status }) => status)).toEqual(["pending"]);
    });

    it("on a proposal of another office, or of none, is 404", async () => {
      const office = await newOffice("a");
      await labels(office, "bad_args");
      const [{ id } = { id: "" }] = await listed(office);
      const other = await newOffice("a");
      for (const which of [id, "1", "99999999999"]) {
        const answer = await other.admin("POST", `/quality/proposals/${which}/dismiss`, {});
        expect(answer.status).toBe(404);
      }
    });
  });

  it("a label and its proposal are written together or not at all", async () => {
    const office = await newOffice("a");
    const broken = withTenant(part.database.db, office.tenantId, async (tx) => {
      const { secrets } = part.deps;
      const given = {
        tenantId: office.tenantId,
        staffId: "s",
        now: 1,
        note: null,
        secrets,
        ratingsChanged: () => {},
      };
      const which = office.reply.callIds[0] ?? "";
      await giveLabel(tx, { ...given, which, label: "bad_args" });
      throw new Error("cut");
    });
    await expect(broken).rejects.toThrow("cut");
    expect(await listed(office)).toEqual([]);
  });
});
