import { z } from "zod";
import type { ToolResult } from "../../domain/tool.ts";
import { actionDigest } from "../../policy/digest.ts";
import type { Tx } from "../../store/db.ts";
import { lockExecution, reserveKey, resultOf, settleKeys } from "../../store/executions.ts";
import { draftTask, taskName } from "../../store/tasks.ts";
import type { RagTool, ToolCall } from "../contract.ts";
import { argumentsOf, refusal, success } from "../results.ts";

const NAME = "create_task_draft";
const DAY_MS = 24 * 3_600_000;

const parameters = z.strictObject({
  title: z.string().trim().min(3).max(120),
  description: z.string().trim().min(3).max(4000),
  priority: z.enum(["low", "normal", "high"]),
  due_date: z.iso.date().optional().describe("YYYY-MM-DD, only when the client named a day"),
});
type Args = z.infer<typeof parameters>;

/** A draft without a state of its own: the same one again within a day is the first one. */
export function createTaskDraft(): RagTool<Args> {
  return {
    name: NAME,
    title: "Task draft",
    description: {
      does: "Notes something that people of the business should do, as a draft.",
      when: "the client asks to be called back or reminded, or to have something passed on that is no question.",
      whenNot: "instead of an answer, a payout, a check or a handover to a person.",
      needs: "title, description, priority.",
      limits:
        "due_date is a day from today on; the same draft again within a day makes no second one.",
      returns:
        "task, a number such as T-5, and its status. A draft is no promise: people take it up.",
    },
    risk: "draft_only",
    sideEffectType: "internal_rows",
    parameters,
    output: z.object({
      ok: z.literal(true),
      task: z.string(),
      status: z.literal("draft"),
      title: z.string(),
      priority: z.string(),
      dueDate: z.string().optional(),
    }),
    offered: true,
    staged: false,
    prose: ["title", "description"],
    isAvailable: () => true,
    async run(call) {
      const args = argumentsOf(parameters, call);
      if (args.due_date !== undefined && isOver(args.due_date, call.now))
        return { kind: "result", result: overRefusal(args.due_date, call.now) };
      return { kind: "write", apply: async (tx) => ({ result: await draftOnce(tx, call, args) }) };
    },
  };
}

async function draftOnce(tx: Tx, call: ToolCall, args: Args): Promise<ToolResult> {
  const { tenantId, executionId, conversationId, contactId, runId, now } = call;
  const digest = actionDigest(NAME, call.action);
  const reserved = await reserveKey(tx, {
    ...{ tenantId, runId, toolName: NAME, digest, executionId, now },
    idempotencyKey: `draft:${conversationId}:${NAME}:${digest}`,
    expiresAt: now + DAY_MS,
  });
  if (reserved.kind === "held") return storedResult(tx, tenantId, reserved.executionId);
  if (reserved.kind === "conflict") throw new Error("a digest stands for two actions");
  const execution = await lockExecution(tx, tenantId, executionId);
  if (!execution) throw new Error(`execution ${executionId} does not exist`);
  const task = await draftTask(tx, {
    ...{ tenantId, conversationId, contactId, candidateId: execution.candidateId },
    title: args.title,
    description: args.description,
    priority: args.priority,
    dueDate: args.due_date ?? null,
    createdAt: now,
  });
  await settleKeys(tx, { tenantId, executionId, status: "completed" });
  const name = taskName(task);
  return success(
    { type: "task", id: name, summary: `${name}: a draft for people` },
    {
      task: name,
      status: task.status,
      title: task.title,
      priority: task.priority,
      dueDate: task.dueDate ?? undefined,
    },
  );
}

/** What the first call was answered with; it stands in the transaction that wrote the draft. */
async function storedResult(tx: Tx, tenantId: string, executionId: string): Promise<ToolResult> {
  const stored = await resultOf(tx, tenantId, executionId);
  if (stored?.status !== "completed") throw new Error("a draft has no recorded result");
  return stored.resultJson as unknown as ToolResult; // as the engine recorded it of this very tool
}

/** Over everywhere: somewhere it is still yesterday. */
function isOver(day: string, now: number): boolean {
  return Date.parse(day) + 2 * DAY_MS <= now;
}

function overRefusal(day: string, now: number): ToolResult {
  const today = new Date(now).toISOString().slice(0, 10);
  return refusal({
    type: "task",
    reason: "due_date_over",
    summary: `due_date: ${day} is over; today is ${today}`,
    code: "INVALID_ARGUMENTS",
  });
}
