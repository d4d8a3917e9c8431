import { type CatalogChange, SyncRefusedError } from "../../domain/model-desk.ts";
import type { AttemptRow } from "./journal.ts";
import type { ModelEntry } from "./models-file.ts";

/** Where the attempts stand; of the whole pool, whatever the scope. */
interface Journal {
  calls(query: { since?: number; limit?: number }): Promise<AttemptRow[]>;
}

const LOOKED_AT = 1_000;
/** So an endpoint says that a model, or the right to it, is gone. */
const GONE = new Set([401, 403, 404]);

/**
 * What the new list changes. One that can be called may go only when `remove` names it, or when it
 * has answered nothing but 401, 403 or 404 lately. A model that stands under another name with the
 * same endpoint was replaced. Throws SyncRefusedError.
 */
export async function changeOf(
  journal: Journal,
  given: {
    before: readonly ModelEntry[];
    after: readonly ModelEntry[];
    remove: readonly string[];
  },
): Promise<CatalogChange> {
  const { before, after, remove } = given;
  const names = new Set(after.map(({ name }) => name));
  const gone = before.filter(({ name }) => !names.has(name));
  const unnamed = gone.filter(
    (one) => one.enabled && !remove.includes(one.name) && !isReplaced(one, after),
  );
  const rows = unnamed.length > 0 ? await journal.calls({ limit: LOOKED_AT }) : [];
  const alive = unnamed.filter(
    ({ name }) => !isProvenDead(rows.filter((row) => row.llmName === name)),
  );
  if (alive.length > 0) throw new SyncRefusedError(alive.map(({ name }) => name));
  const old = new Map(before.map((entry) => [entry.name, JSON.stringify(entry)]));
  return {
    added: after.filter(({ name }) => !old.has(name)).map(({ name }) => name),
    changed: after
      .filter((entry) => old.has(entry.name) && old.get(entry.name) !== JSON.stringify(entry))
      .map(({ name }) => name),
    removed: gone.map(({ name }) => name),
  };
}

/** Another account of the same model is another one. */
function isReplaced(
  { baseUrl, model, apiKeyRef }: ModelEntry,
  after: readonly ModelEntry[],
): boolean {
  return after.some(
    (one) => one.baseUrl === baseUrl && one.model === model && one.apiKeyRef === apiKeyRef,
  );
}

function isProvenDead(rows: readonly AttemptRow[]): boolean {
  const said = rows.filter(({ status }) => status !== "superseded");
  return said.length > 0 && said.every(({ httpStatus }) => GONE.has(httpStatus ?? 0));
}
