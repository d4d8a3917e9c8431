/**
 * PostgreSQL refuses U+0000 and lone surrogates in text and jsonb. They carry no meaning: dropped
 * or replaced at every depth, so that one bad text never blocks a queue.
 */
export function storable<T>(value: T): T {
  return clean(value) as T; // the same shape with cleaned strings
}

function clean(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("\0", "").toWellFormed();
  if (Array.isArray(value)) return value.map(clean);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [clean(key), clean(field)]),
  );
}
