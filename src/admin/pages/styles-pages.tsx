/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { Hono } from "hono";
import type { StyleSkill } from "../../domain/style.ts";
import type { Refusal } from "./api-client.ts";
import { formField, settle } from "./change-form.ts";
import { coachPages } from "./coach-pages.tsx";
import type { Guards } from "./guard.ts";
import { renderPage } from "./layout.tsx";
import { may, NotYours } from "./may.tsx";
import type { PagesContext, PagesEnv } from "./page-context.ts";
import { linkTo, Refused } from "./parts.tsx";
import { QualityTabs } from "./quality-tabs.tsx";
import { readStyles } from "./shown-style.ts";
import { staffNames } from "./staff-names.ts";
import {
  BLANK_STYLE,
  fieldsOfStyle,
  readStyleForm,
  type StyleFields,
  textOf,
} from "./style-fields.ts";
import { StyleForm } from "./style-form.tsx";
import { Skills, StyleTable, Use, VersionTable } from "./style-parts.tsx";

const PATH = "/admin/styles";

/** What was refused, with the fields it was typed in. */
interface Typed {
  error: Refusal;
  style?: StyleFields;
  skill?: StyleSkill;
}

/** How replies read: styles, their versions, and the texts that they may have attached. */
export function stylePages(guards: Guards) {
  const routes = new Hono<PagesEnv>();
  routes.route("/coach", coachPages(guards));
  routes.get("/", (c) => {
    const id = c.req.query("style");
    return id === undefined ? showAll(c, null) : showOne(c, id, null);
  });
  routes.post("/", async (c) => {
    const form = await c.req.parseBody();
    const act = formField(form, "act");
    if (act === "skill") return saveSkill(c, guards, form);
    return act === "activate" ? activate(c, guards, form) : saveStyle(c, guards, form);
  });
  return routes;
}

type FormData = Record<string, unknown>;

async function saveStyle(c: PagesContext, guards: Guards, form: FormData) {
  const { api, t } = c.get("page");
  const style = readStyleForm(form);
  const { id, ...body } = style;
  const answer = await api.send("PUT", `/quality/styles/${segmentOf(id)}`, body);
  return settle(c, guards, {
    answer,
    done: { path: linkTo(PATH, { style: id }), notice: t("style.saved") },
    again: (error) =>
      formField(form, "form") === "add"
        ? showAll(c, { error, style })
        : showOne(c, id, { error, style }),
  });
}

async function activate(c: PagesContext, guards: Guards, form: FormData) {
  const { api, t } = c.get("page");
  const [id, n] = [formField(form, "id"), formField(form, "version")];
  const path = `/quality/styles/${segmentOf(id)}/versions/${segmentOf(n)}/activate`;
  return settle(c, guards, {
    answer: await api.send("POST", path),
    done: { path: linkTo(PATH, { style: id }), notice: t("style.activated", { n }) },
    again: (error) => showOne(c, id, { error }),
  });
}

async function saveSkill(c: PagesContext, guards: Guards, form: FormData) {
  const { api, t } = c.get("page");
  const skill = { id: formField(form, "id").trim(), text: textOf(form.text) };
  const { id, text } = skill;
  return settle(c, guards, {
    answer: await api.send("PUT", `/quality/skills/${segmentOf(id)}`, { text }),
    done: { path: PATH, notice: t("style.skillSaved") },
    again: (error) => showAll(c, { error, skill }),
  });
}

/** Nothing at all would be another route: the API is to say that it is no name. */
function segmentOf(text: string): string {
  return encodeURIComponent(text || " ");
}

async function showAll(c: PagesContext, typed: Typed | null) {
  const page = c.get("page");
  const { api, t } = page;
  const { styles, skills } = await readStyles(api);
  const body = (
    <>
      <QualityTabs page={page} />
      <Refused error={typed?.error ?? null} title={t("refused.title")} />
      <p class="muted">{t("style.what")}</p>
      <StyleTable page={page} styles={styles} />
      {may(page.me, "PUT /quality/styles/:id") ? (
        <details class="card" open={typed?.style !== undefined}>
          <summary>{t("style.add")}</summary>
          <StyleForm page={page} fields={typed?.style ?? BLANK_STYLE} skills={skills} isNew />
        </details>
      ) : (
        <NotYours page={page} />
      )}
      <Skills page={page} skills={skills} typed={typed?.skill ?? null} />
    </>
  );
  return c.html(renderPage(page, t("style.tab"), body));
}

async function showOne(c: PagesContext, id: string, typed: Typed | null) {
  const page = c.get("page");
  const { api, t } = page;
  const { styles, skills } = await readStyles(api);
  const style = styles.find((one) => one.id === id);
  if (!style) return c.notFound();
  const names = await staffNames(api);
  const body = (
    <>
      <QualityTabs page={page} />
      <Refused error={typed?.error ?? null} title={t("refused.title")} />
      <p class="tags">
        <Use page={page} isActive={style.is_active} />
        <a href={PATH}>{t("style.all")}</a>
      </p>
      {may(page.me, "PUT /quality/styles/:id") ? (
        <section class="card" aria-label={t("style.one", { id })}>
          <StyleForm
            page={page}
            fields={typed?.style ?? fieldsOfStyle(style)}
            skills={skills}
            isNew={false}
          />
        </section>
      ) : (
        <NotYours page={page} />
      )}
      <VersionTable page={page} style={style} names={names} />
    </>
  );
  return c.html(renderPage(page, t("style.one", { id }), body));
}
