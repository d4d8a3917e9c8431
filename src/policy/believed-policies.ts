import type { Policies } from "../domain/policy-row.ts";
import { isVerified } from "../domain/verified.ts";

/**
 * May the rules decide about the tool? Not when a rule about it was written, changed or deleted by
 * anything but the product, or comes from anywhere but its store: then nobody knows what is allowed.
 */
export function areBelieved(policies: Policies, toolName: string): boolean {
  const { rows, list, forgedTools } = policies;
  if (list === null || !isVerified(list) || !rows.every(isVerified)) return false;
  const tools = new Map(rows.map((row) => [row.id, row.tool_name]));
  const listed = Object.entries(list.rows);
  const missed = listed.filter(([id, tool]) => tools.get(id) !== tool).map(([, tool]) => tool);
  const unlisted = rows
    .filter((row) => list.rows[row.id] !== row.tool_name)
    .map((row) => row.tool_name);
  return ![...forgedTools, ...missed, ...unlisted].some(
    (tool) => tool === toolName || tool === "*",
  );
}
