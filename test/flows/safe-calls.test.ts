import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDesk } from "../support/desk.ts";
import type { Desk, Lead } from "../support/desk-people.ts";
import { forEachEngine } from "../support/engines.ts";
import type { Played } from "../support/played-world.ts";

const WISH =
  "Send me the rules for cancelling an order by e-mail and write down a task: call me tomorrow at noon";
const WISH_RU = "Пришлите правила отмены заявки на почту и запишите задачу: перезвонить мне завтра";

let people = 0;

forEachEngine((engine) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(engine);
  });
  afterAll(() => desk.close());

  const mailsTo = async (address: string): Promise<Played[]> =>
    (await desk.world.get("mail")).filter(({ to }: Played) => to === address);
  const of = (rows: Played[], tool: string) => rows.filter(({ tool_name }) => tool_name === tool);
  const namesOf = (tools: Played[] = []) => tools.map((tool) => tool.function.name);
  const newest = (trace: Played, tool: string) => of(trace.candidates, tool).at(-1);

  /** A client whose mail address an operator has confirmed at the client's own wish. */
  async function clientWithMail() {
    people += 1;
    const address = `anna${people}@example.com`;
    const lead = desk.lead();
    await lead.says(`Please change my e-mail to ${address}`);
    await desk.operator("U0ALICE").presses("Approve", await lead.card());
    expect((await lead.trace()).contact).toMatchObject({ email: address });
    await lead.hears();
    return { lead, address };
  }

  describe("from a question to a letter", () => {
    let lead: Lead;
    let address: string;
    let waiting: Played;
    beforeAll(async () => {
      ({ lead, address } = await clientWithMail());
    });

    test("the client asks; the bot searches, drafts a task and proposes a letter, and says what waits", async () => {
      const said = await lead.says(WISH);
      waiting = await lead.trace();
      const made = waiting.candidates.map(({ tool_name, status }: Played) => [tool_name, status]);
      expect(made.slice(-4)).toEqual(
        expect.arrayContaining([
          ["search_knowledge_base", "executed"],
          ["read_customer_profile", "executed"],
          ["create_task_draft", "executed"],
          ["send_email", "waiting_approval"],
        ]),
      );
      expect(said).toMatch(/draft task T-\d+/);
      expect(said).toMatch(/A person has to approve the letter \(A-\d+\)/);
      expect(said).not.toMatch(/sent/i);
    });

    test("the letter is in no queue and no server has it, however much time passes", async () => {
      await desk.advance(60);
      const { executions, approvals, tasks } = await lead.trace();
      expect(of(executions, "send_email")).toEqual([]);
      expect(approvals.at(-1)).toMatchObject({ tool_name: "send_email", status: "pending" });
      expect(await mailsTo(address)).toEqual([]);
      expect(tasks).toMatchObject([{ status: "draft", title: "call me tomorrow at noon" }]);
    });

    test("the card shows all that will be sent", async () => {
      const { text } = await lead.card();
      const { material_json: material } = (await lead.trace()).approvals.at(-1);
      const shown = Object.fromEntries(material.map(({ label, value }: Played) => [label, value]));
      expect(shown).toMatchObject({ To: address, From: expect.stringContaining("@") });
      expect(shown.Text).toMatch(/cancel/i);
      for (const label of ["To", "Subject", "Text"]) expect(text).toContain(label);
      expect(text).toContain(address);
      expect(text).toContain(shown.Subject);
    });

    test("a stranger's press changes nothing", async () => {
      await desk.operator("U0EVE").presses("Approve", await lead.card());
      expect(of((await lead.trace()).executions, "send_email")).toEqual([]);
      expect(await mailsTo(address)).toEqual([]);
    });

    test("approved in Slack, the worker sends it once, as it was shown", async () => {
      const card = await lead.card();
      await lead.hears();
      const presses = ["U0ALICE", "U0BOB"] as const;
      await Promise.all(presses.map((who) => desk.operator(who).presses("Approve", card)));
      const { proposed_action_json: action } = (await lead.trace()).approvals.at(-1);
      const [letter, ...others] = await mailsTo(address);
      expect(others).toEqual([]);
      expect(letter).toMatchObject({ subject: action.subject, text: action.body });
    });

    test("the client is told what happened, once, and only now that it was sent", async () => {
      const told = await lead.hears();
      expect(told).toMatch(/e-?mail has been sent/i);
      expect(told.split("\n")).toHaveLength(1);
    });

    test("the whole path can be read back", async () => {
      const trace = await lead.trace();
      const call = newest(trace, "send_email");
      const { audit } = trace;
      const approval = trace.approvals.at(-1);
      const [execution] = of(trace.executions, "send_email");
      const own = (rows: Played[]) => rows.filter(({ candidate_id }) => candidate_id === call.id);
      expect(trace.model_calls.map(({ id }: Played) => id)).toContain(call.model_call_id);
      expect(own(trace.checks)).toMatchObject([{ is_valid: true }]);
      expect(
        own(trace.gate_log).map(({ moment, policy_result }) => [moment, policy_result]),
      ).toEqual([
        ["proposal", "approval"],
        ["dispatch", "approval"],
      ]);
      expect(approval).toMatchObject({ candidate_id: call.id, status: "approved" });
      expect(trace.votes.filter((v: Played) => v.approval_id === approval.id)).toHaveLength(1);
      expect(execution).toMatchObject({
        ...{ approval_id: approval.id, status: "completed", attempts: 1 },
        action_digest: approval.action_digest,
      });
      const result = trace.results.find((r: Played) => r.execution_id === execution.id);
      const [letter] = await mailsTo(address);
      expect(result).toMatchObject({ status: "completed", external_id: letter?.message_id });
      const events = own(audit).map(({ event_type }) => event_type);
      for (const event of [
        ...["candidate.proposed", "arguments.checked", "gate.decided", "approval.requested"],
        ...["approval.voted", "approval.decided", "execution.queued", "execution.completed"],
      ])
        expect(events).toContain(event);
      expect(call).toMatchObject({ status: "executed", reply: { ok: true, status: "completed" } });
    });

    test("nothing with an effect ran without an approval in any conversation", async () => {
      const { items } = await desk.admin("GET", "/conversations?limit=200");
      for (const { id } of items) {
        const { executions, approvals, candidates } = await desk.admin(
          "GET",
          `/conversations/${id}`,
        );
        const approved = new Set(
          approvals.filter(({ status }: Played) => status === "approved").map((a: Played) => a.id),
        );
        for (const execution of executions) {
          const drafts = ["create_task_draft"];
          const reads = ["search_knowledge_base", "read_customer_profile"];
          const isFree = [...drafts, ...reads].includes(execution.tool_name);
          expect([execution.tool_name, isFree || approved.has(execution.approval_id)]).toEqual([
            execution.tool_name,
            true,
          ]);
        }
        const ids = executions.map(({ candidate_id }: Played) => candidate_id);
        expect(ids.every((at: string) => candidates.some((c: Played) => c.id === at))).toBe(true);
      }
    });
  });

  describe("the client's own card", () => {
    test("is told to the client with the address masked, in the client's language", async () => {
      const { lead, address } = await clientWithMail();
      const masked = `a***${address.slice(address.indexOf("@"))}`;
      expect(await lead.says("What do you know about me?")).toContain(masked);
      const said = await lead.says("Что вы обо мне знаете?");
      expect(said).toMatch(/Вот что у нас записано/);
      expect(said).toContain(masked);
      expect(said).not.toContain(address);
    });

    test("of somebody without a confirmed address lets no letter go, and the client is told the way", async () => {
      const lead = desk.lead();
      const said = await lead.says("Пришлите правила отмены заявки на почту");
      expect(said).toMatch(/запишите мою почту/);
      const other = await lead.says("Пришлите расчёт на почту lena@example.com");
      expect(other).toMatch(/только на вашу почту/);
      const { approvals, executions } = await lead.trace();
      expect(approvals).toEqual([]);
      expect(of(executions, "send_email")).toEqual([]);
      expect(await mailsTo("lena@example.com")).toEqual([]);
    });
  });

  describe("the person says no", () => {
    test("nothing is sent, the client hears it, and the same letter is not asked for again", async () => {
      const { lead, address } = await clientWithMail();
      const said = await lead.says(WISH_RU);
      expect(said).toMatch(/Письмо должен одобрить человек \(A-\d+\).*черновик задачи T-\d+/s);
      await desk.operator("U0BOB").rejects(await lead.card(), "такое письмом не шлём");
      expect(await lead.hears()).toMatch(/отказ|отклон/i);
      const asked = (await lead.trace()).approvals.length;
      await lead.says(WISH_RU);
      const trace = await lead.trace();
      expect(newest(trace, "send_email")).toMatchObject({
        ...{ status: "blocked_by_policy", code: "rejected_before" },
      });
      expect(trace.approvals).toHaveLength(asked);
      expect(of(trace.executions, "send_email")).toEqual([]);
      expect(await mailsTo(address)).toEqual([]);
    });
  });

  describe("a tool that an admin switches off", () => {
    const turn = (isActive: boolean) =>
      desk.admin("PATCH", "/tools/send_email", { is_active: isActive });

    test("stops a letter that waits for a person: approving it sends nothing and decides nothing", async () => {
      const { lead, address } = await clientWithMail();
      await lead.says(WISH);
      const card = await lead.card();
      await turn(false);
      const said = await desk.operator("U0ALICE").presses("Approve", card);
      expect(said).toMatch(/switched off/);
      const trace = await lead.trace();
      await turn(true);
      expect(of(trace.executions, "send_email")).toEqual([]);
      expect(newest(trace, "send_email")).toMatchObject({ status: "waiting_approval" });
      expect(await mailsTo(address)).toEqual([]);
      await desk.operator("U0ALICE").presses("Approve", card);
      expect(await mailsTo(address)).toHaveLength(1);
      await lead.hears();
    });

    test("is stopped in a conversation that is under way: the model was offered it and proposes it too late", async () => {
      const { lead, address } = await clientWithMail();
      const args = { to: address, subject: "Terms", body: "The terms." };
      const letter = { name: "send_email", arguments: args };
      await desk.script([{ delay_ms: 4_000, tool_calls: [letter] }]);
      const asked = (await desk.modelRequests()).length;
      await lead.writes({ text: "Send me the terms by e-mail, please" });
      await desk.until(async () => (await desk.modelRequests()).length > asked);
      await turn(false);
      await desk.idle();
      const trace = await lead.trace();
      const [request] = (await desk.modelRequests()).slice(asked);
      await turn(true);
      expect(namesOf(request?.body.tools)).toContain("send_email");
      expect(newest(trace, "send_email")).toMatchObject({
        ...{ status: "blocked_by_policy", code: "tool_inactive" },
      });
      expect(of(trace.executions, "send_email")).toEqual([]);
      expect(await mailsTo(address)).toEqual([]);
      expect(await lead.hears()).not.toMatch(/has to approve the letter|has been sent/);
    });

    test("is stopped when a model proposes it from an old transcript", async () => {
      const { lead, address } = await clientWithMail();
      await lead.says(WISH);
      await desk.operator("U0ALICE").presses("Approve", await lead.card());
      expect(await mailsTo(address)).toHaveLength(1);
      await turn(false);
      const args = { to: address, subject: "Once more", body: "The terms once more." };
      await desk.script([{ tool_calls: [{ name: "send_email", arguments: args }] }]);
      const asked = (await desk.modelRequests()).length;
      await lead.says("And once more, please");
      const trace = await lead.trace();
      await turn(true);
      const [request] = (await desk.modelRequests()).slice(asked);
      expect(JSON.stringify(request?.body.messages)).toContain("send_email");
      expect(namesOf(request?.body.tools)).not.toContain("send_email");
      expect(newest(trace, "send_email")).toMatchObject({
        ...{ status: "blocked_by_policy", code: "tool_inactive" },
        reply: { ok: false, error: { code: "POLICY_DENIED" } },
      });
      expect(await mailsTo(address)).toHaveLength(1);
    });
  });

  describe("a client's deletion", () => {
    test("proposed by a model is refused and written down; nobody is asked, nothing is deleted", async () => {
      const lead = desk.lead();
      await lead.says("hello");
      const asked = (await lead.trace()).approvals.length;
      await desk.script([
        { tool_calls: [{ name: "delete_customer", arguments: { reason: "asked for it" } }] },
      ]);
      await lead.says("Are you there?");
      const trace = await lead.trace();
      const call = newest(trace, "delete_customer");
      expect(call).toMatchObject({ status: "blocked_by_policy", code: "risk_class" });
      expect(call.reply.error.code).toBe("POLICY_DENIED");
      expect(trace.approvals).toHaveLength(asked);
      expect(trace.audit).toContainEqual(
        expect.objectContaining({ candidate_id: call.id, event_type: "gate.decided" }),
      );
      expect(trace.contact.name).not.toBe("");
    });
  });
});
