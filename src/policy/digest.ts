import { createHash } from "node:crypto";
import { canonicalJson, type Json, type JsonObject } from "../domain/json.ts";

/**
 * What an approval is bound to: the tool and all that will happen. Key order does not matter;
 * `prepare` writes sums canonically, so "40" and "40.0" are one action. Hex SHA-256.
 */
export function actionDigest(toolName: string, action: JsonObject): string {
  return sha256(canonicalJson({ tool: toolName, action }));
}

/**
 * Knows the same call again among a model's proposals. It is no approval's digest: arguments are
 * what was asked for, an action is what would be done. Hex SHA-256.
 */
export function argumentsHash(toolName: string, args: Json): string {
  return sha256(canonicalJson({ tool: toolName, args }));
}

/** Of a text that a card shows the beginning of. */
export function textDigest(text: string): string {
  return sha256(text);
}

/** As people compare it on a card. */
export function digestHead(digest: string): string {
  return digest.slice(0, 8);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
