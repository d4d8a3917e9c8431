/** An improvement proposal as the API shows it. */
export interface Proposal {
  id: string;
  number: number;
  kind: string;
  label: string;
  tool_name: string;
  status: string;
  labels: number;
  last_labelled_at: string | null;
  evidence: {
    feedback_id: string;
    tool_call_id: string | null;
    tool_call_number: number | null;
    conversation_id: string;
    note: string | null;
    staff_id: string;
    created_at: string;
  }[];
  resolution: {
    ref?: { kind: string; value: string };
    note?: string;
    by: string;
    at: string;
  } | null;
}
