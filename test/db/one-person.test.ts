import { serve } from "@hono/node-server";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { prepareTenants } from "../../src/bootstrap.ts";
import { seed } from "../../src/cli/seed.ts";
import { newId } from "../../src/domain/ids.ts";
import { actionDigest } from "../../src/policy/digest.ts";
import { addVote, approvalById, insertApproval } from "../../src/store/approvals.ts";
import { adminsBeside } from "../../src/store/authority.ts";
import { type Tx, withTenant } from "../../src/store/db.ts";
import { ownersOf } from "../../src/store/makers.ts";
import { insertProposals } from "../../src/store/proposals.ts";
import { macOf } from "../../src/store/row-mac.ts";
import { staffIdentities } from "../../src/store/schema/tenancy.ts";
import { createStaff, ensureStaffIdentity, findStaffByIdentity } from "../../src/store/staff.ts";
import { joinStaff } from "../../src/store/staff-join.ts";
import { countStandingVotes } from "../../src/store/standing-votes.ts";
import { type AdminPart, SETUP_TOKEN, startAdminPart } from "../support/admin-part.ts";

const tenantId = "default";
const SLACK = { messenger: "slack", user_id: "U0ALICE" };
const TELEGRAM = { messenger: "telegram", user_id: "2001" };

let part: AdminPart;
beforeEach(async () => {
  part = await startAdminPart();
});
afterEach(() => part.close());

const inTenant = <T>(work: (tx: Tx) => Promise<T>) => withTenant(part.database.db, tenantId, work);

/** As the variables that name staff make people. */
const named = (role: "operator" | "admin", ...accounts: [messenger: string, userId: string][]) =>
  inTenant(async (tx) => {
    for (const [messenger, userId] of accounts)
      await ensureStaffIdentity(tx, {
        ...{ tenantId, userId, role, now: part.deps.clock.now() },
        messenger: messenger === "slack" ? "slack" : "telegram",
      });
  });

async function people(): Promise<
  { id: string; name: string; identities: { user_id: string }[] }[]
> {
  return (await part.call("GET", "/staff")).body.items;
}

async function idOf(name: string): Promise<string> {
  const found = (await people()).find((person) => person.name === name);
  if (!found) throw new Error(`nobody is called ${name}`);
  return found.id;
}

const accountsOf = async (name: string) =>
  (await people())
    .filter((person) => person.name === name)
    .map(({ identities }) => identities.map((one) => one.user_id).sort());

