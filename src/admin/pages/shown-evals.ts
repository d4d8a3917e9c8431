/** GET /quality/evals/batches */
export interface EvalBatch {
  batch_id: string;
  model_id: string;
  agent_version: string;
  total: number;
  passed: number;
  failed: number;
  /** Why the run came to nothing. */
  error: string | null;
  created_at: string;
}

/** GET /quality/evals/runs */
export interface EvalRuns {
  items: EvalRun[];
  next_cursor: string | null;
  running: { batch_id: string; model: string | null; started_at: string } | null;
}

export interface EvalRun {
  id: string;
  batch_id: string;
  /** null: the row is about the whole run. */
  case_name: string | null;
  agent_version: string;
  model_id: string;
  actual_tool: string | null;
  actual_arguments_json: unknown;
  policy_result: string | null;
  passed: boolean;
  failure_reason: string | null;
  created_at: string;
}

/** GET /quality/evals/compare; names of scenarios. */
export interface Compared {
  fixed: string[];
  broken: { case_name: string; failure_reason: string | null }[];
  same: { passed: number; failed: number };
  added: string[];
  removed: string[];
}

/** GET /quality/evals/cases, as a file would hold it. */
export interface EvalCase {
  id: string;
  case_name: string;
  source: string;
  /** null: no tool may be called; not there: any. */
  expected_tool?: string | null;
  expected_policy_result?: string;
  is_active: boolean;
}

export const EVALS_PATH = "/admin/evals";
