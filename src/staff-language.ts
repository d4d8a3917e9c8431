import { DEFAULT_TENANT, staffLanguage } from "./bootstrap.ts";
import type { Language } from "./domain/language.ts";
import type { Db } from "./store/db.ts";

/** What the staff read cards and messages in, as it is now: an admin may change it at any time. */
export interface StaffLanguage {
  now(): Language;
  /** An office said that its language is this one. */
  heard(office: { tenantId: string; language: Language }): void;
  /** Reads it anew. */
  read(): Promise<void>;
}

/** One installation has one language for its cards: the default tenant's. */
export async function createStaffLanguage(db: Db): Promise<StaffLanguage> {
  let current = await staffLanguage(db);
  let told = 0;
  return {
    now: () => current,
    heard({ tenantId, language }) {
      if (tenantId !== DEFAULT_TENANT) return;
      told += 1;
      current = language;
    },
    async read() {
      const before = told;
      const found = await staffLanguage(db);
      if (told === before) current = found; // what was said meanwhile is newer
    },
  };
}
