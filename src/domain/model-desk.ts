export interface ModelSnapshot {
  llmName: string;
  model: string;
  enabled: boolean;
  hasKey: boolean;
  /** Real time, milliseconds; null: it does not cool. */
  cooldownUntil: number | null;
  cause: string | null;
  inFlight: number;
  /** 0 to 1, of the operation that was asked for. */
  rating: number;
  verdicts: number;
}

/** The pool as it stands. The unit of its health is the key, not the model. */
export interface BrokerSnapshot {
  providersUsable: number;
  providersTotal: number;
  /** Less than two providers can be asked. */
  degraded: boolean;
  /** With what to do about each. */
  missingKeys: { ref: string; help: string }[];
  models: ModelSnapshot[];
}

/** What another list of models changes, by name. */
export interface CatalogChange {
  added: string[];
  changed: string[];
  removed: string[];
}

/** A model that works would be gone; nothing was changed. */
export class SyncRefusedError extends Error {
  override readonly name = "SyncRefusedError";
  /** Those that would be gone. */
  readonly models: readonly string[];
  constructor(models: readonly string[]) {
    const names = models.map((name) => `"${name}"`).join(", ");
    super(
      `the new list has no ${names}, which can still be called; nothing was changed: name what shall go in remove, or put it back`,
    );
    this.models = models;
  }
}

/** The models behind the bot, as the API shows and reloads them. */
export interface ModelDesk {
  /** Whose admins may reload: the pool is the installation's, not each tenant's. */
  ownTenant: string;
  snapshot(tenantId: string, operation: string): Promise<BrokerSnapshot>;
  /** See `ProductModels.readFile`. */
  readFile(remove: readonly string[]): Promise<CatalogChange>;
  /** MODELS_FILE; null: there is one model, that of OPENAI_BASE_URL. */
  file(): string | null;
}

/** From well to worse. `all_cooling`: one comes back by itself; `none`: nobody does. */
export const POOL_LEVELS = ["full", "degraded", "all_cooling", "none"] as const;

/** The pool got worse, or well again. */
export interface PoolChange {
  /** Whose keys it is about; null: everybody's. */
  scope: string | null;
  level: (typeof POOL_LEVELS)[number];
  /** A provider is a key, or a server without keys. */
  providersUsable: number;
  providersTotal: number;
}
