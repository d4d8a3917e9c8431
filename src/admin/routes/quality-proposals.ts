import { Hono } from "hono";
import { z } from "zod";
import { ACTIONABLE_LABELS } from "../../domain/feedback.ts";
import { ARTIFACT_KINDS, PROPOSAL_KINDS } from "../../domain/quality.ts";
import { keptText } from "../../quality/kept-words.ts";
import { type Ending, endProposal, waitingProposal } from "../../quality/proposals.ts";
import { type Tx, withTenant } from "../../store/db.ts";
import {
  type Evidence,
  evidenceOf,
  type ListedProposal,
  listProposals,
  openProposals,
} from "../../store/quality-proposals.ts";
import { change } from "../change.ts";
import type { AdminContext, AdminDeps, AdminEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { numberCursor, pageFields, pageOf, readCursor } from "../page.ts";
import { idOrNumber, noteField, shownTime } from "./quality-fields.ts";

const MOST_EVIDENCE = 20;

const ref = z.strictObject(
  {
    kind: z.enum(ARTIFACT_KINDS),
    value: z.string().trim().min(1, "a URL, a version, a number").max(500),
  },
  `name what answers it: {"kind":"pull_request","value":"https://…"}`,
);
const shownProposal = z.strictObject({
  id: z.string(),
  number: z.int(),
  kind: z.enum(PROPOSAL_KINDS),
  label: z.enum(ACTIONABLE_LABELS),
  tool_name: z.string().describe("Empty: the replies came without a call"),
  status: z.enum(["pending", "dismissed", "applied"]),
  labels: z.int().describe("How many labels stand"),
  last_labelled_at: shownTime.nullable(),
  evidence: z
    .array(
      z.strictObject({
        feedback_id: z.string(),
        tool_call_id: z.string().nullable(),
        tool_call_number: z.int().nullable(),
        message_id: z.string(),
        conversation_id: z.string(),
        note: z.string().nullable(),
        staff_id: z.string(),
        created_at: shownTime,
      }),
    )
    .max(MOST_EVIDENCE)
    .describe("The newest labels"),
  resolution: z
    .strictObject({
      ref: ref.optional(),
      note: z.string().optional(),
      by: z.string(),
      at: shownTime,
    })
    .nullable(),
  created_at: shownTime,
  updated_at: shownTime,
});

const LIST = {
  method: "get",
  path: "/proposals",
  summary: "What should change, by the labels of one kind on one tool; newest first",
  query: z.strictObject({
    ...pageFields,
    status: z.enum(["pending", "dismissed", "applied"]).optional(),
  }),
  answer: z.strictObject({ items: z.array(shownProposal), next_cursor: z.string().nullable() }),
} as const;
const DISMISS = {
  method: "post",
  path: "/:id/dismiss",
  summary: "Nothing is changed for these labels; a newer label opens another proposal",
  body: z.strictObject({ note: noteField }),
  answer: shownProposal,
} as const;
const APPLY = {
  method: "post",
  path: "/:id/apply",
  summary: "Something was changed, and this is where to look for it",
  body: z.strictObject({ ref, note: noteField }),
  answer: shownProposal,
} as const;

/** Below `/quality/tool-call-feedback`. */
export function proposalListRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(routes, LIST, async (c, { query }) => {
    const tenantId = c.get("tenantId");
    const { limit, status } = query;
    const after = readCursor(query.cursor, numberCursor);
    const { page, evidence } = await withTenant(deps.db, tenantId, async (tx) => {
      // labels that were given before there were proposals
      await openProposals(tx, { tenantId, now: deps.clock.now() });
      const rows = await listProposals(tx, { tenantId, limit: limit + 1, after, status });
      const shown = pageOf(rows, limit, ({ number }) => number);
      return { page: shown, evidence: await newestEvidence(tx, tenantId, shown.items) };
    });
    return c.json({ ...page, items: page.items.map((row) => presentProposal(row, evidence)) });
  });
  return routes;
}

/** Below `/quality/proposals`. Admins decide; each proposal once. */
export function proposalRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(routes, DISMISS, async (c, { body: { note } }) =>
    c.json(await end(c, deps, { status: "dismissed", note })),
  );
  endpoint(routes, APPLY, async (c, { body }) =>
    c.json(await end(c, deps, { status: "applied", ...body })),
  );
  return routes;
}

function end(c: AdminContext, deps: AdminDeps, ending: Ending) {
  const which = idOrNumber(c.req.param("id") ?? "");
  return change(c, deps, async (tx, { tenantId, by, now, audit }) => {
    const deciding = { tenantId, by, now, which, secrets: deps.secrets };
    const waiting = await waitingProposal(tx, deciding);
    await endProposal(tx, deciding, waiting, ending);
    const { id, number } = waiting.proposal;
    const how = ending.status === "applied" ? ` with ${ending.ref.kind}` : "";
    audit(`improvement_proposal.${ending.status}`, `proposal ${number} ${ending.status}${how}`, {
      proposal: id,
    });
    return shownAgain(tx, tenantId, id);
  });
}

async function shownAgain(tx: Tx, tenantId: string, id: string) {
  const rows = await listProposals(tx, { tenantId, id, limit: 1, after: null });
  const [row] = rows;
  if (!row) throw new Error("a decided proposal is not there");
  return presentProposal(row, await newestEvidence(tx, tenantId, rows));
}

function newestEvidence(tx: Tx, tenantId: string, rows: readonly ListedProposal[]) {
  const proposalIds = rows.map(({ id }) => id);
  return evidenceOf(tx, { tenantId, proposalIds, most: MOST_EVIDENCE });
}

function presentProposal(
  row: ListedProposal,
  evidence: readonly Evidence[],
): z.input<typeof shownProposal> {
  const { id, number, kind, label, status, labels, resolution } = row;
  return {
    ...{ id, number, kind, label, tool_name: row.toolName, status, labels },
    last_labelled_at: row.lastLabelledAt === null ? null : iso(row.lastLabelledAt),
    evidence: evidence.filter(({ proposalId }) => proposalId === id).map(presentEvidence),
    resolution: resolution && {
      ...(resolution.ref ? { ref: resolution.ref } : {}),
      ...(resolution.note === undefined ? {} : { note: resolution.note }),
      ...{ by: resolution.by, at: iso(resolution.at) },
    },
    created_at: iso(row.createdAt),
    updated_at: iso(row.updatedAt),
  };
}

function presentEvidence(one: Evidence) {
  return {
    feedback_id: one.feedbackId,
    tool_call_id: one.toolCallId,
    tool_call_number: one.toolCallNumber,
    message_id: one.messageId,
    conversation_id: one.conversationId,
    note: one.note && keptText(one.note),
    staff_id: one.staffId,
    created_at: iso(one.createdAt),
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
