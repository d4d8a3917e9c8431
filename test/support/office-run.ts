import { eq } from "drizzle-orm";
import { z } from "zod";
import type { ChatModel, ChatOutcome, ChatRequest } from "../../src/domain/chat-model.ts";
import { newId } from "../../src/domain/ids.ts";
import { handleRun } from "../../src/engine/run.ts";
import { messages } from "../../src/store/schema/chat.ts";
import { runs } from "../../src/store/schema/runs.ts";
import type { AnyTool, RagTool, ToolCall, ToolWork } from "../../src/tools/contract.ts";
import { success } from "../../src/tools/results.ts";
import { type Office, one, TENANT } from "./office.ts";
import type { OfficeLead } from "./office-lead.ts";
import { SMALL_TOOL } from "./small-tool.ts";

export interface ModelStep {
  calls?: { name: string; args: object }[];
  text?: string;
  /** The answer broke off. */
  cut?: boolean;
  fails?: Omit<Extract<ChatOutcome, { kind: "failed" }>, "kind" | "journal" | "error">;
  tokens?: { input: number; output: number };
  /** Something that happens while the model thinks. */
  meanwhile?: (request: ChatRequest) => void | Promise<void>;
}

/** A model that answers as a test says, in order; words when nothing is left. */
export function createScriptedModel() {
  const steps: ModelStep[] = [];
  const asked: ChatRequest[] = [];
  const model: ChatModel = {
    async chat(request) {
      asked.push(request);
      const step = steps.shift() ?? {};
      await step.meanwhile?.(request);
      const { input = null, output = null } = step.tokens ?? {};
      const journal = {
        ...{ provider: "test", modelId: "test", finishReason: null, latencyMs: 100 },
        ...{ inputTokens: input, outputTokens: output },
      };
      if (step.fails) return { kind: "failed", error: "no", journal, ...step.fails };
      const calls = (step.calls ?? []).map(({ name, args }, index) => ({
        ...{ providerId: `call_${index}`, name, arguments: JSON.stringify(args) },
      }));
      const text = calls.length > 0 ? "" : (step.text ?? "That is all I can tell you.");
      return { kind: "answer", text, calls, cut: step.cut ?? false, journal };
    },
  };
  return { model, steps, asked };
}

/** A lead wrote, and the run that answers is due. */
export async function dueRun(
  office: Office,
  { conversationId }: OfficeLead,
  over: Partial<typeof runs.$inferInsert> = {},
): Promise<string> {
  const { now } = office.time;
  const id = newId();
  await office.tenant(async (tx) => {
    await tx.insert(messages).values({
      ...{ id: newId(), tenantId: TENANT, conversationId, author: "lead", kind: "text" },
      ...{ text: "how many are there?", createdAt: now },
    });
    await tx.insert(runs).values({
      ...{ id, tenantId: TENANT, conversationId, kind: "message", status: "queued" },
      ...{ dueAt: now, firstMessageAt: now, createdAt: now, ...over },
    });
  });
  return id;
}

export async function playRun(office: Office, id: string): Promise<typeof runs.$inferSelect> {
  await handleRun(office.engine, { tenantId: TENANT, id }, AbortSignal.timeout(20_000));
  return runById(office, id);
}

export function runById(office: Office, id: string): Promise<typeof runs.$inferSelect> {
  return one(office.tenant((tx) => tx.select().from(runs).where(eq(runs.id, id))));
}

/** What a shop does when it is asked for its stock, in order; it answers when nothing is left. */
export type Shop = ((call: ToolCall) => ToolWork | Promise<ToolWork>)[];

/** Reads outside: the shop says how each attempt goes. */
export function stockTool(shop: Shop, risk: "read_only" | "draft_only" = "read_only"): AnyTool {
  const tool: RagTool<{ item: string }> = {
    ...{ name: "ask_stock", title: "Stock", description: SMALL_TOOL, risk, offered: true },
    ...{ staged: false, sideEffectType: "none", isAvailable: () => true },
    parameters: z.strictObject({ item: z.string() }),
    output: z.looseObject({}),
    run: async (call) => (shop.shift() ?? inStock)(call),
  };
  return tool as AnyTool; // lists hold tools of every argument type
}

export function inStock(call: ToolCall): ToolWork {
  const of = { type: "stock", id: "S-1", summary: "in stock" };
  return { kind: "result", result: success(of, { item: call.action.item ?? null }) };
}

/** Plays a run whose worker is lost while the shop is asked for the first time; its lease is over. */
export async function loseWorker(office: Office, shop: Shop, id: string): Promise<void> {
  const { db } = office.engine;
  shop.push(async (call) => {
    const stopped = new Error("the process is killed");
    office.engine.db = { transaction: () => Promise.reject(stopped) } as never; // nothing is written any more
    return inStock(call);
  });
  await playRun(office, id).catch(() => {});
  office.engine.db = db;
  const leaseUntil = office.time.real - 1;
  await office.tenant((tx) => tx.update(runs).set({ leaseUntil }).where(eq(runs.id, id)));
}

export const asks = (...items: string[]): ModelStep => ({
  calls: items.map((item) => ({ name: "ask_stock", args: { item } })),
});