async function seedInto(lines: string[]): Promise<void> {
  const { server, url } = await new Promise<{ server: ReturnType<typeof serve>; url: string }>(
    (resolve) => {
      const options = { fetch: part.admin.fetch, port: 0, hostname: "127.0.0.1" };
      const server = serve(options, ({ port }) =>
        resolve({ server, url: `http://127.0.0.1:${port}` }),
      );
    },
  );
  try {
    await seed({ url, token: SETUP_TOKEN, write: (line) => lines.push(line) });
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

const PAYS = "issue_exchange_payout";
const ACTION = { orderId: "EX-1", amount: "1", currency: "THB" };
const DIGEST = actionDigest(PAYS, ACTION);

async function standing(tx: Tx, approvalId: string): Promise<number> {
  const approval = await approvalById(tx, tenantId, approvalId);
  if (!approval) throw new Error("there is no such request");
  return countStandingVotes(tx, approval);
}

/** Waits for two people. */
async function openApproval(tx: Tx): Promise<string> {
  const [id, candidateId] = [newId(), newId()];
  const now = part.deps.clock.now();
  const base = { tenantId, conversationId: null, toolName: PAYS, schemaVersion: 1 };
  const asks = { tenantId, name: "Maker", role: "operator", identities: [], now } as const;
  const requestedBy = await createStaff(tx, asks);
  await insertProposals(tx, {
    ...{ checks: [], gates: [], executions: [] },
    candidates: [
      {
        ...{ ...base, id: candidateId, ordinal: 0, cycle: 0, source: "desk", maker: "setup" },
        ...{ conversationId: "", argumentsRaw: "{}", argumentsJson: {}, argumentsHash: id },
        ...{ status: "waiting_approval", createdAt: now },
      },
    ],
  });
  await insertApproval(tx, {
    ...{ ...base, id, candidateId, number: 1, requestedBy, requestedAction: "payout" },
    ...{ riskLevel: "payment", payloadSummary: "", status: "pending", actionDigest: DIGEST },
    ...{ proposedActionJson: ACTION, materialJson: [], approverRole: "operator" },
    ...{ approvalsRequired: 2, createdAt: now },
  });
  return id;
}

describe("two people whom the environment named", () => {
  beforeEach(() => named("operator", ["telegram", "2001"], ["slack", "U0ALICE"]));

  it("become one by the account of the other, with or without its workspace", async () => {
    const id = await idOf("telegram 2001");
    const body = { ...SLACK, team_id: "T0DEMO" };
    const joined = await part.call("POST", `/staff/${id}/identities`, { body });
    expect(joined).toMatchObject({ status: 201, body: { id, status: "active" } });
    expect(await accountsOf("telegram 2001")).toEqual([["2001", "U0ALICE"]]);
    expect(await people()).toHaveLength(1);
    await named("operator", ["telegram", "2001"], ["slack", "U0ALICE"]);
    expect(await people()).toHaveLength(1);
    const trail = (await part.call("GET", "/audit")).body.items;
    expect(trail).toContainEqual(
      expect.objectContaining({
        event_type: "staff.changed",
        refs: expect.objectContaining({ into: id }),
      }),
    );
  });

  it("and the one that was joined neither comes back nor gets accounts", async () => {
    const [id, gone] = [await idOf("telegram 2001"), await idOf("slack U0ALICE")];
    await part.call("POST", `/staff/${id}/identities`, { body: SLACK });
    const restored = await part.call("PATCH", `/staff/${gone}`, { body: { status: "active" } });
    expect(restored).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining(id) } },
    });
    const body = { messenger: "telegram", user_id: "2009" };
    expect((await part.call("POST", `/staff/${gone}/identities`, { body })).status).toBe(409);
    expect((await part.call("POST", `/staff/${gone}/tokens`, { body: {} })).status).toBe(409);
  });

  it("vote once, and own what either asked for", async () => {
    const [into, from] = [await idOf("telegram 2001"), await idOf("slack U0ALICE")];
    const { approvalId, votes } = await inTenant(async (tx) => {
      const approvalId = await openApproval(tx);
      const now = part.deps.clock.now();
      const vote = {
        tenantId,
        approvalId,
        decision: "approve",
        via: "api",
        actionDigest: DIGEST,
        now,
      } as const;
      await addVote(tx, { ...vote, staffId: from });
      await addVote(tx, { ...vote, staffId: into });
      return { approvalId, votes: await standing(tx, approvalId) };
    });
    expect(votes).toBe(2);
    await part.call("POST", `/staff/${into}/identities`, { body: SLACK });
    await inTenant(async (tx) => {
      expect(await standing(tx, approvalId)).toBe(1);
      expect((await ownersOf(tx, { tenantId, makers: [from] })).has(into)).toBe(true);
    });
  });

  it("are added to from the new person's refusal, which says how", async () => {
    const id = await idOf("telegram 2001");
    const body = { name: "Alice", role: "operator", identities: [SLACK, TELEGRAM] };
    const refused = await part.call("POST", "/staff", { body });
    expect(refused.status).toBe(409);
    expect(refused.body.error.message).toMatch(
      /^slack U0ALICE is an account of slack U0ALICE already; .*POST \/api\/admin\/staff\/\S+\/identities$/,
    );
    expect(await idOf("telegram 2001")).toBe(id);
  });

  it("are one Alice after the example desk was sent", async () => {
    await named("admin", ["slack", "U0ADMIN"], ["telegram", "3001"]);
    const lines: string[] = [];
    await seedInto(lines);
    expect(await accountsOf("Alice")).toEqual([["2001", "U0ALICE"]]);
    expect(await accountsOf("Admin")).toEqual([["3001", "U0ADMIN"]]);
    expect(await people()).toHaveLength(3);
    const admin = await idOf("Admin");
    const others = await inTenant((tx) => adminsBeside(tx, { tenantId, staffId: admin }));
    expect(others.active).toBe(0);
    expect(lines.join("\n")).toMatch(/identities: slack U0ALICE is Alice's now/);
  });
});

