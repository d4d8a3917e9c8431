/** What `JSON.parse` gives and jsonb holds; `undefined` is no value of it. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
/** Two with other key orders are equal: compare by `canonicalJson`, never by text. */
export type JsonObject = { [key: string]: Json };

/** Keys sorted at every depth, no spaces: equal values give equal text. */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
  return `{${fields.join(",")}}`;
}
