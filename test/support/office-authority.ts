import { randomBytes } from "node:crypto";
import { and, desc, eq } from "drizzle-orm";
import { handleApproval } from "../../src/desk/approval-steps.ts";
import { startDelay } from "../../src/desk/delayed-effect.ts";
import { type Requested, requestChange } from "../../src/desk/request-change.ts";
import { suspendStaff } from "../../src/desk/suspend-staff.ts";
import type { PolicyRow } from "../../src/domain/policy-row.ts";
import { handleExecution } from "../../src/engine/execution.ts";
import { createOutbound } from "../../src/outbound/deliver.ts";
import { withOwner } from "../../src/store/db.ts";
import { approvalQueue } from "../../src/store/schema/approvals.ts";
import { outbox } from "../../src/store/schema/chat.ts";
import { createSecrets } from "../../src/store/secrets.ts";
import { markTenantOpen } from "../../src/store/tenants.ts";
import { changeAuthority } from "../../src/tools/change-authority/change-authority.ts";
import type { AuthorityChange } from "../../src/tools/change-authority/kinds.ts";
import { sealRequisites } from "../../src/tools/change-authority/requisites.ts";
import type { AnyTool } from "../../src/tools/contract.ts";
import { defaultPolicies } from "../../src/tools/default-policies.ts";
import type { OpenDatabase } from "./database.ts";
import { officeRules, one, openOffice, TENANT } from "./office.ts";
import { addLead } from "./office-lead.ts";
import { createPlayedChats, type PlayedChats } from "./played-chats.ts";

export const AUTHORITY_RULE = defaultPolicies().filter(
  ({ tool_name }) => tool_name === "change_authority",
);

/** An open office whose admins change who may do what. */
export async function openAuthority(
  open: OpenDatabase,
  more: { tools: AnyTool[]; rules: PolicyRow[] } = { tools: [], rules: [] },
) {
  const secrets = createSecrets(randomBytes(32));
  const toolsChanged = () => {};
  const office = await openOffice(open, undefined, (jobs) => [
    changeAuthority({ secrets, jobs, toolsChanged, sandbox: true }) as unknown as AnyTool, // of its own arguments
    ...more.tools,
  ]);
  const { desk, tenant, time, jobs } = office;
  await office.rules([...officeRules(), ...AUTHORITY_RULE, ...more.rules]);
  await withOwner(office.db, (tx) => markTenantOpen(tx, TENANT, time.now));
  const deps = { ...desk, secrets, toolsChanged };
  const authority = {
    office,
    secrets,
    /** As a command or the API asks; a new approval's id when people are asked. */
    async asks(by: string, change: AuthorityChange): Promise<Requested & { id: string }> {
      const request = { tenantId: TENANT, by, change, now: time.now, language: "en" as const };
      const requested = await tenant((tx) => requestChange(tx, deps, request));
      const { id } = requested.kind === "asked" ? await authority.newest() : { id: "" };
      return { ...requested, id };
    },
    requisite: (value: string | null) =>
      sealRequisites(secrets, TENANT, { exchange_binance_id: value }),
    requisiteNow: () => tenant((tx) => secrets.get(tx, TENANT, "exchange_binance_id")),
    newest: () =>
      one(tenant((tx) => tx.select().from(approvalQueue).orderBy(desc(approvalQueue.number)))),
    suspends: (staffId: string, by: string) =>
      tenant((tx) =>
        suspendStaff(tx, deps, { tenantId: TENANT, staffId, by, reason: "", language: "en" }),
      ),
    lead: () => addLead(office),
    /** All that waits in the outbox reaches its chat, or does not; the sender works on it once a row. */
    async sends(chats: PlayedChats = createPlayedChats()): Promise<PlayedChats> {
      const outbound = createOutbound({
        ...{ db: office.db, clock: desk.clock, messengers: new Map([["tg", chats.messenger]]) },
        ...{ log: { info() {}, warn() {}, error() {} } },
        onCardSent: (tx, card) => startDelay(tx, deps, card),
      });
      for (let sent = 1; sent > 0; ) sent = await outbound.runOnce();
      return chats;
    },
    /** What is due of the approval is done. */
    stepsOn: (id: string) => handleApproval(deps, { tenantId: TENANT, id }),
    /** The workers take all executions that wait. */
    async works(): Promise<void> {
      for (const { id } of jobs.take("execution"))
        await handleExecution(office.engine, { tenantId: TENANT, id }, AbortSignal.timeout(20_000));
    },
    /** Texts in the operators' chat, oldest first. */
    async told(chatId = "-100"): Promise<string[]> {
      const rows = await tenant((tx) =>
        tx
          .select({ content: outbox.content })
          .from(outbox)
          .where(and(eq(outbox.chatId, chatId), eq(outbox.purpose, "notice")))
          .orderBy(outbox.seq),
      );
      return rows.map(({ content }) => (content.kind === "text" ? content.text : content.kind));
    },
    /** The card as it stands now. */
    async card(approvalId: string) {
      const rows = await tenant((tx) =>
        tx
          .select({ content: outbox.content })
          .from(outbox)
          .where(eq(outbox.approvalId, approvalId))
          .orderBy(desc(outbox.seq)),
      );
      const [content] = rows.map((row) => row.content);
      if (content?.kind !== "card" && content?.kind !== "card_edit") throw new Error("no card");
      return content.card;
    },
    close: () => office.close(),
  };
  return authority;
}
export type Authority = Awaited<ReturnType<typeof openAuthority>>;
