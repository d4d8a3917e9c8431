import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { presentTrace } from "../../src/admin/routes/conversations.ts";
import { noteReaction } from "../../src/desk/labels.ts";
import type { FeedbackLabel } from "../../src/domain/feedback.ts";
import { newId } from "../../src/domain/ids.ts";
import type { MessengerName, ReactionEvent } from "../../src/domain/inbound.ts";
import { conversationTrace } from "../../src/store/conversation-trace.ts";
import type { Database } from "../../src/store/database.ts";
import { withOwner, withTenant } from "../../src/store/db.ts";
import { listProposals } from "../../src/store/quality-proposals.ts";
import { contacts, conversations, outbox } from "../../src/store/schema/chat.ts";
import { agentToolCallFeedback, agentToolCalls } from "../../src/store/schema/runs.ts";
import { auditLog } from "../../src/store/schema/tenancy.ts";
import { createStaff, updateStaff } from "../../src/store/staff.ts";
import { ensureTenant } from "../../src/store/tenants.ts";
import { addMessage } from "../../src/store/transcript.ts";
import { forEachEngine } from "../support/database.ts";

const NOW = Date.UTC(2026, 10, 1);
const REVIEW: Record<MessengerName, string> = { telegram: "-1002", slack: "C0REVIEW" };
const ALICE: Record<MessengerName, string> = { telegram: "2001", slack: "U0ALICE" };
let count = 0;

