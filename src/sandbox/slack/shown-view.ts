import type { SlackCore } from "./core.ts";
import { readBlocks } from "./reading.ts";
import { isRecord } from "./schema.ts";
import type { Json, View } from "./state.ts";

/** A field of a modal as a person sees it. */
export interface Input {
  label: string;
  block_id: string;
  action_id: string;
  type: string;
  optional: boolean;
  element: Json;
}

/** A modal as the person sees it. */
export function shownView(core: SlackCore, view: View): Json {
  const blocks = blocksOf(view);
  const inputs = inputsOf(view);
  return {
    id: view.id,
    user: view.user,
    callback_id: view.content.callback_id ?? "",
    title: plain(view.content.title),
    submit: plain(view.content.submit),
    close: plain(view.content.close),
    text: readBlocks(core.state, blocks),
    inputs: inputs.map(({ element, ...input }) => ({ ...input, options: optionLabels(element) })),
    errors: Object.fromEntries(
      Object.entries(view.errors).map(([id, error]) => [labelOf(inputs, id), error]),
    ),
    private_metadata: view.content.private_metadata ?? "",
    previous_view_id: view.previousId,
  };
}

export function inputsOf(view: View): Input[] {
  return blocksOf(view).flatMap((block) => {
    if (block.type !== "input" || !isRecord(block.element)) return [];
    const { element } = block;
    return [
      {
        label: plain(block.label),
        block_id: String(block.block_id),
        action_id: String(element.action_id),
        type: String(element.type),
        optional: block.optional === true,
        element,
      },
    ];
  });
}

/** The block's own id, when no field has it. */
export function labelOf(inputs: readonly Input[], blockId: string): string {
  return inputs.find((input) => input.block_id === blockId)?.label ?? blockId;
}

export function optionsOf(element: Json): Json[] {
  const groups = Array.isArray(element.option_groups) ? element.option_groups : [];
  const grouped = groups.flatMap((group: Json) => group.options);
  return [element.options ?? [], grouped].flat().filter(isRecord);
}

export function plain(text: unknown): string {
  return isRecord(text) ? String(text.text ?? "") : "";
}

function optionLabels(element: Json): string[] | undefined {
  const options = optionsOf(element);
  return options.length > 0 ? options.map((option) => plain(option.text)) : undefined;
}

function blocksOf(view: View): Json[] {
  return Array.isArray(view.content.blocks) ? view.content.blocks.filter(isRecord) : [];
}
