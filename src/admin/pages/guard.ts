import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { createMiddleware } from "hono/factory";
import { createApiClient } from "./api-client.ts";
import { chooseLanguage, textsOf } from "./language.ts";
import type { LogInLimit } from "./log-in-limit.ts";
import type { Me, Page, PagesContext, PagesDeps, PagesEnv } from "./page-context.ts";
import { Forbidden } from "./refusal-page.tsx";
import { SESSION_MS, type Session, type SessionSeal } from "./session.ts";

/** What requests are guarded with. */
export interface Guards extends PagesDeps {
  seal: SessionSeal;
  limit: LogInLimit;
}

const SESSION = "countersign_session";
const NOTICE = "countersign_notice";
export const LANGUAGE = "countersign_language";
const NOTICE_S = 60;

/** Nothing but this server's own files, no inline script or style, no frame around the page. */
const HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; "),
  "X-Frame-Options": "DENY",
  "X-Content-Type-Options": "nosniff",
  // "no-referrer" would take the Origin from our own forms, too
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cache-Control": "no-store",
};

/** Headers, language and the session's cookie. */
export function framePages(guards: Guards) {
  return createMiddleware<PagesEnv>(async (c, next) => {
    const { seal, clock } = guards;
    for (const [name, value] of Object.entries(HEADERS)) c.header(name, value);
    const language = chooseLanguage(getCookie(c, LANGUAGE), c.req.header("accept-language"));
    const session = seal.read(getCookie(c, SESSION), clock.now());
    c.set("session", session);
    c.set("frame", {
      path: c.req.path,
      language,
      t: textsOf(language),
      csrf: session ? seal.csrfOf(session) : "",
      notice: null,
      playground: guards.playground ?? false,
    });
    await next();
  });
}

/** A change from anywhere but a form of the session is refused. */
export function refuseForgeries({ seal, publicUrl }: Guards) {
  return createMiddleware<PagesEnv>(async (c, next) => {
    if (c.req.method !== "GET" && c.req.method !== "HEAD") {
      refuseOtherOrigin(c, publicUrl);
      const session = c.get("session");
      if (!session) return c.redirect("/admin/log-in", 303);
      const { csrf } = await c.req.parseBody();
      if (typeof csrf !== "string" || !seal.isCsrfOf(session, csrf)) throw new Forbidden("csrf");
    }
    await next();
  });
}

/** Asks the API who holds the token, at every request: a revoked one ends the session at once. */
export function loadPage(guards: Guards) {
  return createMiddleware<PagesEnv>(async (c, next) => {
    const session = c.get("session");
    if (!session?.token) {
      const query = new URL(c.req.url).search;
      const next = c.req.method === "GET" ? encodeURIComponent(c.req.path + query) : "";
      return c.redirect(`/admin/log-in${next && `?next=${next}`}`, 303);
    }
    const { token, tenant } = session;
    const api = createApiClient(guards.api, { token, tenant });
    const me = await api.get<Me>("/me");
    const { items } = await api.get<{ items: Page["tenants"] }>("/tenants");
    const notice = takeNotice(c, guards);
    const tenants = me.kind === "setup" ? items : [];
    c.set("page", { ...c.get("frame"), api, me, tenants, notice });
    await next();
  });
}

/** To a page after a change, which says what came of it. */
export function redirectWith(
  c: PagesContext,
  guards: Guards,
  to: { path: string; notice: string },
) {
  setCookie(c, NOTICE, guards.seal.writeNotice(to.notice), {
    ...cookieOf(c, guards),
    maxAge: NOTICE_S,
  });
  return c.redirect(to.path, 303);
}

/** The browser keeps it for as long as it is good for; scripts cannot read it. */
export function keepSession(c: PagesContext, guards: Guards, session: Session): void {
  const maxAge = SESSION_MS / 1000;
  setCookie(c, SESSION, guards.seal.write(session), { ...cookieOf(c, guards), maxAge });
}

export function dropSession(c: PagesContext): void {
  deleteCookie(c, SESSION, { path: "/admin" });
}

/** `Secure` also behind a proxy that speaks https, when PUBLIC_URL says so. */
export function cookieOf(c: Context, { publicUrl }: Pick<PagesDeps, "publicUrl">) {
  const secure = new URL(c.req.url).protocol === "https:" || /^https:/i.test(publicUrl ?? "");
  return { path: "/admin", httpOnly: true, sameSite: "Strict", secure } as const;
}

function takeNotice(c: PagesContext, { seal }: Guards): string | null {
  const cookie = getCookie(c, NOTICE);
  if (cookie === undefined || c.req.method !== "GET") return null;
  deleteCookie(c, NOTICE, { path: "/admin" });
  return seal.readNotice(cookie);
}

/** Browsers name the origin of every POST. Behind a proxy only the host is sure to be the same. */
function refuseOtherOrigin(c: PagesContext, publicUrl: string | null | undefined): void {
  const origin = URL.parse(c.req.header("origin") ?? "");
  const own = [
    new URL(c.req.url).host,
    c.req.header("host"),
    publicUrl && URL.parse(publicUrl)?.host,
  ];
  if (!origin || !own.includes(origin.host)) throw new Forbidden("origin");
}
