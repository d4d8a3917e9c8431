import { and, desc, eq } from "drizzle-orm";
import { newId } from "../../src/domain/ids.ts";
import type { JsonObject } from "../../src/domain/json.ts";
import { handleExecution } from "../../src/engine/execution.ts";
import { handleRun } from "../../src/engine/run.ts";
import { createSmtpPart } from "../../src/sandbox/smtp.ts";
import { setContactEmail } from "../../src/store/contact-card.ts";
import { messages, tasks } from "../../src/store/schema/chat.ts";
import { externalApiLog, runs } from "../../src/store/schema/runs.ts";
import { policyGateLog, toolCallCandidates } from "../../src/store/schema/tools.ts";
import type { AnyTool } from "../../src/tools/contract.ts";
import { createTaskDraft } from "../../src/tools/crm/create-task-draft.ts";
import { deleteCustomer } from "../../src/tools/crm/delete-customer.ts";
import { readCustomerProfile } from "../../src/tools/crm/read-customer-profile.ts";
import { sendEmail } from "../../src/tools/crm/send-email.ts";
import { updateCrmField } from "../../src/tools/crm/update-crm-field.ts";
import { defaultPolicies } from "../../src/tools/default-policies.ts";
import { createMailClient } from "../../src/tools/mail/smtp-client.ts";
import type { OpenDatabase } from "./database.ts";
import { openOffice, TENANT } from "./office.ts";
import { addLead } from "./office-lead.ts";
import { playPart } from "./sandbox-part.ts";
import { createScriptedModel } from "./scripted-model.ts";

interface Mail {
  to: string;
  subject: string;
  text: string;
  message_id: string;
}

const MAIL_LIMIT_MS = 1_000;
const NAMES = [
  ...["read_customer_profile", "create_task_draft", "send_email", "update_crm_field"],
  "delete_customer",
];

/** An office with the starter tools and their own rules; letters go to a played mail server. */
export async function openCrmOffice(open: OpenDatabase) {
  const smtp = await playPart(createSmtpPart);
  const { SMTP_URL: url = "", MAIL_FROM: from = "" } = smtp.env;
  const mail = createMailClient({ url, from, timeoutMs: MAIL_LIMIT_MS });
  const model = createScriptedModel();
  const office = await openOffice(
    open,
    model,
    (jobs) =>
      [
        ...[readCustomerProfile(), createTaskDraft(), sendEmail({ mail, jobs }), updateCrmField()],
        deleteCustomer(),
      ] as unknown as AnyTool[], // lists hold tools of every argument type
  );
  await office.rules(defaultPolicies().filter(({ tool_name }) => NAMES.includes(tool_name)));
  return {
    ...office,
    model,
    smtp,
    from,
    mailsTo(address: string): Mail[] {
      const kept = smtp.world.journal.events.filter(({ kind }) => kind === "smtp.mail");
      return kept.map(({ data }) => data as Mail).filter(({ to }) => to === address);
    },
    async close() {
      await office.close();
      await smtp.close();
    },
  };
}
export type CrmOffice = Awaited<ReturnType<typeof openCrmOffice>>;

/** A client of that office; `asks` plays one turn in which the model makes these calls. */
export async function addClient(
  office: CrmOffice,
  email?: { address: string; isVerified: boolean },
) {
  const lead = await addLead(office);
  const { conversationId, contactId } = lead;
  const { tenant, time, model } = office;
  const newest = () =>
    tenant((tx) =>
      tx
        .select()
        .from(toolCallCandidates)
        .where(eq(toolCallCandidates.conversationId, conversationId))
        .orderBy(desc(toolCallCandidates.id)),
    );
  const client = {
    ...lead,
    setEmail: (address: string, isVerified: boolean) =>
      tenant((tx) =>
        setContactEmail(tx, {
          ...{ tenantId: TENANT, contactId, value: address, isVerified },
          ...{ by: "setup", now: time.now },
        }),
      ),
    /** One round of calls of a model, run to the reply; gives the calls' rows in order. */
    async asks(calls: { name: string; args: object }[], engine = office.engine) {
      time.now += 1_000;
      const id = await queueRun();
      model.next = [{ calls }];
      await handleRun(engine, { tenantId: TENANT, id }, AbortSignal.timeout(20_000));
      const rows = await newest();
      return rows.filter(({ runId }) => runId === id).sort((a, b) => a.ordinal - b.ordinal);
    },
    async ask(name: string, args: object) {
      const [row] = await client.asks([{ name, args }]);
      if (!row) throw new Error(`${name} was not written down`);
      return { ...row, data: row.reply?.data as JsonObject | undefined };
    },
    gatesOf: (candidateId: string) =>
      tenant((tx) =>
        tx
          .select()
          .from(policyGateLog)
          .where(eq(policyGateLog.candidateId, candidateId))
          .orderBy(policyGateLog.createdAt),
      ),
    tasks: () =>
      tenant((tx) =>
        tx
          .select()
          .from(tasks)
          .where(and(eq(tasks.tenantId, TENANT), eq(tasks.conversationId, conversationId)))
          .orderBy(tasks.number),
      ),
    /** What the log of requests to others' services has of an execution. */
    requestsOf: (executionId: string) =>
      tenant((tx) =>
        tx.select().from(externalApiLog).where(eq(externalApiLog.executionId, executionId)),
      ),
    async approves() {
      const { id } = await lead.approval();
      const approver = await office.person();
      const decided = await office.decides(id, approver);
      if (!decided.accepted) throw new Error(decided.message);
      return approver;
    },
    /** The worker takes the newest approved action. */
    async works() {
      const execution = await client.newestExecution();
      const signal = AbortSignal.timeout(20_000);
      await handleExecution(office.engine, { tenantId: TENANT, id: execution.id }, signal);
      return client.newestExecution();
    },
    async newestExecution() {
      const all = await office.executionsOf(conversationId);
      const [execution] = all
        .filter(({ approvalId }) => approvalId !== null)
        .sort((a, b) => b.createdAt - a.createdAt);
      if (!execution) throw new Error("nothing was approved");
      return execution;
    },
  };
  if (email) await client.setEmail(email.address, email.isVerified);
  return client;

  async function queueRun(): Promise<string> {
    const id = newId();
    const { now } = time;
    await tenant(async (tx) => {
      await tx.insert(messages).values({
        ...{ id: newId(), tenantId: TENANT, conversationId, author: "lead", kind: "text" },
        ...{ text: "please", createdAt: now },
      });
      await tx.insert(runs).values({
        ...{ id, tenantId: TENANT, conversationId, kind: "message", status: "queued" },
        ...{ dueAt: now, firstMessageAt: now, createdAt: now },
      });
    });
    return id;
  }
}
export type Client = Awaited<ReturnType<typeof addClient>>;
