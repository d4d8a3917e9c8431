import type { Json } from "../domain/json.ts";
import type { Tx } from "../store/db.ts";
import { ownershipOf } from "../store/resource-owners.ts";
import type { AnyTool, CallScope, NamedResource } from "./contract.ts";
import type { ArgumentError } from "./parse-arguments.ts";

/** What the arguments name and the asking contact does not have: another's, or nobody's. */
export async function resourceErrors(
  tx: Tx,
  tool: AnyTool,
  args: Json,
  scope: Pick<CallScope, "tenantId" | "contactId">,
): Promise<ArgumentError[]> {
  const named = tool.resources?.(args as never) ?? []; // checked by its own schema
  const errors: ArgumentError[] = [];
  for (const resource of named) {
    const error = errorOf(resource, await ownershipOf(tx, scope, resource));
    if (error) errors.push(error);
  }
  return errors;
}

/** Another contact's, as opposed to nobody's: only that is a matter of access. */
export function namesForeign(errors: readonly ArgumentError[]): boolean {
  return errors.some(({ rule }) => rule === "resource_owner");
}

/** The rules differ, for people who read the logs; the message tells the lead's model no difference. */
function errorOf(
  { path, kind }: NamedResource,
  ownership: "own" | "foreign" | "missing",
): ArgumentError | null {
  if (ownership === "own") return null;
  const rule = ownership === "foreign" ? "resource_owner" : "resource_missing";
  return { path, rule, message: `this client has no such ${kind}` };
}

/**
 * What the gate has to know of a call's arguments when it looks again: whose things they name is
 * asked anew, as it may have changed since.
 */
export async function argumentFacts(
  tx: Tx,
  tool: AnyTool,
  args: Json,
  scope: Pick<CallScope, "tenantId" | "contactId">,
): Promise<{ sameAccount: boolean; payloadBytes: number }> {
  const errors = await resourceErrors(tx, tool, args, scope);
  return {
    sameAccount: !namesForeign(errors),
    payloadBytes: Buffer.byteLength(JSON.stringify(args)),
  };
}
