import { describe, expect, it, test } from "vitest";
import type { JsonObject } from "../../src/domain/json.ts";
import { paysOut } from "../../src/domain/pays-out.ts";
import { hasSideEffect, riskFloor } from "../../src/policy/risk.ts";
import { createSecrets } from "../../src/store/secrets.ts";
import { createTools, type ToolDeps } from "../../src/tools/catalog.ts";
import { defaultPolicies } from "../../src/tools/default-policies.ts";
import { isExchangeTool } from "../../src/tools/exchange/stage-tools.ts";
import { settleTarget } from "../../src/tools/exchange/tools/order-terms.ts";
import { createMailClient } from "../../src/tools/mail/smtp-client.ts";
import { keepOutsideCalls } from "../../src/tools/outside.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { searchKnowledgeBase } from "../../src/tools/search-knowledge-base.ts";

const MAIL = { url: "smtp://127.0.0.1:2525", from: "desk@exchange.test", timeoutMs: 1000 };
const deps: ToolDeps = {
  secrets: createSecrets(Buffer.alloc(32, 1)),
  tronGrid: null,
  payouts: null,
  mail: createMailClient(MAIL),
  searchKnowledge: async () => [],
  guardLimits: { maxDeviationPct: "35", epsPct: "0.5" },
  txMaxAgeMs: 86_400_000,
  jobs: { enqueue: async () => {}, wakeDelivery: () => {} },
  toolsChanged: () => {},
  sandbox: false,
};
const tools = createTools(deps);
const find = (name: string) => tools.find((tool) => tool.name === name);

test("every tool keeps the contract and has a rule", () => {
  expect(createRegistry(tools).all()).toHaveLength(tools.length);
  const ruled = new Set(defaultPolicies().map((row) => row.tool_name));
  expect(tools.map((tool) => tool.name).filter((name) => !ruled.has(name))).toEqual([]);
});

test("staged tools are exactly those with a place in the deal", () => {
  for (const tool of tools)
    expect([tool.name, tool.staged]).toEqual([tool.name, isExchangeTool(tool.name)]);
});

test("exchange tools need a rate and the booking link needs its address", () => {
  const offered = (tenant: { secretNames: Set<string>; hasActiveRate: boolean }) =>
    tools.filter((tool) => tool.offered && tool.isAvailable(tenant)).map((tool) => tool.name);
  expect(offered({ secretNames: new Set(), hasActiveRate: false })).toEqual([
    "search_knowledge_base",
    "handoff_to_operator",
    "read_customer_profile",
    "create_task_draft",
    "send_email",
    "update_crm_field",
  ]);
  const all = offered({ secretNames: new Set(["tool_booking_url"]), hasActiveRate: true });
  expect(tools.map((tool) => tool.name).filter((name) => !all.includes(name))).toEqual([
    "delete_customer",
    "set_kyc_status",
    "confirm_fiat_payment",
    "change_authority",
  ]);
});

test("letters need a mail server", () => {
  const tenant = { secretNames: new Set<string>(), hasActiveRate: true };
  const isOffered = (mail: ToolDeps["mail"]) =>
    createTools({ ...deps, mail })
      .find(({ name }) => name === "send_email")
      ?.isAvailable(tenant);
  expect([isOffered(deps.mail), isOffered(null)]).toEqual([true, false]);
});

test("the starter tools have the classes and the rules of the sample policy", () => {
  const names = [
    ...["search_knowledge_base", "read_customer_profile", "create_task_draft"],
    ...["send_email", "update_crm_field", "delete_customer"],
  ];
  const rowOf = (name: string) => defaultPolicies().find((row) => row.id === `default-${name}`);
  const shown = names.map((name) => {
    const row = rowOf(name);
    return [
      ...[name, find(name)?.risk, row?.role, JSON.stringify(row?.condition_json)],
      ...[row?.allow_call, row?.requires_approval, row?.max_calls_per_run, row?.max_payload_size],
    ];
  });
  expect(shown).toEqual([
    ["search_knowledge_base", "read_only", "*", "{}", true, false, 10, 20_000],
    [
      "read_customer_profile",
      "read_only",
      "support",
      '{"same_account":true}',
      true,
      false,
      5,
      20_000,
    ],
    ["create_task_draft", "draft_only", "support", "{}", true, false, 3, 50_000],
    ["send_email", "send_message", "support", '{"recipient_verified":true}', true, true, 1, 50_000],
    ["update_crm_field", "write_internal", "support", "{}", true, true, 3, 8_000],
    ["delete_customer", "delete", "*", "{}", false, false, 0, 0],
  ]);
  expect(rowOf("send_email-to-unverified")).toMatchObject({ role: "*", allow_call: false });
});

test.each([
  ["send_email", { to: "a@b.co", subject: "Hi", body: "Text", send_now: true }],
  ["send_email", { to: "a@b.co", subject: "Hi\r\nBcc: eve@evil.test", body: "Text" }],
  ["send_email", { to: "a@b.co, eve@evil.test", subject: "Hi", body: "Text" }],
  ["send_email", { to: "a@b.co", subject: "Hi", body: "\u0000" }],
  ["send_email", { to: "a@b.co", subject: "Hi" }],
  ["create_task_draft", { title: "Call", description: "Call back", priority: "urgent" }],
  ["create_task_draft", { title: "Call", description: "Call back" }],
  ["create_task_draft", { title: "Call", description: "Back", priority: "low", due_date: "30.11" }],
  ["update_crm_field", { field: "balance", value: "1000" }],
  ["update_crm_field", { field: "phone", value: 79991234567 }],
  ["read_customer_profile", { contact_id: "somebody-else" }],
  ["search_knowledge_base", { query: "terms" }],
  ["search_knowledge_base", { query: "no", top_k: 3 }],
  ["search_knowledge_base", { query: "terms", top_k: 11 }],
  ["search_knowledge_base", { query: "terms", top_k: 3, tenant: "other" }],
])("%s is refused by its schema with %j", (name, args) => {
  expect(find(name)?.parameters.safeParse(args).success).toBe(false);
});

