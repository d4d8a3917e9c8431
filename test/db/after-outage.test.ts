import { afterAll, beforeAll, expect, it } from "vitest";
import { createAfterOutage } from "../../src/after-outage.ts";
import { DEFAULT_TENANT } from "../../src/bootstrap.ts";
import type { MessengerEdge } from "../../src/bot/edge.ts";
import type { MessengerName } from "../../src/domain/inbound.ts";
import { withOwner, withTenant } from "../../src/store/db.ts";
import { macOf } from "../../src/store/row-mac.ts";
import { contacts, conversations } from "../../src/store/schema/chat.ts";
import { ensureTenant } from "../../src/store/tenants.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, openOffice } from "../support/office.ts";

const tenantId = DEFAULT_TENANT;

forEachEngine((open) => {
  let office: Office;
  beforeAll(async () => {
    office = await openOffice(open);
    const now = office.time.now;
    await withOwner(office.db, (tx) => ensureTenant(tx, { id: tenantId, name: "Default", now }));
  });
  afterAll(() => office.close());

  const chat = (messenger: MessengerName, number: number, at: number) =>
    withTenant(office.db, tenantId, async (tx) => {
      const contactId = `${messenger}-${number}`;
      const common = { createdAt: at, language: "en" as const };
      const place = {
        ...{ id: `c-${contactId}`, tenantId, contactId, messenger, channelId: messenger },
        chatId: contactId,
      };
      await tx.insert(contacts).values({ tenantId, createdAt: at, id: contactId, name: contactId });
      const mac = macOf(tx, "conversations", place);
      await tx.insert(conversations).values({ ...common, ...place, mac, updatedAt: at });
    });

  it("after an outage each messenger's own chats are read, however busy another one is", async () => {
    const { now } = office.time;
    for (let number = 1; number <= 3; number += 1) await chat("slack", number, now - number);
    for (let number = 1; number <= 201; number += 1) await chat("telegram", number, now + number);
    const read: (readonly string[])[] = [];
    const edge: Pick<MessengerEdge, "messenger" | "catchUp"> = {
      messenger: {
        name: "slack",
        channelId: "slack",
        deliver: () => Promise.reject(),
        showTyping: async () => {},
      },
      catchUp: async ({ chatIds }) => read.push(chatIds),
    };
    const log = { info() {}, warn() {} };
    const base = { database: office.database, clock: office.clock, log };
    const product = { deskDeps: office.desk, edges: [edge] };
    const after = createAfterOutage(base as never, product as never); // it asks no more of either
    after.recover({ from: now - 80_000, until: now });
    await expect.poll(() => read).toEqual([["slack-1", "slack-2", "slack-3"]]);
    await after.stop();
  });
});
