import type { ApiClient } from "./api-client.ts";

/** Says who an id is, as far as the staff list knows. */
export type NameOf = (id: string | null | undefined) => string;

/** Of a tenant's staff, also suspended ones. */
export async function staffNames(api: ApiClient): Promise<NameOf> {
  const { items } = await api.get<{ items: { id: string; name: string }[] }>("/staff");
  const names = new Map(items.map(({ id, name }) => [id, name]));
  return (id) => (id ? (names.get(id) ?? id) : "—");
}