test("letters, the client's card, money and rights always ask a person", () => {
  const asking = defaultPolicies().filter((row) => row.requires_approval);
  expect(asking.map((row) => row.tool_name)).toEqual([
    ...["send_email", "update_crm_field"],
    ...["change_payout_destination", "issue_exchange_payout"],
    ...["set_kyc_status", "confirm_fiat_payment", "change_authority"],
  ]);
});

test.each([
  { asset: "USDT", amount: 500 },
  { asset: "USDT", amount: "-5" },
  { asset: "USDT", amount: "5e3" },
  { asset: "USDT", amount: "500", kyc: "verified" },
  { asset: "USDT" },
])("a quote for %j is refused by its schema", (args) => {
  expect(find("compute_exchange_quote")?.parameters.safeParse(args).success).toBe(false);
});

test("rights are no arguments of an order", () => {
  const parameters = find("create_exchange_order")?.parameters;
  const args = { asset: "USDT", amount: "500" };
  expect(parameters?.safeParse(args).success).toBe(true);
  for (const right of ["contactId", "tenantId", "thirdPartyApproved", "kycStatus"])
    expect(parameters?.safeParse({ ...args, [right]: "true" }).success).toBe(false);
});

test("a courier needs no address when the order is made", () => {
  expect(settleTarget({ payoutMethod: "courier" }, ["A", "B"])).toEqual({
    kind: "settled",
    method: "courier_cash",
    location: null,
    destination: null,
  });
});

test("an office named by a word that fits two is asked about again", () => {
  const offices = ["Beach Road 1, Pattaya", "Beach Road 9, Phuket"];
  const named = { payoutMethod: "office_cash", payoutLocation: "beach road" };
  expect(settleTarget(named, offices)).toMatchObject({ kind: "asks", options: offices });
});

test("passages are numbered as evidence in the order of the hits", async () => {
  const hit = (documentId: string) => ({
    ...{ documentId, revision: 2, title: "Rules", excerpt: "…", truncated: false },
  });
  const search = searchKnowledgeBase({
    searchKnowledge: async (_, { topK }) => [hit("a"), hit("b"), hit("a")].slice(0, topK),
    placeOf: async () => 2,
  });
  const ask = async (action: JsonObject) => {
    const work = await search.run({
      ...{
        tenantId: "t",
        conversationId: "c",
        contactId: "l",
        runId: null,
        language: "en" as const,
      },
      ...{ now: 0, action, executionId: "x", idempotencyKey: null },
      signal: AbortSignal.timeout(1000),
      outside: keepOutsideCalls(Date.now),
      read: (read) => read({} as never), // the search given above reads no rows
    });
    return work.kind === "result" ? work.result.data : null;
  };
  expect(await ask({ query: "rules", top_k: 2 })).toMatchObject({
    matches: [
      { evidence_id: "E21", document_id: "a", revision: 2 },
      { evidence_id: "E22", document_id: "b" },
    ],
    retrieved_at: "1970-01-01T00:00:00.000Z",
    next: "more passages fit; ask again with a larger top_k", // D18
  });
  const filtered = await ask({ query: "rules", top_k: 5, filters: { document_id: "a" } });
  expect(filtered?.matches).toHaveLength(2);
  expect(filtered).not.toHaveProperty("next");
});

test("of the tools that move money only the payout sends it out", () => {
  const payments = tools.filter((tool) => tool.risk === "payment");
  expect(payments.map(({ name }) => name).toSorted()).toEqual([
    "confirm_fiat_payment",
    "issue_exchange_payout",
  ]);
  expect(payments.filter(paysOut).map(({ name }) => name)).toEqual(["issue_exchange_payout"]);
});

describe("B35 what needs people", () => {
  /** The tools that do it; none: no tool can, so that no model can ask for it. */
  const NEEDS_PEOPLE: Record<string, string[]> = {
    "a letter to a client": ["send_email"],
    "a change of the client's card": ["update_crm_field", "set_kyc_status"],
    "a payment, or taking one for received": ["issue_exchange_payout", "confirm_fiat_payment"],
    "another way to pay out": ["change_payout_destination"],
    "a refund": [],
    "a deletion": ["delete_customer"],
    "publishing a link": [], // an admin sets the booking link; the tool only tells it
    "a change of rights": ["change_authority"],
    "an export of personal data": [], // an admin's download
    "a change of many records": [],
    "a webhook with effects": [],
  };

  it.each(Object.entries(NEEDS_PEOPLE))("%s", (_, names) => {
    for (const name of names) {
      const floor = riskFloor(find(name)?.risk ?? "read_only");
      expect([name, floor]).toEqual([name, name === "delete_customer" ? "deny" : "approval"]);
    }
  });

  it("and no other tool has effects", () => {
    const listed = Object.values(NEEDS_PEOPLE).flat();
    const acting = tools.filter(({ risk }) => hasSideEffect(risk)).map(({ name }) => name);
    expect(acting.sort()).toEqual(listed.sort());
  });
});
