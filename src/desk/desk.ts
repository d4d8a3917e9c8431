import type { ChatFacts } from "../domain/chat-facts.ts";
import type { Desk, DeskAnswer, InboxRef } from "../domain/desk.ts";
import { messageOf } from "../domain/errors.ts";
import { type AnsweredEvent, type InboundEvent, isAnswered } from "../domain/inbound.ts";
import { type Tx, withTenant, withTenantRetried } from "../store/db.ts";
import { blankForm, failInbox, finishInbox, lockInbox } from "../store/inbox.ts";
import { findStaffByIdentity, type StaffMember } from "../store/staff.ts";
import { answerCommand } from "./commands/answer-command.ts";
import type { DeskDeps } from "./deps.ts";
import { answerForm, formErrors, formOf, mayOpenForm } from "./forms.ts";
import { noteReaction } from "./labels.ts";
import { answerPress } from "./press.ts";
import { isSecretForm } from "./secret-forms.ts";
import { staysSilent } from "./silence.ts";
import { DESK_TEXTS } from "./texts.ts";

/** An event that fails this often is put aside. */
const MOST_ATTEMPTS = 5;

/** What staff do in chat. Every event gets a private answer; twice is once. */
export function createDesk(deps: DeskDeps): Desk {
  return {
    async formFor(tenantId, click) {
      if (!mayOpenForm(click.action)) return null;
      return withTenant(deps.db, tenantId, async (tx) => {
        const staff = await staffOf(tx, tenantId, click);
        return formOf(tx, deps, { tenantId, staff, click });
      });
    },
    checkForm: (submission) => formErrors(deps, submission),
    handle: (ref) => handle(deps, ref),
  };
}

/** What a messenger was asked for the event before anything was written: never in a transaction. */
interface Outside {
  chat?: ChatFacts;
  isStillShown?: boolean;
}

type Step =
  | { kind: "answered"; answer: DeskAnswer | null }
  | { kind: "ask"; ask(): Promise<Outside> };

async function handle(deps: DeskDeps, ref: InboxRef): Promise<DeskAnswer | null> {
  try {
    let outside: Outside = {};
    for (;;) {
      const seen = outside;
      const step = await withTenantRetried(deps.db, ref.tenantId, (tx) =>
        once(tx, deps, ref, seen),
      );
      if (step.kind === "answered") return step.answer;
      outside = { ...outside, ...(await step.ask()) };
    }
  } catch (error) {
    const { tenantId, inboxId: id } = ref;
    deps.log.error({ inbox: id, error: messageOf(error) }, "desk event failed");
    const fail = { tenantId, id, most: MOST_ATTEMPTS, now: deps.clock.now() };
    await withTenant(deps.db, tenantId, (tx) => failInbox(tx, fail));
    return { text: DESK_TEXTS[deps.dress.staffLanguage].failed, alert: true };
  }
}

async function once(tx: Tx, deps: DeskDeps, ref: InboxRef, outside: Outside): Promise<Step> {
  const { tenantId, inboxId: id } = ref;
  const row = await lockInbox(tx, tenantId, id);
  if (row?.status !== "new") return { kind: "answered", answer: row?.answer ?? null };
  const event = row.payload;
  const step = await take(tx, deps, { tenantId, event, outside });
  if (step.kind === "ask") return step;
  const { privately: _never, ...stored } = step.answer ?? { text: "" };
  const answer = step.answer && stored;
  await finishInbox(tx, { tenantId, id, answer, now: deps.clock.now() });
  if (event.kind === "submission" && isSecretForm(event.form)) await blankForm(tx, tenantId, id);
  return step;
}

interface Taken {
  tenantId: string;
  event: InboundEvent;
  outside: Outside;
}

async function take(tx: Tx, deps: DeskDeps, { tenantId, event, outside }: Taken): Promise<Step> {
  if (event.kind === "reaction") await noteReaction(tx, deps, { tenantId, reaction: event });
  if (!isAnswered(event) || (await staysSilent(tx, tenantId, event)))
    return { kind: "answered", answer: null };
  const staff = await staffOf(tx, tenantId, event);
  switch (event.kind) {
    case "click":
      return answered(await answerPress(tx, deps, { tenantId, staff, click: event }));
    case "command": {
      const chat = outside.chat ?? null;
      const said = await answerCommand(tx, deps, { tenantId, staff, command: event, chat });
      if (said.kind === "answer") {
        const { kind: _kind, ...answer } = said;
        return answered(answer);
      }
      return { kind: "ask", ask: async () => ({ chat: await chatFacts(deps, event) }) };
    }
    case "submission": {
      const { messageId } = event;
      // the message goes before anything else: a process that dies then does it once more
      if (messageId && isSecretForm(event.form) && outside.isStillShown === undefined)
        return { kind: "ask", ask: () => deleteTyped(deps, event, messageId) };
      const { isStillShown = false } = outside;
      return answered(
        await answerForm(tx, deps, { tenantId, staff, submission: event, isStillShown }),
      );
    }
    default:
      return event satisfies never;
  }
}

function answered(answer: DeskAnswer): Step {
  return { kind: "answered", answer };
}

function chatFacts(deps: DeskDeps, { channelId, chatId }: AnsweredEvent): Promise<ChatFacts> {
  return deps.chatFacts(channelId, chatId);
}

async function deleteTyped(
  deps: DeskDeps,
  { channelId, chatId }: AnsweredEvent,
  messageId: string,
): Promise<Outside> {
  return { isStillShown: !(await deps.deleteMessage({ channelId, chatId, messageId })) };
}

function staffOf(tx: Tx, tenantId: string, event: AnsweredEvent): Promise<StaffMember | null> {
  const { messenger, person } = event;
  if (person.isBot) return Promise.resolve(null);
  return findStaffByIdentity(tx, { tenantId, messenger, teamId: person.teamId, userId: person.id });
}
