import { createHash } from "node:crypto";
import { z } from "zod";
import type { ToolDefinition } from "../domain/chat-model.ts";
import { canonicalJson, type Json, type JsonObject } from "../domain/json.ts";
import { RISK_CLASSES } from "../domain/tool.ts";
import type { ApprovalNeed } from "../policy/approval-need.ts";
import { hasSideEffect } from "../policy/risk.ts";
import type { Tx } from "../store/db.ts";
import { syncToolRegistry } from "../store/tool-registry.ts";
import type { AnyTool } from "./contract.ts";
import { describeTool, descriptionProblem } from "./describe-tool.ts";
import { uneditableField } from "./edit-action.ts";

/** A tool with its schemas as JSON Schema draft 7; objects take no fields that they do not name. */
export interface RegisteredTool {
  tool: AnyTool;
  inputSchema: JsonObject;
  outputSchema: JsonObject;
  /** Hash of all that people approve with it: a change of any of it is a new version by itself. */
  schemaHash: string;
}

/** All tools of the process; which of them a tenant has stands in its rows. */
export interface Registry {
  /** Exact names only; an own lookup, so that `constructor` is no tool. */
  find(name: string): RegisteredTool | undefined;
  all(): readonly RegisteredTool[];
  /** As a model is told it. `approval`: what the tenant's policy makes of the tool. */
  definitionOf(name: string, approval?: ApprovalNeed): ToolDefinition;
  /** Writes the tenant's registry rows and new schema versions. */
  sync(tx: Tx, tenantId: string, now: number): Promise<void>;
}

/** Refuses a tool that lacks part of the contract. */
export function createRegistry(tools: readonly AnyTool[]): Registry {
  const byName = new Map<string, RegisteredTool>();
  for (const tool of tools) {
    const problem = contractProblem(tool);
    if (problem) throw new Error(`tool ${tool.name || "(no name)"}: ${problem}`);
    if (byName.has(tool.name)) throw new Error(`tool ${tool.name} is registered twice`);
    byName.set(tool.name, register(tool));
  }
  return {
    find: (name) => byName.get(name),
    all: () => [...byName.values()],
    definitionOf(name, approval) {
      const found = byName.get(name);
      if (!found) throw new Error(`tool ${name} is not registered`);
      const description = describeTool(found.tool, approval);
      return { name, description, parameters: found.inputSchema };
    },
    async sync(tx, tenantId, now) {
      await syncToolRegistry(tx, { tenantId, now, tools: [...byName.values()].map(asRow) });
    },
  };
}

function contractProblem(tool: AnyTool): string | null {
  if (!/^[a-z][a-z0-9_]{2,63}$/.test(tool.name)) return "the name must be lower_snake_case";
  if (!(tool.parameters instanceof z.ZodType)) return "the parameter schema is missing";
  if (typeof tool.run !== "function") return "run is missing";
  if (!RISK_CLASSES.includes(tool.risk)) return "the risk class is missing";
  if (hasSideEffect(tool.risk) && !tool.prepare) return "a tool with effects needs prepare";
  const fixed = uneditableField(tool);
  if (fixed) return `an approver must never change ${fixed}`;
  return descriptionProblem(tool.description);
}

function register(tool: AnyTool): RegisteredTool {
  const inputSchema = jsonSchemaOf(tool.parameters);
  const outputSchema = jsonSchemaOf(tool.output);
  const schemaHash = createHash("sha256")
    .update(canonicalJson([inputSchema, outputSchema, effectsOf(tool)]))
    .digest("hex");
  return { tool, inputSchema, outputSchema, schemaHash };
}

/** A raised risk, another effect or more that may be edited is not what was approved before. */
function effectsOf({ risk, sideEffectType, edit }: AnyTool): Json {
  return { risk, sideEffectType, edit: { ...edit } };
}

/** zod leaves `additionalProperties: false` out of input schemas: put it back on every object. */
function jsonSchemaOf(schema: z.ZodType): JsonObject {
  const converted = z.toJSONSchema(schema, { target: "draft-7", io: "input" }) as JsonObject; // plain JSON by construction
  const { $schema: _dialect, ...rest } = converted;
  return closeObjects(rest) as JsonObject; // an object stays one
}

function closeObjects(value: Json): Json {
  if (Array.isArray(value)) return value.map(closeObjects);
  if (value === null || typeof value !== "object") return value;
  const closed = Object.fromEntries(Object.entries(value).map(([k, v]) => [k, closeObjects(v)]));
  if (closed.type === "object" && closed.properties && closed.additionalProperties === undefined)
    closed.additionalProperties = false;
  return closed;
}

function asRow(entry: RegisteredTool) {
  const { tool } = entry;
  return {
    toolName: tool.name,
    displayName: tool.title,
    description: describeTool(tool),
    toolType: tool.offered ? "model" : "system",
    riskLevel: tool.risk,
    sideEffectType: tool.sideEffectType,
    inputSchemaJson: entry.inputSchema,
    outputSchemaJson: entry.outputSchema,
    schemaHash: entry.schemaHash,
  };
}
