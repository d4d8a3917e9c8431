/** What stands at a path of parsed JSON, own fields only: `constructor` is none. undefined: nothing. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<PropertyKey, unknown>)[key]; // it has that key
  }
  return found;
}
