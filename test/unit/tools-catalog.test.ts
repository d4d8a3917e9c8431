import { expect, test } from "vitest";
import { createSecrets } from "../../src/store/secrets.ts";
import { createTools } from "../../src/tools/catalog.ts";
import { defaultPolicies } from "../../src/tools/default-policies.ts";
import { isExchangeTool } from "../../src/tools/exchange/stage-tools.ts";
import { settleTarget } from "../../src/tools/exchange/tools/order-terms.ts";
import { createRegistry } from "../../src/tools/registry.ts";

const tools = createTools({
  secrets: createSecrets(Buffer.alloc(32, 1)),
  tronGrid: null,
  payouts: null,
  searchKnowledge: async () => [],
  guardLimits: { maxDeviationPct: "35", epsPct: "0.5" },
  txMaxAgeMs: 86_400_000,
  jobs: { enqueue: async () => {}, wakeDelivery: () => {} },
});
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
  ]);
  expect(offered({ secretNames: new Set(["tool_booking_url"]), hasActiveRate: true })).toHaveLength(
    tools.length - 1,
  );
});

test("money and rights always ask a person", () => {
  const asking = defaultPolicies().filter((row) => row.requires_approval);
  expect(asking.map((row) => row.tool_name)).toEqual(["issue_exchange_payout", "set_kyc_status"]);
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
