import { createMiddleware } from "hono/factory";
import { UserError } from "../domain/errors.ts";
import type { AdminEnv } from "./context.ts";
import { notFound } from "./error-response.ts";

/** As an address may write it; what is escaped twice is read as plain text. */
const NUL = /%00|\0/;

/** No id and no text of a row holds NUL, and a query with one fails in the database. */
export function refuseNul() {
  return createMiddleware<AdminEnv>(async (c, next) => {
    const [path = "", query = ""] = c.req.url.split("?", 2);
    if (NUL.test(path)) throw notFound("row whose id holds a NUL character (%00)");
    if (NUL.test(query))
      throw new UserError("invalid", "The query holds a NUL character (%00); leave it out");
    await next();
  });
}
