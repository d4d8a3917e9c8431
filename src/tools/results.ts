import { z } from "zod";
import type { Json, JsonObject } from "../domain/json.ts";
import { DECIMAL_PATTERN } from "../domain/money.ts";
import type { ToolErrorCode, ToolResult } from "../domain/tool.ts";
import type { ToolCall } from "./contract.ts";

/** A sum as tools take it: digits with an optional fraction, as text. */
export const decimalText = z
  .string()
  .regex(DECIMAL_PATTERN, 'a decimal number as text, e.g. "500" or "0.015"');

/**
 * `reason` is a word for the model's logic, `summary` a line for people and logs. Without `code` it
 * is an answer, not a failure.
 */
export interface Refusal {
  type: string;
  id?: string | null;
  reason: string;
  summary: string;
  needsOperator?: boolean;
  data?: Loose;
  code?: ToolErrorCode;
}

/** Fields that may be missing; they are left out of the result. */
export type Loose = { [key: string]: Json | undefined };

/**
 * `data` says `ok` once more, as the output schemas of the tools want it. `externalId`: of what a
 * service outside made, where it is another than `id`.
 */
export function success(
  of: { type: string; id?: string | null; externalId?: string | undefined; summary: string },
  data: Loose,
): ToolResult {
  return {
    ok: true,
    resource_type: of.type,
    resource_id: of.id ?? null,
    ...(of.externalId === undefined ? {} : { external_id: of.externalId }),
    summary: of.summary,
    data: present({ ok: true, ...data }),
  };
}

/** An expected no: the model is told why and whether a person has to act. */
export function refusal(of: Refusal): ToolResult {
  const { reason, needsOperator = false, code } = of;
  return {
    ok: false,
    resource_type: of.type,
    resource_id: of.id ?? null,
    summary: of.summary,
    data: present({ ok: false, reason, needsOperator, ...of.data }),
    ...(code ? { error: { code, message: of.summary } } : {}),
  };
}

/** The arguments of a call without `prepare`: its action is what its schema let through. */
export function argumentsOf<Args>(schema: z.ZodType<Args>, call: ToolCall): Args {
  return schema.parse(call.action);
}

/** From milliseconds; in UTC, as all times that models and the API read. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

function present(data: Loose): JsonObject {
  const entries = Object.entries(data).filter(
    (entry): entry is [string, Json] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries);
}
