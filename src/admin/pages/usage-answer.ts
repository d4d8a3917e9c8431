/** Attempts at models, as GET /usage tells them. null: not known. */
export interface Figures {
  calls: number;
  failed: number;
  superseded: number;
  tool_calling: number;
  unpriced: number;
  input_tokens: number | null;
  output_tokens: number | null;
  /** Decimal. */
  cost_usd: string | null;
  latency_avg_ms: number | null;
  latency_p95_ms: number | null;
  scored: number;
  /** 0 to 1. */
  score_mean: number | null;
}

/** A model by its name in MODELS_FILE and by that of its endpoint. */
export interface OfModel {
  llm_name: string;
  model_id: string;
}

/** Of one tool. null: not known. */
export interface ToolFigures {
  tool_name: string;
  calls: number;
  failed: number;
  latency_avg_ms: number | null;
  latency_p95_ms: number | null;
  cost_usd: string | null;
}

interface Weight {
  cost_usd: string | null;
  latency_avg_ms: number | null;
}

/** GET /usage */
export interface Usage {
  model: (OfModel & { operation: string; day: string } & Figures)[];
  by_model_and_day: (OfModel & { day: string } & Figures)[];
  by_model: (OfModel & Figures)[];
  by_operation: ({ operation: string } & Figures)[];
  /** Days without a call are left out. */
  by_day: ({ day: string } & Figures)[];
  total: Figures;
  tools: (ToolFigures & { day: string })[];
  by_tool: ToolFigures[];
  costs: { cost_type: string; currency: string; amount: string; failed_runs: string }[];
  latencies: { component: string; avg_ms: number | null; p95_ms: number | null }[];
  compared: { model: Weight; tool: Weight };
  dearer: "model" | "tool" | null;
  slower: "model" | "tool" | null;
}

/** Of a day on which no model was asked. */
export const NO_FIGURES: Figures = {
  ...{ calls: 0, failed: 0, superseded: 0, tool_calling: 0, unpriced: 0, scored: 0 },
  ...{ input_tokens: null, output_tokens: null, cost_usd: null, score_mean: null },
  ...{ latency_avg_ms: null, latency_p95_ms: null },
};

/** One name where both are the same. */
export function nameOfModel({ llm_name, model_id }: OfModel): string {
  return llm_name === model_id ? model_id : `${llm_name} · ${model_id}`;
}
