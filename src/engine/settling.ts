import { writeAudit } from "../store/audit.ts";
import type { AuditEvent } from "../store/audit-events.ts";
import { type Tx, withTenant } from "../store/db.ts";
import type { Execution } from "../store/executions.ts";
import { type Logs, noLogs, writeLogs } from "../store/run-logs.ts";
import type { ToolWork } from "../tools/contract.ts";
import type { EngineDeps } from "./deps.ts";
import type { Dispatch } from "./dispatch.ts";
import { type Attempt, logAttempt } from "./measure.ts";

/** An execution whose row is locked, how its work went, and what was measured of it. */
export interface Settling {
  dispatch: Dispatch;
  execution: Execution;
  work: ToolWork;
  /** Written at the end of the same transaction. */
  logs: Logs;
}

/** What a dispatch, or a look-up, asked outside and how long it took. */
export function logsOf(
  deps: EngineDeps,
  { tenantId, executionId, toolName, scope }: Dispatch,
  attempt: Attempt,
  operation = toolName,
): Logs {
  const logs = noLogs();
  const of = { tenantId, runId: scope.runId, executionId, toolName, operation };
  logAttempt(deps, logs, of, attempt);
  return logs;
}

/** One line of the trail about an execution. */
export async function note(
  tx: Tx,
  deps: EngineDeps,
  settling: Pick<Settling, "dispatch" | "execution">,
  said: { eventType: AuditEvent; summary: string },
): Promise<void> {
  const { dispatch, execution } = settling;
  await writeAudit(tx, [
    {
      tenantId: dispatch.tenantId,
      ...said,
      createdAt: deps.clock.now(),
      runId: execution.runId,
      conversationId: execution.conversationId,
      candidateId: execution.candidateId,
      userId: dispatch.approval.approver,
      toolName: execution.toolName,
      refs: { execution: execution.id, approval: dispatch.approval.id },
    },
  ]);
}

/** Another worker has taken over: the outcome is its to write. That something was asked is kept. */
export async function noteLate(
  deps: EngineDeps,
  dispatch: Dispatch,
  attempt: Attempt,
): Promise<void> {
  const { tenantId, executionId, approval, toolName, scope } = dispatch;
  deps.log.warn({ execution: executionId }, "a result came after another worker took over");
  await withTenant(deps.db, tenantId, async (tx) => {
    await writeLogs(tx, logsOf(deps, dispatch, attempt));
    await writeAudit(tx, [
      {
        tenantId,
        eventType: "execution.late",
        summary: "a result came after another worker took over; it was not taken",
        createdAt: deps.clock.now(),
        runId: scope.runId,
        conversationId: approval.conversationId,
        candidateId: approval.candidateId,
        toolName,
        refs: { execution: executionId, approval: approval.id },
      },
    ]);
  });
}
