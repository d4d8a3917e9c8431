import { Hono } from "hono";
import { z } from "zod";
import { withTenant } from "../../store/db.ts";
import { listDestinations } from "../../store/destinations.ts";
import { listChannels } from "../../store/tenants.ts";
import { askedAnswer, noBody, rowList, shownFields } from "../answers.ts";
import { askedBody, changeAuthority } from "../change.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { notFound } from "../error-response.ts";
import { presentAll } from "../present.ts";

const channelsAnswer = rowList.extend({ destinations: z.array(shownFields) });
const destinationSchema = z.strictObject({
  channel_id: z.string().min(1).max(100),
  chat_id: z.string().min(1).max(64),
  purpose: z.enum(["operators", "review", "kyc"]),
});

/**
 * The bot accounts of a tenant, and the chats of its staff; which chats those are is decided on once
 * the tenant is open: 202 with the number of the approval.
 */
export function channelRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(
    routes,
    {
      method: "get",
      path: "/",
      summary: "Bot accounts, and the chats of the staff",
      answer: channelsAnswer,
    },
    async (c) => {
      const tenantId = c.get("tenantId");
      const { channels, destinations } = await withTenant(deps.db, tenantId, async (tx) => ({
        channels: await listChannels(tx, tenantId),
        destinations: await listDestinations(tx, tenantId),
      }));
      return c.json({ items: presentAll(channels), destinations: presentAll(destinations) });
    },
  );
  addDestinationChanges(routes, deps);
  return routes;
}

function addDestinationChanges(routes: Hono<AdminEnv>, deps: AdminDeps): void {
  endpoint(
    routes,
    {
      method: "post",
      path: "/destinations",
      summary: "Adds a chat of the staff",
      body: destinationSchema,
      answer: destinationSchema,
      status: 201,
      otherwise: { 202: askedAnswer },
    },
    async (c, { body }) => {
      const { channel_id: channelId, chat_id: chatId, purpose } = body;
      const requested = await changeAuthority(c, deps, async (tx, tenantId) => {
        const channel = (await listChannels(tx, tenantId)).find(({ id }) => id === channelId);
        if (!channel) throw notFound(`bot account ${channelId}`);
        const { messenger } = channel;
        return { kind: "destination", op: "add", messenger, channelId, chatId, purpose };
      });
      if (requested.kind === "asked") return c.json(askedBody(requested), 202);
      return c.json({ channel_id: channelId, chat_id: chatId, purpose }, 201);
    },
  );
  endpoint(
    routes,
    {
      method: "delete",
      path: "/destinations/:id",
      summary: "Takes a chat of the staff away",
      answer: noBody,
      status: 204,
      otherwise: { 202: askedAnswer },
    },
    async (c) => {
      const id = c.req.param("id") ?? "";
      const requested = await changeAuthority(c, deps, async (tx, tenantId) => {
        const place = (await listDestinations(tx, tenantId)).find((one) => one.id === id);
        if (!place) throw notFound(`chat ${id}`);
        const { messenger, channelId, chatId, purpose } = place;
        return { kind: "destination", op: "remove", messenger, channelId, chatId, purpose };
      });
      if (requested.kind === "asked") return c.json(askedBody(requested), 202);
      return c.body(null, 204);
    },
  );
}
