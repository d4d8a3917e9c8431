/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { Hono } from "hono";
import type { Answer, Refusal } from "./api-client.ts";
import { formField, settle } from "./change-form.ts";
import { CoachCard } from "./coach-card.tsx";
import type { Guards } from "./guard.ts";
import { renderPage } from "./layout.tsx";
import { ChangeForm, NotYours } from "./may.tsx";
import type { Page, PagesContext, PagesEnv } from "./page-context.ts";
import { linkTo, More, Refused } from "./parts.tsx";
import { QualityTabs } from "./quality-tabs.tsx";
import { COACH_PATH, type CoachProposal } from "./shown-coach.ts";
import { readStyles, type ShownStyle } from "./shown-style.ts";
import { staffNames } from "./staff-names.ts";

const STATUSES = ["pending", "accepted", "dismissed"] as const;
/** What replies count to that were written without a style; it need not be there. */
const NO_STYLE = { id: "default", name: "default" };

type Sent = CoachProposal & { version?: number };

/** What a model suggests for styles, and what people answer. */
export function coachPages(guards: Guards) {
  const routes = new Hono<PagesEnv>();
  routes.get("/", (c) => show(c, null));
  routes.post("/", async (c) => {
    const { t } = c.get("page");
    const form = await c.req.parseBody();
    const act = formField(form, "act");
    const answer = await send(c, act, (name) => formField(form, name));
    const { number: n = 0, version = 0 } = answer.ok ? answer.body : {};
    const notice = {
      ask: t("coach.asked", { n }),
      shadow: t("coach.started", { n }),
      accept: t("coach.accepted", { n, version }),
    }[act];
    return settle(c, guards, {
      answer,
      done: { path: COACH_PATH, notice: notice ?? t("coach.dismissed", { n }) },
      again: (error) => show(c, error),
    });
  });
  return routes;
}

function send(
  c: PagesContext,
  act: string,
  field: (name: string) => string,
): Promise<Answer<Sent>> {
  const { api } = c.get("page");
  const at = "/quality/coach/proposals";
  if (act === "ask") return api.send("POST", at, { styleId: field("style") });
  const one = `${at}/${encodeURIComponent(field("number"))}`;
  if (act === "shadow" || act === "accept") return api.send("POST", `${one}/${act}`);
  const note = field("note").trim();
  return api.send("POST", `${one}/dismiss`, note === "" ? {} : { note });
}

async function show(c: PagesContext, error: Refusal | null) {
  const page = c.get("page");
  const { api, t } = page;
  const status = c.req.query("status") ?? "pending";
  const query = { status, cursor: c.req.query("cursor") };
  const { items, next_cursor } = await api.get<{
    items: CoachProposal[];
    next_cursor: string | null;
  }>("/quality/coach/proposals", query);
  const { styles } = await readStyles(api);
  const names = await staffNames(api);
  const body = (
    <>
      <QualityTabs page={page} />
      <Refused error={error} title={t("refused.title")} />
      <AskForm page={page} styles={styles} />
      <nav class="filters" aria-label={t("approvals.byStatus")}>
        {STATUSES.map((one) => (
          <a
            class="chip"
            href={linkTo(COACH_PATH, { status: one })}
            aria-current={one === status ? "page" : undefined}
          >
            {t(`coachStatus.${one}`)}
          </a>
        ))}
      </nav>
      {items.length === 0 && <p class="empty">{t("list.empty")}</p>}
      {items.map((one) => (
        <CoachCard
          page={page}
          proposal={one}
          style={styles.find(({ id }) => id === one.style_id)}
          names={names}
        />
      ))}
      <More path={COACH_PATH} query={{ status }} cursor={next_cursor} label={t("list.more")} />
    </>
  );
  return c.html(renderPage(page, t("coach.tab"), body));
}

function AskForm({ page, styles }: { page: Page; styles: ShownStyle[] }) {
  const { t } = page;
  const isKnown = styles.some(({ id }) => id === NO_STYLE.id);
  const choices = isKnown ? styles : [...styles, NO_STYLE];
  const inUse = styles.find(({ is_active }) => is_active)?.id ?? NO_STYLE.id;
  return (
    <section class="card" aria-label={t("coach.ask")}>
      <p class="muted">{t("coach.askNote")}</p>
      <ChangeForm
        page={page}
        sends="POST /quality/coach/proposals"
        action={COACH_PATH}
        class="inline"
        label={t("coach.ask")}
        otherwise={<NotYours page={page} />}
      >
        <label class="field grow">
          <span>{t("style.style")}</span>
          <select name="style">
            {choices.map(({ id, name }) => (
              <option value={id} selected={id === inUse}>
                {name === id ? id : `${name} (${id})`}
              </option>
            ))}
          </select>
        </label>
        <button type="submit" name="act" value="ask" class="primary">
          {t("coach.ask")}
        </button>
      </ChangeForm>
    </section>
  );
}
