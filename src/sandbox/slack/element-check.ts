import {
  anything,
  boolean,
  byType,
  type Check,
  integer,
  list,
  object,
  oneOf,
  text,
} from "./schema.ts";

/** A text object without markup, `max` characters at most. */
export function plainText(max: number): Check {
  return byType({ plain_text: object({ type: anything, text: text(max) }, { emoji: boolean }) });
}

/** A text object of either kind; both have the same limit. */
export function anyText(max: number): Check {
  return byType({
    plain_text: object({ type: anything, text: text(max) }, { emoji: boolean }),
    mrkdwn: object({ type: anything, text: text(max) }, { verbatim: boolean }),
  });
}

const confirm = object(
  { title: plainText(100), text: anyText(300), confirm: plainText(30), deny: plainText(30) },
  { style: oneOf("primary", "danger") },
);
const option = object(
  { text: anyText(75), value: text(150) },
  { description: anyText(75), url: text(3000) },
);
const group = object({ label: plainText(75), options: list(option, 100) }, {});
const named = { type: anything };
const common = { action_id: text(255), confirm, focus_on_load: boolean };
const input = {
  ...common,
  placeholder: plainText(150),
  dispatch_action_config: anything,
  initial_value: text(3000, 0),
};
const pick = { ...common, placeholder: plainText(150) };
const choices = { ...pick, options: list(option, 100), option_groups: list(group, 100) };
const several = { max_selected_items: integer(1, 1000) };

export const image = object(
  { type: anything, alt_text: text(2000) },
  { image_url: text(3000), slack_file: anything, title: plainText(2000), block_id: text(255) },
);

const button = object(
  { ...named, text: plainText(75) },
  {
    action_id: text(255),
    url: text(3000),
    value: text(2000),
    style: oneOf("primary", "danger"),
    confirm,
    accessibility_label: text(75),
  },
);

/** What may stand in `actions` and beside a section. */
const interactive: Record<string, Check> = {
  button,
  static_select: object(named, { ...choices, initial_option: option }),
  external_select: object(named, {
    ...pick,
    initial_option: option,
    min_query_length: integer(0, 100),
  }),
  users_select: object(named, { ...pick, initial_user: text(255) }),
  conversations_select: object(named, {
    ...pick,
    initial_conversation: text(255),
    default_to_current_conversation: boolean,
    response_url_enabled: boolean,
    filter: anything,
  }),
  channels_select: object(named, {
    ...pick,
    initial_channel: text(255),
    response_url_enabled: boolean,
  }),
  overflow: object({ ...named, options: list(option, 5) }, common),
  datepicker: object(named, { ...pick, initial_date: text(10) }),
  timepicker: object(named, { ...pick, initial_time: text(5), timezone: text(255) }),
  datetimepicker: object(named, { ...common, initial_date_time: integer(0, 9_999_999_999) }),
  checkboxes: object(
    { ...named, options: list(option, 10) },
    { ...common, initial_options: list(option, 10) },
  ),
  radio_buttons: object(
    { ...named, options: list(option, 10) },
    { ...common, initial_option: option },
  ),
  workflow_button: anything,
};

const multiple: Record<string, Check> = {
  multi_static_select: object(named, {
    ...choices,
    ...several,
    initial_options: list(option, 100),
  }),
  multi_external_select: anything,
  multi_users_select: object(named, { ...pick, ...several, initial_users: list(text(255), 100) }),
  multi_conversations_select: anything,
  multi_channels_select: anything,
};

const typed: Record<string, Check> = {
  plain_text_input: object(named, {
    ...input,
    multiline: boolean,
    min_length: integer(0, 3000),
    max_length: integer(1, 3000),
  }),
  number_input: object(
    { ...named, is_decimal_allowed: boolean },
    { ...input, min_value: anything, max_value: anything },
  ),
  email_text_input: object(named, input),
  url_text_input: object(named, input),
  rich_text_input: anything,
  file_input: anything,
};

const {
  button: _button,
  overflow: _overflow,
  workflow_button: _workflow,
  ...selects
} = interactive;

export const actionsElement = byType(interactive);
/** What may stand beside a section. */
export const accessory = byType({ ...interactive, ...multiple, image });
export const inputElement = byType({ ...selects, ...multiple, ...typed });
/** Small print takes pictures and texts, nothing to press. */
export const contextElement = byType({
  image,
  plain_text: plainText(2000),
  mrkdwn: anyText(2000),
});
