import type { CallPath } from "../store/audit-path.ts";
import { present, presentAll, snakeCase } from "./present.ts";

/** A call's whole way in the API's words. */
export function presentPath(path: CallPath): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(path).map(([part, value]) => [snakeCase(part), presentPart(value)]),
  );
}

function presentPart(value: object | readonly object[] | null): unknown {
  if (value === null) return null;
  return Array.isArray(value) ? presentAll(value) : present(value);
}
