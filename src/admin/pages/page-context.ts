import type { Context } from "hono";
import type { Clock } from "../../lib/clock.ts";
import type { Secrets } from "../../store/secrets.ts";
import type { ApiClient } from "./api-client.ts";
import type { PageLanguage, Texts } from "./language.ts";
import type { Session } from "./session.ts";

/** What the pages are made of. They read no database: the API is asked with the person's token. */
export interface PagesDeps {
  api(request: Request): Promise<Response>;
  secrets: Pick<Secrets, "seal" | "open" | "fingerprint">;
  clock: Clock;
  /** Where people reach the installation; left out: at the address the request names. */
  publicUrl?: string | null;
  /** There is a page of the sandbox to lead to. */
  playground?: boolean;
  log: { error(details: object, message: string): void };
}

/** Who holds the session's token, as the API tells it. */
export interface Me {
  kind: "setup" | "personal";
  tenant_id: string;
  tenant_state: "setup" | "open";
  staff_id: string | null;
  name: string | null;
  role: "operator" | "admin" | null;
}

/** What every page is made with. */
export interface PageFrame {
  /** Of the page, without the query. */
  path: string;
  language: PageLanguage;
  t: Texts;
  csrf: string;
  /** What the last change came to; shown once. */
  notice: string | null;
  /** There is a page of the sandbox to lead to. */
  playground: boolean;
}

/** The same for somebody who is logged in. */
export interface Page extends PageFrame {
  api: ApiClient;
  me: Me;
  /** Tenants that the token may look at. */
  tenants: { id: string; name: string }[];
}

/** Hono's types for what the middlewares hand on. */
export interface PagesEnv {
  Bindings: { address: string };
  Variables: { frame: PageFrame; session: Session | null; page: Page };
}

/** One request for a page. */
export type PagesContext = Context<PagesEnv>;
