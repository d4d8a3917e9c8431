/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { Hono } from "hono";
import { setCookie } from "hono/cookie";
import { ApiRefusal, createApiClient, SessionEnded } from "./api-client.ts";
import { formField } from "./change-form.ts";
import { cookieOf, dropSession, type Guards, keepSession, LANGUAGE } from "./guard.ts";
import { renderDocument } from "./layout.tsx";
import type { Me, PageFrame, PagesContext, PagesEnv } from "./page-context.ts";
import { Form, Refused } from "./parts.tsx";

const YEAR_S = 365 * 86_400;

/** Log-in, log-out, choice of language and tenant: all that works before a token is known. */
export function entryRoutes(guards: Guards) {
  const routes = new Hono<PagesEnv>();
  routes.get("/log-in", (c) => {
    if (isLostToStrictness(c)) return reloadFromHere(c);
    const ended = c.req.query("ended") ? c.get("frame").t("logIn.ended") : null;
    if (c.get("session")?.token && !ended) return c.redirect(ownPath(c.req.query("next")), 303);
    return showForm(c, guards, { problem: ended, next: c.req.query("next") });
  });
  routes.post("/log-in", async (c) => logIn(c, guards));
  routes.post("/log-out", (c) => {
    dropSession(c);
    return c.redirect("/admin/log-in", 303);
  });
  routes.post("/tenant", async (c) => {
    const form = await c.req.parseBody();
    const tenant = formField(form, "tenant");
    const session = c.get("session");
    if (!session?.token) return c.redirect("/admin/log-in", 303);
    // refused by the API: the session stays with the tenant it has
    await createApiClient(guards.api, { token: session.token, tenant }).get<Me>("/me");
    keepSession(c, guards, { ...session, tenant });
    return c.redirect("/admin", 303);
  });
  routes.get("/language", (c) => {
    const to = c.req.query("to") === "ru" ? "ru" : "en";
    setCookie(c, LANGUAGE, to, { ...cookieOf(c, guards), maxAge: YEAR_S });
    return c.redirect(ownPath(c.req.query("back")), 303);
  });
  return routes;
}

async function logIn(c: PagesContext, guards: Guards): Promise<Response> {
  const { t } = c.get("frame");
  const form = await c.req.parseBody();
  const [token, next] = [formField(form, "token").trim(), formField(form, "next")];
  const waitS = await guards.limit.take(c.env.address);
  if (waitS !== null) {
    c.status(429);
    c.header("Retry-After", String(waitS));
    return showForm(c, guards, { next, problem: t("logIn.tooMany", { s: waitS }) });
  }
  const home = await homeOf(guards, token);
  if (!home) {
    c.status(401);
    return showForm(c, guards, { next, problem: t("logIn.wrong") });
  }
  await guards.limit.giveBack(c.env.address);
  // another id: one that somebody knew before the log-in is worth nothing after it
  keepSession(c, guards, { ...guards.seal.start(token, guards.clock.now()), ...home });
  return c.redirect(ownPath(next), 303);
}

/** Where the token's holder begins; null: the token opens nothing. */
async function homeOf({ api }: Guards, token: string): Promise<{ tenant: string | null } | null> {
  if (!/^[\x21-\x7e]+$/.test(token)) return null;
  const client = createApiClient(api, { token, tenant: null });
  try {
    await client.get<Me>("/me");
    return { tenant: null };
  } catch (error) {
    if (error instanceof SessionEnded) return null;
    if (!(error instanceof ApiRefusal) || error.status !== 404) throw error;
    // ADMIN_TOKEN where no tenant is called "default"
    const { items } = await client.get<{ items: { id: string }[] }>("/tenants");
    if (!items[0]) throw error;
    return { tenant: items[0].id };
  }
}

/** The form needs a session of its own, so that nobody else can log a browser in. */
function showForm(
  c: PagesContext,
  guards: Guards,
  { problem, next = "" }: { problem: string | null; next?: string | undefined },
) {
  const now = guards.clock.now();
  const known = c.get("session");
  const session = known && !known.token ? known : guards.seal.start(null, now);
  if (session !== known) keepSession(c, guards, session);
  const frame: PageFrame = { ...c.get("frame"), csrf: guards.seal.csrfOf(session) };
  const { t } = frame;
  const body = (
    <Form frame={frame} action="/admin/log-in" class="card narrow">
      <Refused error={problem ? { code: "", message: problem } : null} title="" />
      <p>{t("logIn.which")}</p>
      <label class="field">
        <span>{t("logIn.token")}</span>
        <input
          type="password"
          name="token"
          autocomplete="current-password"
          required
          spellcheck={false}
        />
      </label>
      <input type="hidden" name="next" value={next} />
      <button type="submit" class="primary">
        {t("logIn.submit")}
      </button>
      <p class="muted">
        {t("logIn.how")} <code>npm run tokens -- create --staff ID</code>
      </p>
    </Form>
  );
  return c.html(renderDocument(frame, { title: t("logIn.title"), body }));
}

/** A link in a messenger brings no strict cookie along; a second look from our own page does. */
function isLostToStrictness(c: PagesContext): boolean {
  return c.get("session") === null && c.req.header("sec-fetch-site") === "cross-site";
}

function reloadFromHere(c: PagesContext) {
  const back = ownPath(c.req.query("next"));
  const body = (
    <p>
      <a href={back}>{c.get("frame").t("logIn.goOn")}</a>
    </p>
  );
  c.header("Refresh", `0; url=${back}`);
  return c.html(renderDocument(c.get("frame"), { title: "Countersign", body }));
}

/** Only a path of these pages: nobody is led elsewhere after the log-in. */
function ownPath(path: string | undefined): string {
  return path && /^\/admin(?:[/?]|$)[\x21-\x7e]*$/.test(path) && !path.includes("\\")
    ? path
    : "/admin";
}
