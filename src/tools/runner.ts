import { messageOf, RetryableError } from "../domain/errors.ts";
import { failureOfError, type RetryableFailure } from "../domain/failure.ts";
import type { JsonObject } from "../domain/json.ts";
import type { ToolErrorCode, ToolResult } from "../domain/tool.ts";
import { unlessAborted } from "../lib/unless-aborted.ts";
import { Permit } from "../policy/permit.ts";
import { codeOfFailure } from "../policy/retry.ts";
import { hasSideEffect } from "../policy/risk.ts";
import type { Tx } from "../store/db.ts";
import type { AnyTool, CallScope, SettledWork, ToolWork } from "./contract.ts";
import { normaliseResult } from "./normalise.ts";
import type { Outside } from "./outside.ts";
import type { Registry } from "./registry.ts";

/** `realNow` in milliseconds: permits and their leases are measured by it. */
export interface RunnerDeps {
  registry: Registry;
  realNow(): number;
  /** Limit of one call of a tool, milliseconds. */
  timeoutMs: number;
}

/** What only the caller knows of a call; action and keys come out of the permit. */
export interface RunScope extends CallScope {
  signal: AbortSignal;
  outside: Outside;
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

/** The promise never rejects. */
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
      if (limit.aborted) return tryAgain("timeout", `${execution.toolName} was not begun any more`);
      try {
        const work = registered.tool.run({
          ...scope,
          action: execution.action,
          executionId: execution.executionId,
          idempotencyKey: execution.idempotencyKey,
          signal: limit,
        });
        return checkedWork(registered.tool, await unlessAborted(work, limit));
      } catch (error) {
        return thrownWork(registered.tool, error, limit);
      }
    },
  };
}

/** Every result of a tool is normalised, whenever it is made. */
export function checkedWork(tool: AnyTool, work: ToolWork): ToolWork {
  if (work.kind === "result") return { kind: "result", result: normaliseResult(tool, work.result) };
  if (work.kind === "retry" && work.instead)
    return { ...work, instead: checkedWork(tool, work.instead) as SettledWork }; // keeps its kind
  if (work.kind !== "write" && work.kind !== "pending") return work;
  return {
    kind: work.kind,
    async apply(tx) {
      const written = await work.apply(tx);
      return { ...written, result: normaliseResult(tool, written.result) };
    },
  };
}

function thrownWork(tool: AnyTool, error: unknown, limit: AbortSignal): ToolWork {
  if (hasSideEffect(tool.risk)) return { kind: "unknown", message: messageOf(error) };
  if (limit.aborted) return tryAgain("timeout", `${tool.name} did not answer in time`);
  const failure = failureOfError(error) ?? (error instanceof RetryableError ? "unavailable" : null);
  if (failure === null) return failed("PROVIDER_ERROR", `${tool.name} failed`);
  const afterMs = error instanceof RetryableError ? error.afterMs : 0;
  return tryAgain(failure, `${tool.name} could not reach what it asks`, afterMs);
}

function tryAgain(failure: RetryableFailure, message: string, afterMs = 0): ToolWork {
  return { kind: "retry", code: codeOfFailure(failure), failure, message, afterMs };
}

function failed(code: ToolErrorCode, message: string): ToolWork {
  return { kind: "result", result: failure(code, message) };
}

/** A result for what no tool said itself: no permit, no such tool, a time limit. */
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
