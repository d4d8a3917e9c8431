import type { Json } from "../../domain/json.ts";
import type { ToolReply } from "../../domain/tool.ts";
import type { Effects, EvalCase, ExpectedPolicyResult } from "./case-format.ts";

/** One proposed call of a model, as the rows tell what became of it. */
export interface PlayedCall {
  tool: string;
  /** null: they could not be read. */
  args: Json;
  /** null: neither the schema nor the gate refused it, and the gate was not asked. */
  policyResult: ExpectedPolicyResult | null;
  /** Of a refusal. */
  reason: string | null;
  reply: ToolReply | null;
}

/** What came of a case's last message. */
export interface Played {
  calls: PlayedCall[];
  /** What the client was answered, in order. */
  replies: string[];
  /** Of the whole case. */
  effects: Effects;
  /** Faults of the product itself; a case with one has failed. */
  errors: string[];
  /** Told where a case has failed: the model did not answer, the chain could not be reached. */
  warnings: string[];
}

/** Where cases are played: the product whole, on a database of its own, before a played world. */
export interface Lab {
  /** Version of the product and of its prompt. */
  agentVersion: string;
  modelId: string;
  /** Each time with a client of its own. Throws only when the lab itself is broken. */
  play(evalCase: EvalCase): Promise<Played>;
}
