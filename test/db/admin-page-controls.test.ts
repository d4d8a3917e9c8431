import { beforeAll, describe, expect, it } from "vitest";
import { type AdminPart, SETUP_TOKEN, startAdminPart } from "../support/admin-part.ts";
import { evalsBy, markedReply, replyInStyle } from "../support/coach-part.ts";
import { createScriptedModel } from "../support/office-run.ts";
import { type Control, controlsOf } from "../support/page-controls.ts";
import { createVisitor, type PagesVisitor } from "../support/pages-visitor.ts";
import { openQualityPart, type QualityPart } from "../support/quality-part.ts";

const CALM = { name: "Calm", guidance: "Be calm.", examples: [], skills: ["fee"], is_active: true };
const SUGGESTED = { guidance: "Be calm and ask.", rationale: "Details were guessed." };
const RULE = {
  ...{ id: "r-1", tool_name: "offer_booking_link", role: "*", condition_json: {} },
  ...{ allow_call: true, requires_approval: false, approvals_required: 1, is_active: true },
  ...{ approver_role: "operator", approval_ttl_s: null },
  ...{ max_calls_per_run: 3, max_payload_size: 8192 },
};
/** Of the session: whoever is logged in may press them. */
const OWN = ["/admin/log-out", "/admin/tenant"];

let part: AdminPart;
let office: QualityPart;
let pages: string[];
const { model, steps } = createScriptedModel();

/** An office with something on every page. */
beforeAll(async () => {
  part = await startAdminPart({ model, shadowEvals: evalsBy({}) });
  part.deps.evals = { running: () => null, start: async () => null };
  office = await openQualityPart(part, "desk");
  const asAdmin = (body: object) => ({ token: office.adminToken, body });
  await part.call("POST", "/tools/booking", asAdmin({ url: "https://calendly.com/desk" }));
  const { policies } = (await part.call("GET", "/policies", { token: office.adminToken })).body;
  const asked = await part.call("PUT", "/policies", asAdmin({ policies: [...policies, RULE] }));
  await office.admin("PUT", "/quality/skills/fee", { text: "Name the fee." });
  await office.admin("PUT", "/quality/styles/calm", CALM);
  await office.admin("PUT", "/quality/styles/calm", { ...CALM, guidance: "Be kind." });
  await markedReply(office, { styleId: "calm", label: "bad_args" });
  await office.admin("POST", "/quality/proposals/1/case", {});
  await markedReply(office, { styleId: "calm", label: "bad_args" });
  const { conversationId } = await replyInStyle(office, "calm");
  steps.push({ text: JSON.stringify(SUGGESTED) });
  await office.admin("POST", "/quality/coach/proposals", { styleId: "calm" });
  const again = asAdmin({ conversation_id: conversationId, model: null });
  const replay = await part.call("POST", "/quality/replays", again);
  pages = [
    ...["tools", "approvals", "conversations", "quality", "quality?show=labelled", "policies"],
    ...["quality/proposals", "quality/cases?status=all", "styles", "styles?style=calm"],
    ...["styles/coach", "evals", "evals/cases", "usage", "audit", "policies?edit=new"],
    ...[
      `conversations/${conversationId}`,
      `replays/${replay.body.id}`,
      `approvals/${asked.body.approval}`,
    ],
  ].map((path) => `/admin/${path}`);
  return () => part.close();
});

async function visitorOf(token: string): Promise<PagesVisitor> {
  const visitor = createVisitor(part.admin);
  expect((await visitor.logIn(token)).status).toBe(303);
  await visitor.get("/admin/tools");
  if (token === SETUP_TOKEN) await visitor.post("/admin/tenant", { tenant: "desk" });
  return visitor;
}

/** Of all pages, each once. */
async function controlsFor(visitor: PagesVisitor): Promise<Map<string, Control>> {
  const shown = new Map<string, Control>();
  for (const path of pages) {
    const { status, text } = await visitor.get(path);
    expect([path, status]).toEqual([path, 200]);
    for (const control of controlsOf(text))
      if (!OWN.includes(control.action)) shown.set(`${path}: ${control.name}`, control);
  }
  return shown;
}

const tokens = {
  admin: () => office.adminToken,
  operator: () => office.operatorToken,
  "holder of ADMIN_TOKEN": () => SETUP_TOKEN,
};
const roles = Object.keys(tokens) as (keyof typeof tokens)[];

/** What comes of pressing it; 403: the API does not let this person. */
async function press(visitor: PagesVisitor, { method, action, fields }: Control): Promise<number> {
  const answer = method === "get" ? await visitor.get(action) : await visitor.post(action, fields);
  return answer.status;
}

describe("on no page", () => {
  it.each(roles)("is anything shown to an %s that the API would refuse", async (role) => {
    const visitor = await visitorOf(tokens[role]());
    const refused: string[] = [];
    for (const [name, control] of await controlsFor(visitor))
      if ((await press(visitor, control)) === 403) refused.push(name);
    expect(refused).toEqual([]);
  });

  it.each(["operator", "holder of ADMIN_TOKEN"] as const)(
    "is anything hidden from an %s that the API would do",
    async (role) => {
      const shown = await controlsFor(await visitorOf(tokens[role]()));
      const all = await controlsFor(await visitorOf(office.adminToken));
      const visitor = await visitorOf(tokens[role]());
      const missing = [...all].filter(([name]) => !shown.has(name));
      expect(missing.length).toBeGreaterThan(5);
      for (const [name, control] of missing)
        expect([name, await press(visitor, control)]).toEqual([name, 403]);
    },
  );
});

it("a change of authority is decided by another admin, and the page says so", async () => {
  const path = pages.at(-1) ?? "";
  const told = async (token: string) => (await (await visitorOf(token)).get(path)).text;
  expect(await told(office.adminToken)).toContain("You asked for this yourself");
  expect(await told(office.operatorToken)).toContain("An admin decides this.");
});

describe("an operator", () => {
  it("labels calls and tries rules, and is told who decides the rest", async () => {
    const visitor = await visitorOf(office.operatorToken);
    const actions = new Set([...(await controlsFor(visitor)).values()].map(({ action }) => action));
    expect([...actions].sort()).toEqual(["/admin/policies", "/admin/quality"]);
    for (const path of ["tools", "quality/proposals", "styles", "styles/coach", "evals"])
      expect((await visitor.get(`/admin/${path}`)).text).toContain("An admin decides this.");
    const { text } = await visitor.get("/admin/styles?style=calm");
    expect(text).toContain("Name the fee.");
  });

  it("gets no file of conversations, and an answer that says who does", async () => {
    const visitor = await visitorOf(office.operatorToken);
    for (const name of ["labels", "cases"]) {
      const { status, text } = await visitor.get(`/admin/quality/${name}.jsonl`);
      expect(status).toBe(403);
      expect(text).toContain("Only an admin may take this as a file");
    }
  });
});
