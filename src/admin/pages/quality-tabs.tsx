/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import type { Page } from "./page-context.ts";
import type { TextKey } from "./texts-en.ts";

const TABS: [path: string, text: TextKey][] = [
  ["/admin/quality", "quality.review"],
  ["/admin/quality/proposals", "quality.proposals"],
  ["/admin/quality/cases", "quality.cases"],
  ["/admin/styles", "style.tab"],
  ["/admin/styles/coach", "coach.tab"],
  ["/admin/evals", "evals.tab"],
];

/** Stands on each page of the section. */
export function QualityTabs({ page: { t, path } }: { page: Page }) {
  return (
    <nav class="filters" aria-label={t("nav.quality")}>
      {TABS.map(([href, text]) => (
        <a class="chip" href={href} aria-current={currentOf(path, href)}>
          {t(text)}
        </a>
      ))}
    </nav>
  );
}

function currentOf(path: string, href: string): "page" | "true" | undefined {
  if (path === href) return "page";
  return TABS.every(([other]) => other !== path) && path.startsWith(`${href}/`)
    ? "true"
    : undefined;
}
