import type { Language } from "../domain/language.ts";
import type { ApprovalRow } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import { destinationsOf } from "../store/destinations.ts";
import { type WriteOutgoing, writeOutgoing } from "../store/outbox.ts";
import { listStaff, type StaffWithIdentities } from "../store/staff.ts";
import { listChannels } from "../store/tenants.ts";
import { announce } from "./announce.ts";
import { showWhereMissing } from "./cards-after-outage.ts";
import type { DeskDeps } from "./deps.ts";
import { namedWaiting } from "./waiting-lines.ts";

/**
 * The operators did not decide: the second group is the admins. They are named in the operators'
 * chats and told in private; where there is none, the review chats are told.
 */
export async function tellAdmins(
  tx: Tx,
  deps: DeskDeps,
  approvals: readonly ApprovalRow[],
): Promise<void> {
  const tenantId = approvals[0]?.tenantId;
  if (tenantId === undefined) return;
  const { jobs, staffLanguage: language } = deps.dress;
  const now = deps.clock.now();
  const texts = TEXTS[language];
  const write = { jobs, tenantId, now };
  const admins = await otherAdmins(tx, tenantId, approvals);
  const what = namedWaiting(approvals, now, language);
  const names = admins.map(({ name }) => name.replace(/\s+/gu, " ")).join(", ");
  await showWhereMissing(tx, deps, approvals);
  await announce(tx, write, `${texts.undecided} ${what}. ${texts.asked(names)}`);
  if (admins.length === 0) return tellReview(tx, write, `${texts.undecided} ${what}`);
  await tellInPrivate(tx, write, { admins, text: `${texts.undecided} ${what}. ${texts.decide}` });
}

/** Whoever asked for it may not decide. */
async function otherAdmins(
  tx: Tx,
  tenantId: string,
  approvals: readonly ApprovalRow[],
): Promise<StaffWithIdentities[]> {
  const people = await listStaff(tx, tenantId);
  return people.filter(
    ({ id, role, status }) =>
      role === "admin" &&
      status === "active" &&
      approvals.some(({ requestedBy }) => requestedBy !== id),
  );
}

/** A messenger that does not let us write to somebody refuses it: the line in the group stands. */
async function tellInPrivate(
  tx: Tx,
  write: WriteOutgoing,
  { admins, text }: { admins: readonly StaffWithIdentities[]; text: string },
): Promise<void> {
  const channels = await listChannels(tx, write.tenantId);
  const chats = admins.flatMap(({ identities }) =>
    identities.flatMap(({ messenger, userId }) => {
      const channel = channels.find((one) => one.messenger === messenger);
      return channel ? [{ channelId: channel.id, chatId: userId }] : [];
    }),
  );
  await writeNotices(tx, write, chats, text);
}

async function tellReview(tx: Tx, write: WriteOutgoing, text: string): Promise<void> {
  await writeNotices(tx, write, await destinationsOf(tx, write.tenantId, "review"), text);
}

async function writeNotices(
  tx: Tx,
  write: WriteOutgoing,
  chats: readonly { channelId: string; chatId: string }[],
  text: string,
): Promise<void> {
  const content = { kind: "text" as const, text };
  const rows = chats.map(({ channelId, chatId }) => ({
    ...{ channelId, chatId, purpose: "notice" as const, content },
  }));
  await writeOutgoing(tx, write, rows);
}

const TEXTS = {
  en: {
    undecided: "🔺 Nobody has decided yet:",
    asked: (names: string) =>
      names === "" ? "There is no admin to ask." : `Admins, please decide: ${names}`,
    decide: "Please decide on the card in the operators' chat.",
  },
  ru: {
    undecided: "🔺 До сих пор никто не решил:",
    asked: (names: string) =>
      names === ""
        ? "Администратора, которого можно спросить, нет."
        : `Решите, пожалуйста: ${names}`,
    decide: "Решите, пожалуйста, на карточке в чате операторов.",
  },
} as const satisfies Record<Language, unknown>;
