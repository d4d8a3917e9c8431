import { stringOf, structureOf } from "./arguments.ts";
import { blockChars, checkBlocks, MESSAGE_BLOCK_CHARS, MESSAGE_BLOCKS } from "./block-check.ts";
import { invalidBlocks, Refusal } from "./refusal.ts";
import { isRecord } from "./schema.ts";
import { opaque } from "./stamp.ts";
import type { Json } from "./state.ts";

/** A posted text is cut here; an edited one is refused above `UPDATE_LIMIT`. */
const POST_LIMIT = 40_000;
const UPDATE_LIMIT = 4000;
const MARKDOWN_LIMIT = 12_000;

/** What a message holds after all checks, with ids filled in. */
export interface Content {
  text: string;
  blocks?: Json[];
  metadata?: Json;
}

/** Text and blocks of a message, checked as strictly as Slack does. Throws a `Refusal`. */
export function readContent(args: Json, use: "post" | "update"): Content {
  const blocks = readBlocks(args);
  const written = stringOf(args, "text") ?? stringOf(args, "markdown_text") ?? "";
  if (args.text && args.markdown_text) throw new Refusal("markdown_text_conflict");
  if (written.trim() === "" && !blocks?.length) throw new Refusal("no_text");
  if (use === "update" && written.length > UPDATE_LIMIT) throw new Refusal("msg_too_long");
  return {
    text: written.slice(0, POST_LIMIT),
    blocks: blocks?.length ? blocks : undefined,
    metadata: readMetadata(args),
  };
}

function readBlocks(args: Json): Json[] | undefined {
  const blocks = structureOf(args, "blocks", "invalid_blocks_format");
  if (blocks === undefined) return undefined;
  if (!Array.isArray(blocks)) throw new Refusal("invalid_blocks_format");
  const problems = checkBlocks(blocks, MESSAGE_BLOCKS);
  if (problems.length > 0) throw invalidBlocks(problems);
  const markdown = blocks.filter((block) => block.type === "markdown");
  const tooMuchMarkdown = blockChars(markdown) > MARKDOWN_LIMIT;
  if (tooMuchMarkdown || blockChars(blocks) > MESSAGE_BLOCK_CHARS) {
    throw new Refusal("msg_blocks_too_long");
  }
  return withIds(blocks);
}

/** Slack gives an id to every block and element that came without one. */
export function withIds(blocks: readonly Json[]): Json[] {
  return blocks.map((block, i) => {
    const block_id = block.block_id ?? opaque("block", `${i}:${JSON.stringify(block)}`, 5);
    const next: Json = { ...block, block_id };
    if (Array.isArray(block.elements)) next.elements = block.elements.map(withActionId);
    if (block.accessory) next.accessory = withActionId(block.accessory, 0);
    if (block.element) next.element = withActionId(block.element, 0);
    return next;
  });
}

const WITHOUT_ACTION = ["image", "mrkdwn", "plain_text", "workflow_button"];

function withActionId(element: unknown, index: number): unknown {
  if (!isRecord(element) || element.action_id !== undefined) return element;
  const type = String(element.type);
  if (type.startsWith("rich_text_") || WITHOUT_ACTION.includes(type)) return element;
  return { ...element, action_id: opaque("action", `${index}:${JSON.stringify(element)}`, 5) };
}

function readMetadata(args: Json): Json | undefined {
  const metadata = structureOf(args, "metadata", "invalid_metadata_format");
  if (metadata === undefined) return undefined;
  const fits =
    isRecord(metadata) &&
    typeof metadata.event_type === "string" &&
    isRecord(metadata.event_payload);
  if (!fits) throw new Refusal("invalid_metadata_format");
  return metadata;
}

/** A reply to a message that is gone lands in the channel itself, without an error. */
export function readThread(args: Json, exists: (ts: string) => boolean): string | undefined {
  const ts = stringOf(args, "thread_ts");
  if (ts === undefined) return undefined;
  if (!/^\d+\.\d{6}$/.test(ts)) {
    const messages = [`[ERROR] ${ts} is not a valid thread_ts`];
    throw new Refusal("invalid_thread_ts", { response_metadata: { messages } });
  }
  return exists(ts) ? ts : undefined;
}
