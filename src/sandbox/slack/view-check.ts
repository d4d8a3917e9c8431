import { checkBlocks, MODAL_BLOCKS } from "./block-check.ts";
import { plainText } from "./element-check.ts";
import {
  anything,
  boolean,
  type Check,
  isRecord,
  object,
  oneOf,
  type Problem,
  text,
} from "./schema.ts";

/** Bytes of the whole view. */
export const VIEW_LIMIT = 250_000;

/** All that Slack would refuse in this modal. */
export function checkView(view: unknown): Problem[] {
  const found = modal(view, "/view");
  if (!isRecord(view) || found.length > 0) return found;
  const asks =
    Array.isArray(view.blocks) && view.blocks.some((b) => isRecord(b) && b.type === "input");
  if (!asks || view.submit) return [];
  return [{ message: "missing required field: submit", pointer: "/view" }];
}

const blocks: Check = (value, pointer) => checkBlocks(value, MODAL_BLOCKS, pointer);

const modal = object(
  { type: oneOf("modal"), title: plainText(24), blocks },
  {
    submit: plainText(24),
    close: plainText(24),
    callback_id: text(255, 0),
    private_metadata: text(3000, 0),
    external_id: text(255, 0),
    clear_on_close: boolean,
    notify_on_close: boolean,
    submit_disabled: boolean,
    hash: anything,
  },
);
