import type { z } from "zod";
import type { Registry } from "../tools/registry.ts";
import { nearNames } from "./near-names.ts";

/** Tools that an expectation may speak of, switched on or not. */
export interface KnownTools {
  has(name: string): boolean;
  /** null: nothing is known of its arguments. */
  parametersOf(name: string): z.ZodType | null;
  /** What ought to stand where an unknown name does. */
  insteadOf(name: string): string;
}

/** `more`: names that count as known, too. */
export function knownTools(
  registry: Pick<Registry, "find" | "all">,
  more: Iterable<string> = [],
): KnownTools {
  const names = new Set([...registry.all().map(({ tool }) => tool.name), ...more]);
  return {
    has: (name) => names.has(name),
    parametersOf: (name) => registry.find(name)?.tool.parameters ?? null,
    insteadOf(name) {
      const near = nearNames(name, names);
      return near.length > 0
        ? `a tool of this version (near: ${near.join(", ")})`
        : "a tool of this version";
    },
  };
}
