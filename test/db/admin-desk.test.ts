import { readFileSync } from "node:fs";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadDeskRequests, sendRequests, toRequest } from "../../src/admin/desk-requests.ts";
import { newId } from "../../src/domain/ids.ts";
import { queryRows, withTenant } from "../../src/store/db.ts";
import { rateRowsFor } from "../../src/store/rates.ts";
import { contacts, conversations, messages } from "../../src/store/schema/chat.ts";
import { type AdminPart, AUTHORITY_RULE, startAdminPart } from "../support/admin-part.ts";

let part: AdminPart;
const RATE = {
  asset: "usdt",
  network: "TRC-20",
  quote_asset: "THB",
  quote_mode: "multiply",
  base_rate: "32.00",
  margin_pct: "2.5",
  tiers: [
    { min: "10000", max: null, display_rate: "31.3" },
    { min: "2000", max: "10000", display_rate: "31.2" },
  ],
};

beforeAll(async () => {
  part = await startAdminPart();
});
afterAll(() => part.close());

const put = (path: string, body: unknown) => part.call("PUT", path, { body });
const post = (path: string, body: unknown) => part.call("POST", path, { body });
const get = (path: string) => part.call("GET", path);

describe("the booking link", () => {
  it("is checked, encrypted, read anew and switched off again", async () => {
    expect((await get("/tools/booking")).body).toEqual({ enabled: false, url: null });
    const url = "https://calendly.com/anna/call";
    expect((await post("/tools/booking", { url })).body).toEqual({ enabled: true, url });
    expect((await get("/tools/booking")).body).toEqual({ enabled: true, url });
    const rows = await withTenant(part.database.db, "default", (tx) =>
      queryRows<{ row: string }>(tx, sql`select tenant_secrets::text as row from tenant_secrets`),
    );
    const stored = rows.map(({ row }) => row).join();
    expect(stored).toContain("tool_booking_url");
    expect(stored).not.toContain(Buffer.from("calendly").toString("hex"));
    const tools = (await get("/tools")).body.items;
    expect(tools).toContainEqual(
      expect.objectContaining({ name: "offer_booking_link", is_active: true, enabled: true }),
    );
    await part.call("DELETE", "/tools/booking");
    expect((await get("/tools/booking")).body).toEqual({ enabled: false, url: null });
    expect(part.invalidated).toEqual(["default", "default"]);
  });

  it.each([
    [{ url: "http://calendly.com/anna" }, "url"],
    [{ url: "https://evil.example/anna" }, "url"],
    [{ url: 5 }, "url"],
    [{}, "url"],
    [{ url: "https://cal.com/anna", note: "x" }, "note"],
  ])("is refused with 400 and the path: %j", async (body, path) => {
    const answer = await post("/tools/booking", body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.path).toBe(path);
  });
});

describe("a request", () => {
  it("that is no JSON, or too large, is refused", async () => {
    const send = (body: string) =>
      part.admin.fetch(
        new Request("http://localhost/api/admin/tools/booking", {
          method: "POST",
          headers: { authorization: "Bearer setup-token-of-the-test" },
          body,
        }),
      );
    expect((await send("{url:")).status).toBe(400);
    expect((await send(`"${"x".repeat(3 * 1024 * 1024)}"`)).status).toBe(413);
  });

  it("for a route that does not exist is answered in the same shape", async () => {
    const answer = await get("/nothing");
    expect(answer.status).toBe(404);
    expect(answer.body.error.code).toBe("not_found");
  });
});

describe("tools", () => {
  it("are switched off and on by name", async () => {
    const off = await part.call("PATCH", "/tools/issue_exchange_payout", {
      body: { is_active: false },
    });
    expect(off.body).toMatchObject({ is_active: false, enabled: false, schema_version: 1 });
    await part.call("PATCH", "/tools/issue_exchange_payout", { body: { is_active: true } });
    const none = await part.call("PATCH", "/tools/constructor", { body: { is_active: true } });
    expect(none.status).toBe(404);
  });
});

