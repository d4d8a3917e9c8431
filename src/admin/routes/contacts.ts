import { Hono } from "hono";
import { z } from "zod";
import { emailAddress } from "../../domain/email-address.ts";
import { UserError } from "../../domain/errors.ts";
import {
  type ContactCard,
  contactCard,
  setContactEmail,
  setContactField,
} from "../../store/contact-card.ts";
import { type Tx, withTenant } from "../../store/db.ts";
import { openTasksOf, taskName } from "../../store/tasks.ts";
import { CARD_FIELDS, type CardField, fieldProblem } from "../../tools/crm/card-fields.ts";
import { shownRow } from "../answers.ts";
import { type Change, change } from "../change.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { notFound } from "../error-response.ts";
import { present } from "../present.ts";

const OTHER_FIELDS = CARD_FIELDS.filter((field) => field !== "email");
const patchSchema = z.strictObject({
  email: emailAddress.nullable().optional(),
  /** The address is known to be the contact's own: letters may be proposed to it. */
  email_verified: z.boolean().optional(),
  attributes: z.partialRecord(z.enum(OTHER_FIELDS), z.string().nullable()).optional(),
});
type Patch = z.infer<typeof patchSchema>;

/** The customer's card: what the bot's tools read of a contact. */
export function contactRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(
    routes,
    { method: "get", path: "/:id", summary: "A customer's card", answer: shownRow },
    async (c) => {
      const which = { tenantId: c.get("tenantId"), contactId: c.req.param("id") ?? "" };
      return c.json(await withTenant(deps.db, which.tenantId, (tx) => shownCard(tx, which)));
    },
  );
  endpoint(
    routes,
    {
      method: "patch",
      path: "/:id",
      summary: "Changes fields of the card; null takes one away",
      body: patchSchema,
      answer: shownRow,
    },
    async (c, { body: patch }) => {
      const contactId = c.req.param("id") ?? "";
      const shown = await change(c, deps, async (tx, made) => {
        const which = { tenantId: made.tenantId, contactId };
        await changeCard(tx, await cardOf(tx, which, true), { patch, made });
        return shownCard(tx, which);
      });
      return c.json(shown);
    },
  );
  return routes;
}

interface Which {
  tenantId: string;
  contactId: string;
}

async function cardOf(tx: Tx, which: Which, lock: boolean): Promise<ContactCard> {
  const card = await contactCard(tx, which, { lock });
  if (!card) throw notFound(`contact ${which.contactId}`);
  return card;
}

interface Changing {
  patch: Patch;
  made: Change;
}

async function changeCard(tx: Tx, card: ContactCard, changing: Changing): Promise<void> {
  const { attributes = {}, email, email_verified } = changing.patch;
  // the schema lets only these names through
  for (const [name, value] of Object.entries(attributes))
    await changeField(tx, card, changing.made, { field: name as CardField, value: value ?? null });
  if (email !== undefined || email_verified !== undefined) await changeEmail(tx, card, changing);
}

async function changeField(
  tx: Tx,
  { id }: ContactCard,
  { tenantId, by, now, audit }: Change,
  { field, value }: { field: CardField; value: string | null },
): Promise<void> {
  if (value !== null) refuseBad(field, value);
  await setContactField(tx, { tenantId, contactId: id, name: field, value, by, now });
  audit("contact.changed", `${field} was ${value === null ? "removed" : "set"}`, { contact: id });
}

/** Another address is unverified until it is said to be. */
async function changeEmail(tx: Tx, card: ContactCard, { patch, made }: Changing): Promise<void> {
  const { tenantId, by, now } = made;
  const value = patch.email === undefined ? card.email : patch.email;
  const wasVerified = value === card.email && card.emailVerifiedAt !== null;
  const isVerified = patch.email_verified ?? wasVerified;
  await setContactEmail(tx, { tenantId, contactId: card.id, value, isVerified, by, now });
  const verified = isVerified ? ", verified" : "";
  const summary = value === null ? "the e-mail was removed" : `the e-mail was set${verified}`;
  made.audit("contact.changed", summary, { contact: card.id });
}

function refuseBad(field: CardField, value: string): void {
  const problem = fieldProblem(field, value);
  if (problem === null) return;
  const path = `attributes.${field}`;
  throw new UserError("invalid", `${path}: ${problem.replace("value: ", "")}`, path);
}

async function shownCard(tx: Tx, which: Which) {
  const { fields, ...card } = await cardOf(tx, which, false);
  const tasks = await openTasksOf(tx, which);
  return {
    ...present(card),
    attributes: fields.map(present),
    tasks: tasks.map((task) => ({ ...present(task), name: taskName(task) })),
  };
}