describe("a person whom somebody of the staff made", () => {
  const make = (name: string, ...identities: object[]) =>
    part.call("POST", "/staff", { body: { name, role: "operator", identities } });

  it("is joined with nobody, and the refusal says what to do", async () => {
    await make("Alice", SLACK);
    await make("Bob", TELEGRAM);
    const path = `/staff/${await idOf("Bob")}/identities`;
    const refused = await part.call("POST", path, { body: { ...SLACK, team_id: "T1" } });
    expect(refused.status).toBe(409);
    expect(refused.body.error.message).toMatch(
      /^slack T1 U0ALICE is an account of Alice; .*suspend/,
    );
    expect(await people()).toHaveLength(2);
  });

  it("takes in the one whom the environment named, and not the other way", async () => {
    await make("Alice", SLACK);
    await named("operator", ["telegram", "2001"]);
    const from = await idOf("telegram 2001");
    const wrong = await part.call("POST", `/staff/${from}/identities`, { body: SLACK });
    expect(wrong.body.error.message).toMatch(/the other way round/);
    const path = `/staff/${await idOf("Alice")}/identities`;
    expect((await part.call("POST", path, { body: TELEGRAM })).status).toBe(201);
    expect(await accountsOf("Alice")).toEqual([["2001", "U0ALICE"]]);
  });

  it("does not stand in a second row with the account of a workspace", async () => {
    await make("Alice", SLACK);
    const again = await make("Alice again", { ...SLACK, team_id: "T0DEMO" });
    expect(again.status).toBe(409);
    expect(await people()).toHaveLength(1);
  });

  it("is told when the example desk cannot give the missing account", async () => {
    await make("Alice", SLACK);
    await make("Al", TELEGRAM);
    await expect(seedInto([])).rejects.toThrow(
      /Alice lacks telegram 2001 \(was refused with 409: .*Al; /,
    );
  });
});

it("is not joined while suspended, nor when no admin would be left", async () => {
  await named("admin", ["telegram", "3001"]);
  await named("operator", ["slack", "U0ADMIN"], ["telegram", "2001"]);
  const path = `/staff/${await idOf("slack U0ADMIN")}/identities`;
  const last = await part.call("POST", path, { body: { messenger: "telegram", user_id: "3001" } });
  expect(last).toMatchObject({
    status: 409,
    body: { error: { message: expect.stringContaining("last active admin") } },
  });
  await part.call("DELETE", `/staff/${await idOf("telegram 2001")}`);
  const away = await part.call("POST", path, { body: TELEGRAM });
  expect(away).toMatchObject({
    status: 409,
    body: { error: { message: expect.stringContaining("restore") } },
  });
});

it("one account in two rows, as an earlier version left it, is one person after a start", async () => {
  await named("operator", ["slack", "U0ALICE"]);
  await part.call("POST", "/staff", {
    body: { name: "Alice", role: "operator", identities: [TELEGRAM] },
  });
  const staffId = await idOf("Alice");
  await inTenant((tx) => {
    const account = { messenger: "slack", teamId: "T0DEMO", userId: "U0ALICE" } as const;
    const row = { id: newId(), tenantId, staffId, ...account };
    const mac = macOf(tx, "staff_identities", row);
    return tx.insert(staffIdentities).values({ ...row, mac, createdAt: part.deps.clock.now() });
  });
  await prepareTenants({ ...part.deps, prepareTenant: part.deps.prepareTenant });
  expect(await people()).toHaveLength(1);
  for (const teamId of ["", "T0DEMO"]) {
    const who = { tenantId, messenger: "slack", teamId, userId: "U0ALICE" } as const;
    expect(await inTenant((tx) => findStaffByIdentity(tx, who))).toMatchObject({ id: staffId });
  }
});

it("whoever was joined twice is the last one", async () => {
  await named("operator", ["telegram", "1"], ["telegram", "2"], ["telegram", "3"]);
  const [first = "", second = "", third = ""] = (await people()).map(({ id }) => id);
  const by = { tenantId, by: "setup", now: part.deps.clock.now() };
  await inTenant(async (tx) => {
    await joinStaff(tx, { ...by, from: first, into: second });
    await joinStaff(tx, { ...by, from: second, into: third });
    expect((await ownersOf(tx, { tenantId, makers: [first] })).has(third)).toBe(true);
  });
  expect(await people()).toMatchObject([{ id: third }]);
});
