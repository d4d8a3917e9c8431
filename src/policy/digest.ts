import { createHash } from "node:crypto";
import { canonicalJson, type Json, type JsonObject } from "../domain/json.ts";

/**
 * What an approval is bound to: the tool and all that will happen. Key order does not matter;
 * `prepare` writes sums canonically, so "40" and "40.0" are one action. Hex SHA-256.
 */
export function actionDigest(toolName: string, action: JsonObject): string {
  return sha256(canonicalJson({ tool: toolName, action }));
}

export function argumentsHash(toolName: string, args: Json): string {
  return sha256(canonicalJson({ tool: toolName, args }));
}

/** As people compare it on a card. */
export function digestHead(digest: string): string {
  return digest.slice(0, 8);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
