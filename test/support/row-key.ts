import type { Database } from "../../src/store/database.ts";
import { bindRowKey, rowKeyOf } from "../../src/store/row-mac.ts";

/** Of every database that tests open by themselves; apps that they start have their own. */
export const TEST_ROW_KEY = rowKeyOf(Buffer.alloc(32, 9));

export function withTestKey(database: Database): Database {
  bindRowKey(database.db, TEST_ROW_KEY);
  return database;
}
