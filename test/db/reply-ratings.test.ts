import { and, desc, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { FeedbackLabel } from "../../src/domain/feedback.ts";
import { RATABLE_MS } from "../../src/domain/model-attempt.ts";
import { withOwner } from "../../src/store/db.ts";
import { giveFeedback, retractFeedback } from "../../src/store/feedback.ts";
import { allRatings } from "../../src/store/model-state.ts";
import { rateReply } from "../../src/store/reply-ratings.ts";
import { messages } from "../../src/store/schema/chat.ts";
import { modelCallLog, modelRatings } from "../../src/store/schema/runs.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, officeRules, openOffice, rule, TENANT } from "../support/office.ts";
import { addLead } from "../support/office-lead.ts";
import { asks, createScriptedModel, dueRun, playRun, stockTool } from "../support/office-run.ts";

forEachEngine((open) => {
  const { model, steps } = createScriptedModel();
  let office: Office;
  beforeAll(async () => {
    office = await openOffice(open, model, () => [stockTool([])]);
    await office.rules([...officeRules(), rule("ask_stock")]);
  });
  beforeEach(async () => {
    steps.length = 0;
    await withOwner(office.db, (tx) => tx.delete(modelRatings));
  });
  afterAll(() => office.close());

  /** A reply that came from a proposed call and from words, two calls of the model. */
  async function reply(...played: Parameters<typeof steps.push>) {
    steps.push(...played);
    const run = await playRun(office, await dueRun(office, await addLead(office)));
    const [message] = await office.tenant((tx) =>
      tx
        .select()
        .from(messages)
        .where(
          and(eq(messages.runId, run.id), eq(messages.author, "bot"), eq(messages.kind, "text")),
        )
        .orderBy(desc(messages.seq)),
    );
    if (!message) throw new Error("nothing was said");
    return { messageId: message.id, conversationId: message.conversationId, runId: run.id };
  }
  type Reply = Awaited<ReturnType<typeof reply>>;
  let at = Date.UTC(2026, 10, 1, 10);
  const feedbackOf = (
    { messageId, conversationId }: Reply,
    label: FeedbackLabel,
    staffId = "s-1",
  ) => {
    at += 1;
    return { tenantId: TENANT, messageId, conversationId, staffId, label, at };
  };
  const label = (one: Reply, what: FeedbackLabel, staffId?: string) =>
    office.tenant(async (tx) => {
      await giveFeedback(tx, feedbackOf(one, what, staffId));
      return rateReply(tx, { tenantId: TENANT, messageId: one.messageId, now: office.time.now });
    });
  const retract = (one: Reply, what: FeedbackLabel, staffId?: string) =>
    office.tenant(async (tx) => {
      await retractFeedback(tx, feedbackOf(one, what, staffId));
      return rateReply(tx, { tenantId: TENANT, messageId: one.messageId, now: office.time.now });
    });
  const scores = async ({ runId }: Reply) => {
    const rows = await office.tenant((tx) =>
      tx.select().from(modelCallLog).where(eq(modelCallLog.runId, runId)).orderBy(modelCallLog.id),
    );
    return rows.map(({ score }) => score);
  };
  const rating = async () => {
    const rows = await withOwner(office.db, allRatings);
    return rows.map(({ llmName, operation, sum, count }) => [llmName, operation, sum, count]);
  };

  describe("a label", () => {
    it.each<[FeedbackLabel, (number | null)[]]>([
      ["good_reply", [1, 1]],
      ["wrong_tool", [0, null]],
      ["bad_args", [0, null]],
      ["missing_tool", [null, 0]],
      ["other", [null, 0]],
    ])("%s is the verdict on the calls that it is about", async (what, expected) => {
      const one = await reply(asks("tea"), {});
      expect(await label(one, what)).toBe(true);
      expect(await scores(one)).toEqual(expected);
      const given = expected.filter((score): score is number => score !== null);
      const sum = given.reduce((all, score) => all + score, 0);
      expect(await rating()).toEqual([["test", "reply", sum, given.length]]);
    });

    it("that is taken back leaves no verdict, and a repeated one counts once", async () => {
      const one = await reply({});
      await label(one, "other");
      expect(await label(one, "other")).toBe(false);
      expect(await rating()).toEqual([["test", "reply", 0, 1]]);
      expect(await retract(one, "other")).toBe(true);
      expect(await scores(one)).toEqual([null]);
      expect(await rating()).toEqual([["test", "reply", 0, 0]]);
    });

    it("is outdone by a newer one, and comes back when that one goes", async () => {
      const one = await reply({});
      await label(one, "other", "s-1");
      await label(one, "good_reply", "s-2");
      expect([await scores(one), await rating()]).toEqual([[1], [["test", "reply", 1, 1]]]);
      await retract(one, "good_reply", "s-2");
      expect([await scores(one), await rating()]).toEqual([[0], [["test", "reply", 0, 1]]]);
    });

    it("on a reply of long ago changes no rating", async () => {
      const one = await reply({});
      office.time.now += RATABLE_MS + 1;
      expect(await label(one, "other")).toBe(false);
      expect(await rating()).toEqual([]);
    });

    it("of many people at once leaves one verdict", async () => {
      const one = await reply({});
      await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          label(one, n % 2 === 0 ? "good_reply" : "other", `s-${n}`),
        ),
      );
      const [score] = await scores(one);
      expect(await rating()).toEqual([["test", "reply", score, 1]]);
    });
  });
});
