import { isRecord } from "./schema.ts";
import { type Input, inputsOf, optionsOf, plain } from "./shown-view.ts";
import type { Json, View } from "./state.ts";

/** Filled in by labels, as a person sees them; `values` as Slack sends a view's state. */
export type FilledForm =
  | { kind: "filled"; values: Json }
  /** The person's client does not let the form go: texts by label. */
  | { kind: "refused"; errors: Record<string, string> }
  | { kind: "unknown_labels"; labels: string[] };

/** `state.values` of a submission, from what the person filled in by label. */
export function fillForm(view: View, filled: Json): FilledForm {
  const inputs = inputsOf(view);
  const labels = Object.keys(filled).filter((name) => !inputs.some((input) => isFor(input, name)));
  if (labels.length > 0) return { kind: "unknown_labels", labels };
  const errors: Record<string, string> = {};
  const values: Record<string, Json> = {};
  for (const input of inputs) {
    const name = Object.keys(filled).find((key) => isFor(input, key));
    const given = name === undefined ? initialOf(input) : filled[name];
    const error = refusalOf(input, given);
    if (error !== undefined) errors[input.label] = error;
    values[input.block_id] = {
      ...values[input.block_id],
      [input.action_id]: { type: input.type, ...valueJson(input, given) },
    };
  }
  if (Object.keys(errors).length > 0) return { kind: "refused", errors };
  return { kind: "filled", values };
}

function isFor(input: Input, name: string): boolean {
  return [input.label, input.block_id, input.action_id].includes(name);
}

function initialOf({ element }: Input): unknown {
  const initial = Object.entries(element).find(([name]) => name.startsWith("initial_"))?.[1];
  if (Array.isArray(initial)) return initial.map(optionValue);
  return optionValue(initial);
}

function optionValue(option: unknown): unknown {
  return isRecord(option) ? option.value : option;
}

function refusalOf(input: Input, given: unknown): string | undefined {
  const empty = given === undefined || given === null || given === "";
  if (empty) return input.optional ? undefined : "Please complete this required field.";
  if (typeof given !== "string") return undefined;
  const { min_length: min, max_length: max } = input.element;
  if (typeof min === "number" && given.length < min) return `At least ${min} characters.`;
  if (typeof max === "number" && given.length > max) return `At most ${max} characters.`;
  return undefined;
}

/** The field of the value differs by element: facts of the Block Kit reference. */
const FIELDS: Record<string, string> = {
  static_select: "selected_option",
  external_select: "selected_option",
  radio_buttons: "selected_option",
  multi_static_select: "selected_options",
  checkboxes: "selected_options",
  users_select: "selected_user",
  multi_users_select: "selected_users",
  channels_select: "selected_channel",
  conversations_select: "selected_conversation",
  datepicker: "selected_date",
  timepicker: "selected_time",
  datetimepicker: "selected_date_time",
};

function valueJson(input: Input, given: unknown): Json {
  const field = FIELDS[input.type] ?? "value";
  const absent = given === undefined || given === null || given === "";
  if (field.endsWith("s")) {
    const many = absent ? [] : [given].flat();
    return { [field]: many.map((one) => single(input, field, one)) };
  }
  return { [field]: absent ? null : single(input, field, given) };
}

function single(input: Input, field: string, given: unknown): unknown {
  if (field.startsWith("selected_option")) return chosen(input, given);
  return field === "selected_date_time" ? Number(given) : String(given);
}

function chosen(input: Input, given: unknown): unknown {
  const options = optionsOf(input.element);
  const found = options.find((o) => o.value === given || plain(o.text) === given);
  return found ?? { text: { type: "plain_text", text: String(given) }, value: String(given) };
}
