import { customType } from "drizzle-orm/pg-core";

/** Both drivers give bytes in their own dress (Buffer, Uint8Array); code sees a Buffer. */
export const bytea = customType<{ data: Buffer; driverData: Uint8Array }>({
  dataType: () => "bytea",
  toDriver: (bytes) => bytes,
  fromDriver: (value) => Buffer.from(value),
});
