/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { html } from "hono/html";
import type { Child } from "hono/jsx";
import type { Page, PageFrame } from "./page-context.ts";
import { Form, linkTo, Named } from "./parts.tsx";
import type { TextKey } from "./texts-en.ts";
import { visibleText } from "./visible-text.ts";

/** Some sections have pages elsewhere, too. */
const SECTIONS: [path: string, text: TextKey, also?: string[]][] = [
  ["/admin/tools", "nav.tools"],
  ["/admin/approvals", "nav.approvals"],
  ["/admin/conversations", "nav.conversations", ["/admin/replays"]],
  ["/admin/quality", "nav.quality", ["/admin/styles", "/admin/evals"]],
  ["/admin/policies", "nav.policies"],
  ["/admin/usage", "nav.usage"],
  ["/admin/audit", "nav.audit"],
];

/** A whole page for somebody who is logged in. */
export function renderPage(page: Page, title: string, body: Child) {
  return renderDocument(page, {
    title,
    top: (
      <>
        <Sections page={page} />
        <Person page={page} />
      </>
    ),
    body,
  });
}

/** A page without the sections, for log-in and refusals. */
export function renderDocument(
  frame: PageFrame,
  { title, top, body }: { title: string; top?: Child; body: Child },
) {
  const { t, language, notice, playground } = frame;
  const document = (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${visibleText(title)} · Countersign`}</title>
        <link rel="icon" type="image/svg+xml" href="/admin/assets/icon.svg" />
        <link rel="stylesheet" href="/admin/assets/base.css" />
        <link rel="stylesheet" href="/admin/assets/admin.css" />
        <link rel="stylesheet" href="/admin/assets/lab.css" />
        <link rel="stylesheet" href="/admin/assets/usage.css" />
        <script type="module" src="/admin/assets/admin.js" />
      </head>
      <body>
        <a class="skip" href="#content">
          {t("layout.skip")}
        </a>
        <header class="top">
          <p class="brand">
            <img src="/admin/assets/icon.svg" alt="" width="28" height="28" />
            <span>Countersign</span>
          </p>
          {top}
          <OtherLanguage frame={frame} />
        </header>
        <main id="content" tabindex={-1}>
          <h1>
            <Named text={title} />
          </h1>
          {notice && (
            <p class="notice" role="status">
              <Named text={notice} />
            </p>
          )}
          {body}
        </main>
        <footer class="foot">
          {t("layout.utc")} {playground && <a href="/sandbox">{t("layout.playground")}</a>}
        </footer>
      </body>
    </html>
  );
  return html`<!doctype html>${document}`;
}

function Sections({ page: { t, path } }: { page: Page }) {
  return (
    <nav aria-label={t("layout.sections")}>
      <ul>
        {SECTIONS.map(([href, text, also = []]) => (
          <li>
            <a href={href} aria-current={currentOf(path, [href, ...also])}>
              {t(text)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function currentOf(path: string, [href, ...also]: string[]): "page" | "true" | undefined {
  if (path === href) return "page";
  const isWithin = (one: string | undefined) => path === one || path.startsWith(`${one}/`);
  return [href, ...also].some(isWithin) ? "true" : undefined;
}

function Person({ page }: { page: Page }) {
  const { t, me, tenants } = page;
  return (
    <div class="person">
      {tenants.length > 1 && (
        <Form frame={page} action="/admin/tenant" class="tenant">
          <label>
            <span class="hidden">{t("layout.tenant")}</span>
            <select name="tenant">
              {tenants.map(({ id, name }) => (
                <option value={id} selected={id === me.tenant_id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <button type="submit" class="small">
            {t("layout.choose")}
          </button>
        </Form>
      )}
      <span class="who">
        {me.kind === "setup" ? "ADMIN_TOKEN" : <Named text={me.name ?? ""} />}
        {me.role && <small> {t.word("role", me.role)}</small>}
      </span>
      <Form frame={page} action="/admin/log-out">
        <button type="submit" class="small">
          {t("layout.logOut")}
        </button>
      </Form>
    </div>
  );
}

function OtherLanguage({ frame: { language, path, t } }: { frame: PageFrame }) {
  const other = language === "ru" ? "en" : "ru";
  return (
    <a
      class="language"
      href={linkTo("/admin/language", { to: other, back: path })}
      hreflang={other}
      lang={other}
      rel="nofollow"
    >
      {t("layout.otherLanguage")}
    </a>
  );
}