describe("policies", () => {
  const row = {
    id: "payout",
    tool_name: "issue_exchange_payout",
    role: "support",
    condition_json: { amount_to: { $lte: "50000" } },
    allow_call: true,
    requires_approval: true,
    approvals_required: 2,
    approver_role: "operator",
    approval_ttl_s: null,
    max_calls_per_run: 1,
    max_payload_size: 2000,
    is_active: true,
  };

  it("are replaced whole, and a rule that too few people can meet is named", async () => {
    const answer = await put("/policies", { policies: [row] });
    expect(answer.status).toBe(200);
    expect(answer.body.warnings[0]).toContain("payout");
    expect((await get("/policies")).body.policies).toEqual([...AUTHORITY_RULE, row]);
  });

  it.each([
    [[row, row], 422, "policies.1.id"],
    [[{ ...row, tool_name: "no_such_tool" }], 422, "policies.0.tool_name"],
    [[{ ...row, condition_json: { nonsense: 1 } }], 422, "policies"],
    [[{ ...row, allow_call: "yes" }], 400, "policies.0.allow_call"],
    [[{ ...row, extra: 1 }], 400, "policies.0.extra"],
  ])("that are not all valid change nothing (%#)", async (policies, status, path) => {
    await put("/policies", { policies: [row] });
    const answer = await put("/policies", { policies });
    expect([answer.status, answer.body.error.path]).toEqual([status, path]);
    expect((await get("/policies")).body.policies).toEqual([...AUTHORITY_RULE, row]);
  });
});

describe("rates", () => {
  it("are written whole with their tiers, and their deviation is counted", async () => {
    const { body } = await put("/exchange/rates", RATE);
    expect(body).toMatchObject({ asset: "USDT", network: "trc20", base_rate: "32.00" });
    const tiers = [{ min: "500", max: null, display_rate: "31.6" }];
    const again = await put("/exchange/rates", { ...RATE, tiers });
    expect(again.body.id).toBe(body.id);
    const rows = await withTenant(part.database.db, "default", (tx) =>
      rateRowsFor(tx, "default", "usdt"),
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.tiers).toEqual([
      { min: "500", max: null, displayRate: "31.6", deviationPct: "-1.25" },
    ]);
  });

  it.each([
    [{ ...RATE, base_rate: 32 }, "base_rate"],
    [{ ...RATE, base_rate: "0" }, "base_rate"],
    [{ ...RATE, base_rate: "3.2e1" }, "base_rate"],
    [{ ...RATE, margin_pct: "250" }, "margin_pct"],
    [{ ...RATE, rate: "1" }, "rate"],
    [{ ...RATE, min_amount_from: "10", max_amount_from: "9" }, "max_amount_from"],
    [{ ...RATE, tiers: [{ min: "5", max: "5", display_rate: "31" }] }, "tiers.0"],
    [
      { ...RATE, tiers: [...RATE.tiers, { min: "3000", max: "4000", display_rate: "31" }] },
      "tiers.2",
    ],
    [{ ...RATE, tiers: [{ min: "5", max: null, display_rate: 31 }] }, "tiers.0.display_rate"],
  ])("that cannot be meant are refused with their path (%#)", async (body, path) => {
    const answer = await put("/exchange/rates", body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.path).toBe(path);
  });

  it("of a card in camel case are the same rates", async () => {
    const { asset, network, tiers } = RATE;
    const card = { asset, network, quoteMode: "multiply", baseRate: "33", marginPct: "2" };
    const cardTiers = tiers.map(({ display_rate: displayRate, ...tier }) => ({
      ...tier,
      displayRate,
    }));
    const { status, body } = await post("/exchange/rates", { ...card, tiers: cardTiers });
    expect(status).toBe(200);
    expect(body).toMatchObject({ quote_asset: "THB", base_rate: "33" });
  });

  it("are deleted by id", async () => {
    const { body } = await put("/exchange/rates", {
      ...RATE,
      asset: "EUR",
      network: "",
      tiers: [],
    });
    expect((await part.call("DELETE", `/exchange/rates/${body.id}`)).status).toBe(204);
    expect((await part.call("DELETE", `/exchange/rates/${body.id}`)).status).toBe(404);
  });
});

