import { afterAll, beforeAll, expect, it } from "vitest";
import { recordedMessages } from "../../src/quality/recorded-messages.ts";
import type { Database } from "../../src/store/database.ts";
import { withOwner, withTenant } from "../../src/store/db.ts";
import { ensureTenant } from "../../src/store/tenants.ts";
import { addMessage } from "../../src/store/transcript.ts";
import { forEachEngine } from "../support/database.ts";
import { playReply } from "../support/quality-rows.ts";

const NOW = Date.UTC(2026, 10, 1);

forEachEngine((open) => {
  let database: Database;
  beforeAll(async () => {
    database = await open();
    await withOwner(database.db, (tx) => ensureTenant(tx, { id: "t", name: "T", now: NOW }));
  });
  afterAll(() => database.close());
  const inTenant = <T>(work: Parameters<typeof withTenant<T>>[2]) =>
    withTenant(database.db, "t", work);
  const plays = () =>
    inTenant((tx) => playReply(tx, { tenantId: "t", now: NOW, calls: [{ tool: "ask_rate" }] }));
  const says = (conversationId: string, text: string) =>
    inTenant((tx) =>
      addMessage(tx, {
        ...{ tenantId: "t", conversationId, runId: null, now: NOW },
        ...{ author: "system", kind: "event", text },
      }),
    );

  it("calls stand with their results, without the rules before the conversation", async () => {
    const { conversationId } = await plays();
    const { seq } = await says(conversationId, "A-1 was approved");
    const read = (beforeSeq: number) =>
      inTenant((tx) => recordedMessages(tx, { tenantId: "t", conversationId, beforeSeq }));
    const wire = expect.stringMatching(/^call/);
    const before = [
      { role: "assistant", content: "What is the rate?" },
      {
        ...{ role: "assistant", content: "" },
        toolCalls: [{ id: wire, name: "ask_rate", arguments: '{"from":"USDT"}' }],
      },
      { role: "tool", toolCallId: wire, content: expect.stringContaining('"completed"') },
      { role: "assistant", content: "It is 32." },
    ];
    expect(await read(seq)).toEqual(before);
    expect(await read(seq + 1)).toEqual([
      ...before,
      { role: "system", content: "A-1 was approved" },
    ]);
    expect(await read(0)).toEqual([]);
  });

  it("the newest sixty before the place are taken, of one conversation", async () => {
    const [{ conversationId }, other] = [await plays(), await plays()];
    for (let count = 1; count <= 62; count += 1) await says(conversationId, `line ${count}`);
    const { seq: beforeSeq } = await says(conversationId, "the place");
    await says(other.conversationId, "elsewhere");
    const read = await inTenant((tx) =>
      recordedMessages(tx, { tenantId: "t", conversationId, beforeSeq }),
    );
    expect([read.length, read[0]?.content, read.at(-1)?.content]).toEqual([
      60,
      "line 3",
      "line 62",
    ]);
  });
});