forEachEngine((open) => {
  let database: Database;
  let staffId: string;
  let reply: { id: string; conversationId: string };
  let mirrorId: string;
  let seconds = 0;

  const inTenant = <T>(work: Parameters<typeof withTenant<T>>[2]) =>
    withTenant(database.db, "t", work);

  beforeAll(async () => {
    database = await open();
    await withOwner(database.db, (tx) => ensureTenant(tx, { id: "t", name: "T", now: NOW }));
    staffId = await inTenant((tx) =>
      createStaff(tx, {
        ...{ tenantId: "t", name: "Alice", role: "operator", now: NOW },
        identities: (["telegram", "slack"] as const).map((messenger) => ({
          ...{ messenger, teamId: "", userId: ALICE[messenger] },
        })),
      }),
    );
  });
  beforeEach(async () => {
    count += 1;
    mirrorId = `mirror-${count}`;
    reply = await aReply();
    for (const messenger of ["telegram", "slack"] as const)
      await shown({
        messageId: reply.id,
        messenger,
        externalIds: [mirrorId, `${mirrorId}-part-2`],
      });
  });
  afterAll(() => database.close());

  async function aReply(): Promise<typeof reply> {
    const conversationId = newId();
    return inTenant(async (tx) => {
      const contactId = newId();
      await tx.insert(contacts).values({ id: contactId, tenantId: "t", name: "L", createdAt: NOW });
      await tx.insert(conversations).values({
        ...{ id: conversationId, tenantId: "t", contactId, channelId: "telegram", chatId: newId() },
        ...{ messenger: "telegram", language: "en", createdAt: NOW, updatedAt: NOW },
      });
      const said = { author: "bot" as const, kind: "text" as const, text: "hi", runId: null };
      const { id } = await addMessage(tx, { tenantId: "t", conversationId, ...said, now: NOW });
      return { id, conversationId };
    });
  }

  async function shown(row: {
    messageId: string;
    messenger: MessengerName;
    externalIds: string[];
    purpose?: "mirror" | "reply" | "notice";
  }): Promise<void> {
    const { messenger, purpose = "mirror", ...rest } = row;
    await inTenant((tx) =>
      tx.insert(outbox).values({
        ...{ id: newId(), tenantId: "t", channelId: messenger, chatId: REVIEW[messenger], purpose },
        ...{ content: { kind: "text", text: "hi" }, status: "sent", dueAt: NOW, createdAt: NOW },
        ...rest,
      }),
    );
  }

  async function calledTools(names: string[]): Promise<void> {
    await inTenant((tx) =>
      tx.insert(agentToolCalls).values(
        names.map((toolName, toolCallIndex) => ({
          ...{ id: newId(), tenantId: "t", contactId: "c", candidateId: newId(), source: "model" },
          ...{ conversationId: reply.conversationId, messageId: reply.id, toolName, toolCallIndex },
          ...{ isError: false, cycle: 0, createdAt: NOW },
        })),
      ),
    );
  }

  /** Alice in the review chat, unless said otherwise; each a second after the one before. */
  async function reacts(
    change: { added?: string[]; removed?: string[] },
    over: Partial<ReactionEvent> & { userId?: string } = {},
  ): Promise<void> {
    seconds += 1;
    const { userId, ...rest } = over;
    const messenger = over.messenger ?? "telegram";
    const id = userId ?? ALICE[messenger];
    const reaction: ReactionEvent = {
      ...{ kind: "reaction", messenger, channelId: messenger, chatId: REVIEW[messenger] },
      ...{ eventKey: newId(), chatKind: "group", threadId: null, messageId: mirrorId },
      ...{ sentAt: NOW + seconds * 1000, added: [], removed: [], ...change },
      person: { id, teamId: messenger === "slack" ? "T1" : "", name: "A", isBot: false },
      ...rest,
    };
    const clock = { now: () => NOW };
    await inTenant((tx) =>
      noteReaction(tx, { clock, ratingsChanged: () => {} }, { tenantId: "t", reaction }),
    );
  }

  async function rows() {
    return inTenant((tx) =>
      tx.select().from(agentToolCallFeedback).where(eq(agentToolCallFeedback.messageId, reply.id)),
    );
  }
  const standing = async () =>
    (await rows()).filter((row) => row.retractedAt === null).map(({ label }) => label);
  async function audited(): Promise<string[]> {
    const lines = await inTenant((tx) =>
      tx.select().from(auditLog).where(eq(auditLog.conversationId, reply.conversationId)),
    );
    return lines.map(({ eventType, decision }) => `${eventType} ${decision}`);
  }

  describe("a staff member's reaction to a mirrored reply", () => {
    it.each<[string, FeedbackLabel]>([
      ["👍", "good_reply"],
      ["👎", "other"],
      ["🤔", "wrong_tool"],
      ["🤷", "missing_tool"],
      ["🤷‍♂", "missing_tool"],
      ["🤷‍♀️", "missing_tool"],
      ["✍️", "bad_args"],
    ])("%s in Telegram means %s", async (emoji, label) => {
      await reacts({ added: [emoji] });
      expect(await rows()).toMatchObject([
        { label, toolCallId: "", staffId, source: "reaction", retractedAt: null },
      ]);
    });

    it.each<[string, FeedbackLabel]>([
      ["+1", "good_reply"],
      ["-1", "other"],
      ["thinking_face", "wrong_tool"],
      ["shrug", "missing_tool"],
      ["man-shrugging", "missing_tool"],
      ["woman-shrugging", "missing_tool"],
      ["writing_hand", "bad_args"],
    ])("%s in Slack means %s", async (name, label) => {
      await reacts({ added: [name] }, { messenger: "slack" });
      expect(await standing()).toEqual([label]);
    });

    it("is one label for each tool call of the reply", async () => {
      await calledTools(["search_knowledge_base", "compute_exchange_quote"]);
      await reacts({ added: ["🤔"] });
      const calls = await inTenant((tx) =>
        tx.select().from(agentToolCalls).where(eq(agentToolCalls.messageId, reply.id)),
      );
      const labelled = (await rows()).map(({ toolCallId }) => toolCallId).sort();
      expect(labelled).toEqual(calls.map(({ id }) => id).sort());
    });

    it("counts at any part of a long reply", async () => {
      await reacts({ added: ["👍"] }, { messageId: `${mirrorId}-part-2` });
      expect(await standing()).toEqual(["good_reply"]);
    });

    it("counts at the reply itself, where it was sent", async () => {
      await shown({
        ...{ messageId: reply.id, messenger: "telegram", externalIds: [`sent-${mirrorId}`] },
        purpose: "reply",
      });
      await reacts({ added: ["👍"] }, { messageId: `sent-${mirrorId}` });
      expect(await standing()).toEqual(["good_reply"]);
    });

    it("by both accounts of one person counts once", async () => {
      await reacts({ added: ["👍"] });
      await reacts({ added: ["+1"] }, { messenger: "slack" });
      expect(await standing()).toEqual(["good_reply"]);
    });

    it("of several kinds is several labels", async () => {
      await reacts({ added: ["🤔", "✍"] });
      expect((await standing()).sort()).toEqual(["bad_args", "wrong_tool"]);
    });

    it("is written to the trail with who and what", async () => {
      await reacts({ added: ["🤔"] });
      await reacts({ removed: ["🤔"] });
      expect(await audited()).toEqual([
        "feedback.given wrong_tool",
        "feedback.retracted wrong_tool",
      ]);
    });
  });

  describe("a reaction taken back", () => {
    it("takes the label back, and set again it stands again", async () => {
      await reacts({ added: ["👍"] });
      await reacts({ removed: ["👍"] });
      expect(await standing()).toEqual([]);
      await reacts({ added: ["👍"] });
      expect(await standing()).toEqual(["good_reply"]);
      expect(await rows()).toHaveLength(1);
    });

    it("takes back the labels of all tool calls", async () => {
      await calledTools(["a", "b"]);
      await reacts({ added: ["👎"] });
      await reacts({ removed: ["👎"] });
      expect(await standing()).toEqual([]);
      expect(await rows()).toHaveLength(2);
    });

    it("and changed to another emoji is the other label", async () => {
      await reacts({ added: ["👍"] });
      await reacts({ added: ["👎"], removed: ["👍"] });
      expect(await standing()).toEqual(["other"]);
    });

    it("and changed to another emoji of the same meaning changes nothing", async () => {
      await reacts({ added: ["🤷"] });
      await reacts({ added: ["🤷‍♂"], removed: ["🤷"] });
      expect(await standing()).toEqual(["missing_tool"]);
      expect(await audited()).toEqual(["feedback.given missing_tool"]);
    });

    it("whose news comes before that it was set leaves no label", async () => {
      await reacts({ added: ["👍"] });
      const removedAt = NOW + 1_000_000_000;
      await reacts({ removed: ["👍"] }, { sentAt: removedAt });
      await reacts({ added: ["👍"] }, { sentAt: removedAt - 500 });
      expect(await standing()).toEqual([]);
    });
  });

  describe("nothing changes", () => {
    it("by the same reaction twice", async () => {
      await reacts({ added: ["👍"] });
      const before = await rows();
      await reacts({ added: ["👍"] });
      await reacts({ removed: ["🤔"] });
      expect(await rows()).toEqual(before);
      expect(await audited()).toEqual(["feedback.given good_reply"]);
    });

    it("by a stranger, or a bot", async () => {
      const bot = { id: ALICE.telegram, teamId: "", name: "bot", isBot: true };
      await reacts({ added: ["👍"] }, { userId: "4001" });
      await reacts({ added: ["👍"] }, { person: bot });
      expect(await rows()).toEqual([]);
    });

    it("by a suspended person", async () => {
      const change = (status: "active" | "suspended") =>
        inTenant((tx) => updateStaff(tx, { tenantId: "t", staffId }, { status }));
      await change("suspended");
      await reacts({ added: ["👍"] });
      await change("active");
      expect(await rows()).toEqual([]);
    });

    it.each([["🔥"], ["✅"], ["constructor"], [""]])("by the emoji '%s'", async (emoji) => {
      await reacts({ added: [emoji] });
      await reacts({ added: [emoji] }, { messenger: "slack" });
      expect(await rows()).toEqual([]);
    });

    it("by a reaction to another message, in another chat, or by way of another bot", async () => {
      await reacts({ added: ["👍"] }, { messageId: "unknown" });
      await reacts({ added: ["👍"] }, { chatId: "-9" });
      await reacts({ added: ["👍"] }, { channelId: "other" });
      expect(await rows()).toEqual([]);
    });

    it("by a reaction to what is no reply of the bot's", async () => {
      const line = { author: "system" as const, kind: "event" as const, text: "x", runId: null };
      const { conversationId } = reply;
      const { id } = await inTenant((tx) =>
        addMessage(tx, { tenantId: "t", conversationId, ...line, now: NOW }),
      );
      const messageId = `event-${mirrorId}`;
      await shown({ messageId: id, messenger: "telegram", externalIds: [messageId] });
      await reacts({ added: ["👍"] }, { messageId });
      expect(await inTenant((tx) => tx.select().from(agentToolCallFeedback))).not.toContainEqual(
        expect.objectContaining({ messageId: id }),
      );
    });
  });

  it("a reaction that says what to change opens a proposal for each tool of the reply", async () => {
    await calledTools(["reacted_a", "reacted_b"]);
    const open = async () => {
      const rows = await inTenant((tx) =>
        listProposals(tx, { tenantId: "t", limit: 100, after: null, status: "pending" }),
      );
      return rows
        .filter(({ toolName }) => toolName.startsWith("reacted_"))
        .map(({ label, toolName }) => `${label} ${toolName}`);
    };
    await reacts({ added: ["👎"] });
    expect(await open()).toEqual([]);
    await reacts({ added: ["🤔"] });
    expect((await open()).sort()).toEqual(["wrong_tool reacted_a", "wrong_tool reacted_b"]);
    await reacts({ removed: ["🤔"] });
    expect(await open()).toEqual([]);
  });

  it("the trace of a conversation shows the labels that stand, per reply", async () => {
    await reacts({ added: ["🤔", "👎"] });
    await reacts({ removed: ["👎"] });
    const { conversationId } = reply;
    const trace = await inTenant((tx) => conversationTrace(tx, { tenantId: "t", conversationId }));
    const shownTrace = trace && presentTrace(trace);
    expect(shownTrace?.messages).toMatchObject([{ id: reply.id, labels: ["wrong_tool"] }]);
    expect(shownTrace?.feedback).toMatchObject([
      { message_id: reply.id, staff_id: staffId },
      { message_id: reply.id, retracted_at: expect.stringMatching(/^2026-/) },
    ]);
  });

  it("another tenant's staff change nothing, whatever message they name", async () => {
    const reaction: ReactionEvent = {
      ...{
        kind: "reaction",
        messenger: "telegram",
        channelId: "telegram",
        chatId: REVIEW.telegram,
      },
      ...{ eventKey: newId(), chatKind: "group", threadId: null, messageId: mirrorId },
      ...{ sentAt: NOW, added: ["👍"], removed: [] },
      person: { id: ALICE.telegram, teamId: "", name: "A", isBot: false },
    };
    await withOwner(database.db, (tx) => ensureTenant(tx, { id: "u", name: "U", now: NOW }));
    await withTenant(database.db, "u", async (tx) => {
      const identities = [{ messenger: "telegram" as const, teamId: "", userId: ALICE.telegram }];
      const person = { tenantId: "u", name: "A", role: "operator" as const, identities, now: NOW };
      await createStaff(tx, person);
      const deps = { clock: { now: () => NOW }, ratingsChanged: () => {} };
      await noteReaction(tx, deps, { tenantId: "u", reaction });
      expect(await tx.select().from(agentToolCallFeedback)).toEqual([]);
    });
  });
});