describe("exchange settings", () => {
  it("keep what a change leaves out", async () => {
    await put("/exchange/settings", { risk_daily_limit: "100000", rate_refresh_sec: 60 });
    const { body } = await put("/exchange/settings", { payout_providers: { office_cash: "http" } });
    expect(body).toMatchObject({
      quote_asset: "THB",
      rate_refresh_sec: 60,
      risk_daily_limit: "100000",
      payout_providers: { office_cash: "http" },
    });
  });

  it.each([
    { rate_refresh_sec: 59 },
    { rate_refresh_sec: 86_401 },
    { feed_stale_sec: "600" },
    { risk_daily_limit: 5 },
    { payout_providers: { cheque: "http" } },
    { payout_providers: { office_cash: "wire" } },
  ])("outside their bounds are refused: %j", async (body) => {
    expect((await put("/exchange/settings", body)).status).toBe(400);
  });
});

describe("requisites", () => {
  it("are shown masked, and only names the desk knows are taken", async () => {
    const wallet = "TJtc7HX9ttjj26qEk6LjNtwDcu7eokALUA";
    await post("/exchange/requisites", {
      exchange_wallet_usdt_trc20: wallet,
      exchange_westwallet_api_key: "very secret",
    });
    const answer = await get("/exchange/requisites");
    const shown = new Map(
      answer.body.items.map((item: { name: string; value: unknown }) => [item.name, item.value]),
    );
    expect(shown.get("exchange_wallet_usdt_trc20")).toBe("TJtc…ALUA");
    expect(shown.get("exchange_westwallet_api_key")).toBeNull();
    await post("/exchange/requisites", { exchange_westwallet_api_key: null });
    expect(JSON.stringify((await get("/secrets")).body)).not.toContain("westwallet");
  });

  it.each([
    [{ tool_booking_url: "https://cal.com/a" }, "tool_booking_url"],
    [{ exchange_binance_id: "1", exchange_password: "x" }, "exchange_password"],
    [
      { exchange_wallet_usdt_trc20: "TJtc7HX9ttjj26qEk6LjNtwDcu7eokALUB" },
      "exchange_wallet_usdt_trc20",
    ],
    [{ exchange_fiat_payment_url: "http://pay.example.test" }, "exchange_fiat_payment_url"],
    [{ exchange_binance_id: 700 }, "exchange_binance_id"],
  ])("are refused whole when one is wrong: %j", async (body, path) => {
    const answer = await post("/exchange/requisites", body);
    expect([answer.status, answer.body.error.path]).toEqual([400, path]);
    expect(JSON.stringify((await get("/secrets")).body)).not.toContain("binance");
  });
});

describe("secrets", () => {
  it("are set and deleted, and never read", async () => {
    expect((await put("/secrets/model_api_key", { value: "sk-1" })).status).toBe(200);
    const { body } = await get("/secrets");
    expect(body.items.map((item: { name: string }) => item.name)).toContain("model_api_key");
    expect(JSON.stringify(body)).not.toContain("sk-1");
    expect((await put("/secrets/tool_booking_url", { value: "javascript:1" })).status).toBe(400);
    expect((await put("/secrets/exchange_binance_id", { value: "1" })).status).toBe(400);
    expect((await part.call("DELETE", "/secrets/model_api_key")).status).toBe(204);
  });
});

describe("documents", () => {
  it("are revised under the same source, paged and removed", async () => {
    const first = await post("/kb/documents", { source: "a.md", body: "one" });
    expect([first.status, first.body.revision]).toEqual([201, 1]);
    const second = await post("/kb/documents", { source: "a.md", body: "two" });
    expect([second.status, second.body.revision]).toEqual([200, 2]);
    const same = await post("/kb/documents", { source: "a.md", body: "two" });
    expect(same.body).toMatchObject({ revision: 2, changed: false, id: first.body.id });
    await post("/kb/documents", { source: "b.md", body: "three" });
    const page = await get("/kb/documents?limit=1");
    expect(page.body.items.map((item: { source: string }) => item.source)).toEqual(["a.md"]);
    const rest = await get(`/kb/documents?limit=1&cursor=${page.body.next_cursor}`);
    expect(rest.body.items.map((item: { source: string }) => item.source)).toEqual(["b.md"]);
    expect(rest.body.next_cursor).toBeNull();
    expect((await part.call("DELETE", `/kb/documents/${first.body.id}`)).status).toBe(204);
    expect((await get("/kb/search?q=hours")).body.items).toEqual([{ title: "hours" }]);
  });

  it.each(["limit=0", "limit=201", "limit=x", "cursor=%7B%7D", "page=2"])(
    "and other lists refuse %s",
    async (query) => {
      expect((await get(`/kb/documents?${query}`)).status).toBe(400);
    },
  );
});

