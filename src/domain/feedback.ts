/** What a staff member says of a reply and its tool calls. */
export const FEEDBACK_LABELS = [
  "good_reply",
  "wrong_tool",
  "missing_tool",
  "bad_args",
  "other",
] as const;

/** Stored with the run that it is about: a name is never given another meaning. */
export type FeedbackLabel = (typeof FEEDBACK_LABELS)[number];

/** Labels that say what to change. */
export const ACTIONABLE_LABELS = ["wrong_tool", "missing_tool", "bad_args"] as const;

/** A label that a proposal or a regression case can be made from. */
export type ActionableLabel = (typeof ACTIONABLE_LABELS)[number];
