import { messageOf } from "../domain/errors.ts";
import type { JsonObject } from "../domain/json.ts";
import type { ToolErrorCode, ToolResult } from "../domain/tool.ts";
import { Permit } from "../policy/permit.ts";
import { hasSideEffect } from "../policy/risk.ts";
import type { Tx } from "../store/db.ts";
import type { AnyTool, CallScope, ToolWork } from "./contract.ts";
import type { Registry } from "./registry.ts";

export interface RunnerDeps {
  registry: Registry;
  realNow(): number;
  /** Limit of one call of a tool, milliseconds. */
  timeoutMs: number;
}

export interface RunScope extends CallScope {
  signal: AbortSignal;
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

export interface Runner {
  /** The only way to a tool: the permit says which, with what action; it is used up by this. */
  run(permit: Permit, scope: RunScope): Promise<ToolWork>;
}

/** Never throws: a tool that throws failed, or, when it has effects, left an unknown outcome. */
export function createRunner(deps: RunnerDeps): Runner {
  return {
    async run(permit, scope) {
      const execution = Permit.redeem(permit, deps.realNow());
      if (!execution || execution.tenantId !== scope.tenantId)
        return failed("PERMISSION_DENIED", "the call has no valid permit");
      const registered = deps.registry.find(execution.toolName);
      if (!registered) return failed("NOT_FOUND", "the tool is not registered any more");
      const limit = AbortSignal.any([scope.signal, AbortSignal.timeout(deps.timeoutMs)]);
      try {
        const work = await registered.tool.run({
          ...scope,
          action: execution.action,
          executionId: execution.executionId,
          idempotencyKey: execution.idempotencyKey,
          signal: limit,
        });
        return checkedWork(registered.tool, work);
      } catch (error) {
        return thrownWork(registered.tool, error, limit);
      }
    },
  };
}

/** The output schema holds for every `ok` result, whenever it is made. */
export function checkedWork(tool: AnyTool, work: ToolWork): ToolWork {
  if (work.kind === "result") return { kind: "result", result: checkedResult(tool, work.result) };
  if (work.kind !== "write" && work.kind !== "pending") return work;
  return {
    kind: work.kind,
    async apply(tx) {
      const written = await work.apply(tx);
      return { ...written, result: checkedResult(tool, written.result) };
    },
  };
}

export function checkedResult(tool: AnyTool, result: ToolResult): ToolResult {
  if (!result.ok) return result;
  const checked = tool.output.safeParse(result.data);
  if (checked.success) return { ...result, data: checked.data as JsonObject }; // output schemas are objects
  return failure("RESULT_INVALID", `${tool.name} gave a result that is not of its own form`);
}

function thrownWork(tool: AnyTool, error: unknown, limit: AbortSignal): ToolWork {
  if (hasSideEffect(tool.risk)) return { kind: "unknown", message: messageOf(error) };
  if (limit.aborted) return failed("TIMEOUT", `${tool.name} did not answer in time`);
  return failed("PROVIDER_ERROR", `${tool.name} failed`);
}

function failed(code: ToolErrorCode, message: string): ToolWork {
  return { kind: "result", result: failure(code, message) };
}

export function failure(code: ToolErrorCode, message: string, data: JsonObject = {}): ToolResult {
  return {
    ok: false,
    resource_type: "none",
    resource_id: null,
    summary: message,
    data,
    error: { code, message },
  };
}
