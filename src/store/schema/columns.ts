import { customType, text } from "drizzle-orm/pg-core";

/** Milliseconds since the epoch in code, timestamptz in the database. Always from `Clock`. */
export const instant = customType<{ data: number; driverData: string }>({
  dataType: () => "timestamptz(3)",
  toDriver: (ms) => new Date(ms).toISOString(),
  fromDriver: (value) => new Date(value).getTime(),
});

/** A UUID made by `newId`. */
export const id = () => text("id").primaryKey();
export const tenantId = () => text("tenant_id").notNull();
/** Keyed hash of the row's meaning (hex): a row that the product did not write is not believed. */
export const mac = () => text("mac").notNull().default("");
