/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { ApiRefusal, SessionEnded } from "./api-client.ts";
import { chooseLanguage, textsOf } from "./language.ts";
import { renderDocument, renderPage } from "./layout.tsx";
import type { PageFrame, PagesContext, PagesDeps } from "./page-context.ts";
import { Refused } from "./parts.tsx";

/** A change that no form of this session asked for. */
export class Forbidden extends Error {
  override readonly name = "Forbidden";
  readonly why: "csrf" | "origin";
  constructor(why: "csrf" | "origin") {
    super(`a change was refused: ${why}`);
    this.why = why;
  }
}

/** A refusal becomes a page that says it; an ended session leads to the log-in; the rest is a bug. */
export function explainErrors({ log }: Pick<PagesDeps, "log">) {
  return (error: Error, c: PagesContext): Response | Promise<Response> => {
    if (error instanceof SessionEnded) return c.redirect("/admin/log-in?ended=1", 303);
    const { t } = frameOf(c);
    if (error instanceof ApiRefusal)
      return refusal(c, error.status as ContentfulStatusCode, error.message); // of an answer
    if (error instanceof Forbidden) return refusal(c, 403, t(`refused.${error.why}`));
    log.error({ cause: error.message, stack: error.stack, path: c.req.path }, "a page failed");
    return refusal(c, 500, t("refused.internal"));
  };
}

/** 404 for a path that no page has. */
export function missingPage(c: PagesContext): Response | Promise<Response> {
  return refusal(c, 404, frameOf(c).t("refused.missing"));
}

/** 413 */
export function refuseLargeBody(c: PagesContext): Response | Promise<Response> {
  return refusal(c, 413, frameOf(c).t("refused.large"));
}

function refusal(c: PagesContext, status: ContentfulStatusCode, message: string) {
  const page = c.get("page");
  const frame = frameOf(c);
  const { t } = frame;
  const body = (
    <>
      <Refused error={{ code: "", message }} title={t("refused.title")} />
      <p>
        <a href="/admin">{t("refused.home")}</a>
      </p>
    </>
  );
  const title = t("refused.heading", { status });
  return c.html(
    page ? renderPage(page, title, body) : renderDocument(frame, { title, body }),
    status,
  );
}

function frameOf(c: PagesContext): PageFrame {
  const language = chooseLanguage(undefined, c.req.header("accept-language"));
  const blank = {
    path: "/admin",
    language,
    t: textsOf(language),
    csrf: "",
    notice: null,
    playground: false,
  };
  return c.get("frame") ?? blank;
}
