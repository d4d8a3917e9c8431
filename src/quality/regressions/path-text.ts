/** `input.messages[2].content`; of the whole: `(record)`. */
export function pathText(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "(record)";
  return path
    .map((key, index) =>
      typeof key === "number" ? `[${key}]` : `${index > 0 ? "." : ""}${String(key)}`,
    )
    .join("");
}