describe("conversations", () => {
  it("are listed newest first and shown with all their parts", async () => {
    await withTenant(part.database.db, "default", async (tx) => {
      for (const [index, chatId] of ["11", "12", "13"].entries()) {
        const contactId = newId();
        const id = `conversation-${chatId}`;
        const scope = { tenantId: "default", createdAt: 1000 };
        await tx.insert(contacts).values({ id: contactId, name: `Lead ${chatId}`, ...scope });
        await tx.insert(conversations).values({
          ...scope,
          id,
          contactId,
          chatId,
          channelId: "telegram",
          messenger: "telegram",
          language: "en",
          updatedAt: 1000 + Math.floor(index / 2),
        });
        await tx.insert(messages).values({
          ...scope,
          id: newId(),
          conversationId: id,
          author: "lead",
          kind: "text",
          text: "hello",
        });
      }
    });
    const first = await get("/conversations?limit=2");
    const rest = await get(`/conversations?limit=2&cursor=${first.body.next_cursor}`);
    const ids = [...first.body.items, ...rest.body.items].map((item: { id: string }) => item.id);
    expect(ids).toEqual(["conversation-13", "conversation-12", "conversation-11"]);
    const trace = (await get("/conversations/conversation-12")).body;
    expect(trace.contact.name).toBe("Lead 12");
    expect(trace.messages).toMatchObject([{ text: "hello", author: "lead" }]);
    const empty = [
      "runs",
      "candidates",
      "checks",
      "gate_log",
      "executions",
      "results",
      "approvals",
    ];
    for (const field of [...empty, "votes", "audit", "outbox", "orders", "quotes"])
      expect(trace[field], field).toEqual([]);
    expect((await get("/conversations/none")).status).toBe(404);
    expect((await get("/conversations/conversation-12?tenant=default")).status).toBe(200);
  });

  it("of another tenant are not found", async () => {
    await part.addTenant("other");
    expect((await get("/conversations/conversation-12?tenant=other")).status).toBe(404);
  });
});

describe("the example desk", () => {
  it("holds exactly the sample office, opens the tenant, and can be sent twice", async () => {
    const desk = loadDeskRequests();
    const send = async (request: (typeof desk)[number]) => {
      const response = await part.admin.handleAs({ kind: "setup" }, toRequest(request));
      return { status: response.status, body: await response.json() };
    };
    await withTenant(part.database.db, "default", (tx) =>
      tx.execute(sql`delete from exchange_rates`),
    );
    const answers = await sendRequests(desk.slice(0, -1), send);
    expect(answers.map(({ status }) => status)).not.toContain("skipped");
    const again = await sendRequests(desk, send);
    expect(again.filter(({ status }) => status === 409)).toHaveLength(3);

    const { fixture } = JSON.parse(readFileSync("test/data/dialogs.json", "utf8"));
    const stored = await withTenant(part.database.db, "default", async (tx) => ({
      rates: [
        ...(await rateRowsFor(tx, "default", "USDT")),
        ...(await rateRowsFor(tx, "default", "RUB")),
      ],
      secrets: await part.deps.secrets.all(tx, "default", "exchange_"),
    }));
    expect(stored.rates).toMatchObject(fixture.rates);
    expect(stored.rates.every((rate) => rate.quoteAsset === fixture.quoteAsset)).toBe(true);
    expect(Object.fromEntries(stored.secrets)).toEqual(fixture.secrets);
    expect((await get("/tenants")).body.items).toContainEqual(
      expect.objectContaining({ id: "default", state: "open" }),
    );
    const people = (await get("/staff")).body.items.map(
      ({ name, role, identities }: Record<string, unknown>) => ({ name, role, identities }),
    );
    expect(people[0]).toEqual({
      name: "Alice",
      role: "operator",
      identities: [
        { messenger: "slack", team_id: "", user_id: "U0ALICE" },
        { messenger: "telegram", team_id: "", user_id: "2001" },
      ],
    });
    expect(people.map(({ name }: { name: string }) => name)).toEqual(["Alice", "Bob", "Admin"]);
  });
});
