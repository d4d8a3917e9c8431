/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { Hono } from "hono";
import type { Answer, Refusal } from "./api-client.ts";
import { formField, settle } from "./change-form.ts";
import type { Guards } from "./guard.ts";
import { renderPage } from "./layout.tsx";
import { ChangeForm, may, NotYours } from "./may.tsx";
import type { Page, PagesContext, PagesEnv } from "./page-context.ts";
import { linkTo, Named, Refused, Table, Tag } from "./parts.tsx";
import { riskTone } from "./tones.ts";

interface Tool {
  name: string;
  title: string;
  risk: string;
  side_effect: string;
  schema_version: number;
  offered: boolean;
  is_active: boolean;
  enabled: boolean;
}

interface Booking {
  enabled: boolean;
  url: string | null;
}

/** What was sent and refused, shown again. */
interface Attempt {
  error: Refusal;
  url: string;
}

/** Which tools a model is offered, and the link for calls. */
export function toolPages(guards: Guards) {
  const routes = new Hono<PagesEnv>();
  routes.get("/", (c) => show(c, null));
  routes.post("/", async (c) => {
    const { api, t } = c.get("page");
    const form = await c.req.parseBody();
    const url = formField(form, "url");
    const [answer, notice] = await act(api, {
      act: formField(form, "act"),
      url,
      name: formField(form, "name"),
    });
    return settle(c, guards, {
      answer,
      done: { path: "/admin/tools", notice: t(notice) },
      again: (error) => show(c, { error, url }),
    });
  });
  return routes;
}

type Asked = { act: string; url: string; name: string };

async function act(
  api: Page["api"],
  { act: what, url, name }: Asked,
): Promise<[Answer<unknown>, "tools.bookingSet" | "tools.bookingOff" | "tools.switched"]> {
  if (what === "booking")
    return [await api.send("POST", "/tools/booking", { url: url.trim() }), "tools.bookingSet"];
  if (what === "booking-off")
    return [await api.send("DELETE", "/tools/booking"), "tools.bookingOff"];
  const body = { is_active: what === "on" };
  const path = `/tools/${encodeURIComponent(name)}`;
  return [await api.send("PATCH", path, body), "tools.switched"];
}

async function show(c: PagesContext, attempt: Attempt | null) {
  const page = c.get("page");
  const { api, t } = page;
  const booking = await api.get<Booking>("/tools/booking");
  const { items } = await api.get<{ items: Tool[] }>("/tools");
  const rows = items.map((tool) => toolRow(page, tool));
  const body = (
    <>
      <Refused error={attempt?.error ?? null} title={t("refused.title")} />
      <section class="card" aria-labelledby="booking">
        <h2 id="booking">{t("tools.booking")}</h2>
        <BookingForm page={page} booking={booking} typed={attempt?.url ?? null} />
      </section>
      <section aria-labelledby="all-tools">
        <h2 id="all-tools">{t("tools.all")}</h2>
        <Table
          caption={t("tools.all")}
          heads={[
            t("tools.tool"),
            t("tools.risk"),
            t("tools.schema"),
            t("tools.state"),
            t("tools.policy"),
            t("tools.switch"),
          ]}
          rows={rows}
          empty={t("list.empty")}
        />
      </section>
    </>
  );
  return c.html(renderPage(page, t("nav.tools"), body));
}

function BookingForm(props: { page: Page; booking: Booking; typed: string | null }) {
  const { page, booking, typed } = props;
  const { t } = page;
  return (
    <>
      <p>
        <Tag tone={booking.enabled ? "ok" : "plain"}>
          {booking.enabled ? t("tools.on") : t("tools.off")}
        </Tag>{" "}
        {t("tools.bookingNote")}
      </p>
      <ChangeForm
        page={page}
        sends={["POST /tools/booking", "DELETE /tools/booking"]}
        action="/admin/tools"
        class="inline"
        otherwise={
          <>
            {booking.url && (
              <p>
                <Named text={booking.url} />
              </p>
            )}
            <NotYours page={page} />
          </>
        }
      >
        <label class="field grow">
          <span>{t("tools.bookingUrl")}</span>
          <input
            type="url"
            name="url"
            value={typed ?? booking.url ?? ""}
            placeholder="https://"
            autocomplete="off"
          />
        </label>
        {may(page.me, "POST /tools/booking") && (
          <button type="submit" name="act" value="booking" class="primary">
            {t("tools.bookingSave")}
          </button>
        )}
        {booking.enabled && may(page.me, "DELETE /tools/booking") && (
          <button type="submit" name="act" value="booking-off">
            {t("tools.bookingRemove")}
          </button>
        )}
      </ChangeForm>
    </>
  );
}

function toolRow(page: Page, tool: Tool) {
  const { t } = page;
  return [
    <>
      <strong>{tool.title}</strong>
      <br />
      <code>{tool.name}</code>
    </>,
    <Tag tone={riskTone(tool.risk)}>{t.word("risk", tool.risk)}</Tag>,
    tool.schema_version,
    <ToolState page={page} tool={tool} />,
    <a href={`${linkTo("/admin/policies", { tool: tool.name })}#rows`}>
      {t("tools.rows")}
      <span class="hidden"> {tool.title}</span>
    </a>,
    <ChangeForm page={page} sends="PATCH /tools/:name" action="/admin/tools" otherwise="—">
      <input type="hidden" name="name" value={tool.name} />
      <button type="submit" name="act" value={tool.is_active ? "off" : "on"} class="small">
        {tool.is_active ? t("tools.turnOff") : t("tools.turnOn")}
        <span class="hidden"> {tool.title}</span>
      </button>
    </ChangeForm>,
  ];
}

function ToolState({ page: { t }, tool }: { page: Page; tool: Tool }) {
  if (!tool.is_active) return <Tag tone="plain">{t("tools.off")}</Tag>;
  if (!tool.enabled) return <Tag tone="wait">{t("tools.lacks")}</Tag>;
  return (
    <>
      <Tag tone="ok">{t("tools.on")}</Tag>
      {!tool.offered && <small> {t("tools.notOffered")}</small>}
    </>
  );
}
