import {
  accessory,
  actionsElement,
  anyText,
  contextElement,
  image,
  inputElement,
  plainText,
} from "./element-check.ts";
import {
  anything,
  boolean,
  byType,
  type Check,
  isRecord,
  list,
  object,
  type Problem,
  text,
} from "./schema.ts";
import type { Json } from "./state.ts";

/** Slack's own limit. */
export const MESSAGE_BLOCKS = 50;
/** Slack's own limit; views take more than messages. */
export const MODAL_BLOCKS = 100;
/** Seen on the real service: about so many characters over all blocks of a message. */
export const MESSAGE_BLOCK_CHARS = 13_200;

/** All that Slack would refuse in these blocks; `max` is the surface's limit. */
export function checkBlocks(blocks: unknown, max: number, pointer = "/blocks"): Problem[] {
  const found = list(block, max, 0)(blocks, pointer);
  if (!Array.isArray(blocks) || found.length > 0) return found;
  return [...sameBlockIds(blocks, pointer), ...sameActionIds(blocks, pointer)];
}

/** Characters of all texts a person reads in these blocks. */
export function blockChars(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + blockChars(item), 0);
  if (!isRecord(value)) return 0;
  const own = typeof value.text === "string" ? value.text.length : 0;
  const inner = Object.values(value).filter((field) => typeof field === "object");
  return inner.reduce<number>((sum, field) => sum + blockChars(field), own);
}

const named = { type: anything };
const id = { block_id: text(255) };

const section: Check = (value, pointer) => {
  const shape = object(named, {
    ...id,
    text: anyText(3000),
    fields: list(anyText(2000), 10),
    accessory,
    expand: boolean,
  })(value, pointer);
  const empty = isRecord(value) && !value.text && !value.fields;
  return empty ? [{ message: "missing required field: text", pointer }, ...shape] : shape;
};

const imageBlock: Check = (value, pointer) => {
  const shape = image(value, pointer);
  const empty = isRecord(value) && !value.image_url && !value.slack_file;
  return empty ? [{ message: "missing required field: image_url", pointer }, ...shape] : shape;
};

const block = byType({
  section,
  header: object({ ...named, text: plainText(150) }, id),
  divider: object(named, id),
  actions: object({ ...named, elements: list(actionsElement, 25) }, id),
  context: object({ ...named, elements: list(contextElement, 10) }, id),
  image: imageBlock,
  input: object(
    { ...named, label: plainText(2000), element: inputElement },
    { ...id, hint: plainText(2000), optional: boolean, dispatch_action: boolean },
  ),
  markdown: object({ ...named, text: text(12_000) }, id),
  rich_text: object({ ...named, elements: list(anything, 1000, 0) }, id),
  file: object({ ...named, external_id: text(255), source: text(255) }, id),
  video: anything,
  table: anything,
});

function sameBlockIds(blocks: Json[], pointer: string): Problem[] {
  return repeated(blocks.map((entry) => entry.block_id)).map((i) => ({
    message: `\`block_id\` "${String(blocks[i]?.block_id)}" already exists`,
    pointer: `${pointer}/${i}/block_id`,
  }));
}

function sameActionIds(blocks: Json[], pointer: string): Problem[] {
  return blocks.flatMap((entry, i) => {
    const elements = Array.isArray(entry.elements) ? entry.elements.filter(isRecord) : [];
    return repeated(elements.map((element) => element.action_id)).map((at) => ({
      message: `\`action_id\` "${String(elements[at]?.action_id)}" already exists`,
      pointer: `${pointer}/${i}/elements/${at}/action_id`,
    }));
  });
}

/** Places whose value stood before. */
function repeated(values: unknown[]): number[] {
  return values.flatMap((value, i) =>
    value !== undefined && values.indexOf(value) < i ? [i] : [],
  );
}
