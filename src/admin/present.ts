/**
 * A row as the API shows it: snake_case names, times in ISO 8601. Values stay as they are; the hash
 * that a row is signed with is nobody's to see.
 */
export function present(row: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row)
      .filter(([name]) => name !== "mac")
      .map(([name, value]) => [snakeCase(name), presentValue(name, value)]),
  );
}

/** In the same order. */
export function presentAll(rows: readonly object[]): Record<string, unknown>[] {
  return rows.map(present);
}

/** The API's names are made of the columns' names, so that nothing has to be kept in step. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function presentValue(name: string, value: unknown): unknown {
  const isTime = typeof value === "number" && /(At|After|Until)$/.test(name);
  return isTime ? new Date(value).toISOString() : value;
}
