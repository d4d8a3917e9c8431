/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { Hono } from "hono";
import type { ReplayedTurn } from "../../domain/quality.ts";
import type { Refusal } from "./api-client.ts";
import { formField, settle } from "./change-form.ts";
import type { Guards } from "./guard.ts";
import { renderPage } from "./layout.tsx";
import type { PagesContext, PagesEnv } from "./page-context.ts";
import { Facts, linkTo, Named, Refused } from "./parts.tsx";
import { ReplayForm } from "./replay-form.tsx";
import { TurnCard } from "./replay-turn.tsx";
import { wishOf } from "./replay-wish.ts";

const PATH = "/admin/replays";

/** GET /quality/replays/:id */
interface Replay {
  id: string;
  conversation_id: string;
  /** Empty: no model was asked. */
  model_id: string;
  rules: "in_force" | "given";
  turns: ReplayedTurn[];
  different: number;
}

/** A recorded conversation under other rules or another model, side by side. */
export function replayPages(guards: Guards) {
  const routes = new Hono<PagesEnv>();
  routes.post("/", async (c) => {
    const { api, t } = c.get("page");
    const form = await c.req.parseBody();
    const again = (error: Refusal) => askAgain(c, form, error);
    const wish = wishOf((name) => formField(form, name));
    if ("refused" in wish) {
      c.status(400);
      const message =
        wish.refused === "name" ? t("replay.noName") : `${t("policies.badJson")}: ${wish.message}`;
      return again({ code: "invalid", message });
    }
    const answer = await api.send<Replay>("POST", "/quality/replays", wish.body);
    const path = answer.ok ? `${PATH}/${answer.body.id}` : PATH;
    return settle(c, guards, { answer, done: { path, notice: t("replay.made") }, again });
  });
  routes.get("/:id", show);
  return routes;
}

async function show(c: PagesContext) {
  const page = c.get("page");
  const { api, t } = page;
  const id = encodeURIComponent(c.req.param("id") ?? "");
  const replay = await api.get<Replay>(`/quality/replays/${id}`);
  const isOnly = c.req.query("show") === "different";
  const turns = replay.turns
    .map((turn, index) => ({ turn, n: index + 1 }))
    .filter(({ turn }) => !isOnly || !turn.same);
  const path = `${PATH}/${replay.id}`;
  const conversation = `/admin/conversations/${replay.conversation_id}`;
  const sum = t("replay.sum", { n: replay.different, m: replay.turns.length });
  const body = (
    <>
      <section class="card" aria-label={t("replay.form")}>
        <p class="verdict">{sum}</p>
        <Facts
          items={[
            [
              t("approvals.conversation"),
              <a href={conversation}>{t("approvals.openConversation")}</a>,
            ],
            [t("replay.rules"), t(`replay.${replay.rules === "given" ? "given" : "inForce"}Then`)],
            [
              t("replay.asked"),
              replay.model_id ? <Named text={replay.model_id} /> : t("replay.nobody"),
            ],
          ]}
        />
      </section>
      <nav class="filters" aria-label={t("replay.which")}>
        <a class="chip" href={path} aria-current={isOnly ? undefined : "page"}>
          {t("replay.all")}
        </a>
        <a
          class="chip"
          href={linkTo(path, { show: "different" })}
          aria-current={isOnly ? "page" : undefined}
        >
          {t("replay.only")}
        </a>
      </nav>
      {turns.length === 0 && <p class="empty">{t("list.empty")}</p>}
      {turns.map(({ turn, n }) => (
        <TurnCard page={page} turn={turn} n={n} />
      ))}
      <ReplayForm
        page={page}
        conversationId={replay.conversation_id}
        title={t("replay.once")}
        typed={null}
      />
    </>
  );
  return c.html(renderPage(page, t("replay.form"), body));
}

/** The form alone, with what was typed. */
function askAgain(c: PagesContext, form: Record<string, unknown>, error: Refusal) {
  const page = c.get("page");
  const { t } = page;
  const typed = Object.fromEntries(Object.keys(form).map((name) => [name, formField(form, name)]));
  const conversationId = typed.conversation_id ?? "";
  const body = (
    <>
      <Refused error={error} title={t("refused.title")} />
      <ReplayForm
        page={page}
        conversationId={conversationId}
        title={t("replay.form")}
        typed={typed}
      />
      <p>
        <a href={`/admin/conversations/${encodeURIComponent(conversationId)}`}>
          {t("approvals.openConversation")}
        </a>
      </p>
    </>
  );
  return c.html(renderPage(page, t("replay.form"), body));
}
