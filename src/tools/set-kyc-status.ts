import { z } from "zod";
import type { Media } from "../domain/inbound.ts";
import type { Language } from "../domain/language.ts";
import { nextNumber } from "../store/counters.ts";
import type { Tx } from "../store/db.ts";
import { contactKyc, setKyc } from "../store/kyc.ts";
import { leadFiles, leadMediaMessages } from "../store/lead-messages.ts";
import { lockConversation } from "../store/runs.ts";
import { tenantById } from "../store/tenants.ts";
import type { CallScope, PreparedAction, PrepareRefusal, RagTool, ToolCall } from "./contract.ts";
import { moveStage } from "./exchange/tools/move-stage.ts";
import { refusal, success } from "./results.ts";

const parameters = z.strictObject({
  contactId: z.string().min(1).max(64),
  status: z.enum(["verified", "rejected"]),
  documents: z.array(z.string().min(1).max(64)).min(1).max(20).describe("message ids"),
});
type Args = z.infer<typeof parameters>;

/** Proposed by the system when documents come; a person's approval is the verification. */
export function setKycStatus(): RagTool<Args> {
  return {
    name: "set_kyc_status",
    title: "Identity decision",
    description: {
      does: "Records what a person decided about a client's identity documents.",
      when: "the system proposes it when documents arrive.",
      whenNot: "never by a model.",
      needs: "contactId, status and the messages with the documents.",
      limits: "changes what the client may do.",
      returns: "the new status.",
    },
    risk: "permission_change",
    sideEffectType: "internal_rows",
    parameters,
    output: z.object({ ok: z.literal(true), status: z.string(), verificationId: z.string() }),
    offered: false,
    staged: false,
    isAvailable: () => true,
    resources: ({ contactId }) => [{ path: "contactId", kind: "contact", id: contactId }],
    prepare,
    async run(call) {
      const action = parameters.parse(call.action);
      return { kind: "write", apply: async (tx) => ({ result: await record(tx, call, action) }) };
    },
  };
}

/** Other documents are another action: a second submission is a question of its own. */
async function prepare(
  tx: Tx,
  args: Args,
  scope: CallScope,
): Promise<PreparedAction | PrepareRefusal> {
  const client = await contactKyc(tx, scope);
  if (!client || args.contactId !== scope.contactId)
    return refused("PERMISSION_DENIED", "the documents belong to another conversation");
  const documents = await leadMediaMessages(tx, scope, args.documents);
  if (documents.length !== new Set(args.documents).size)
    return refused("NOT_FOUND", "not all of these messages are documents of this client");
  const texts = TEXTS[(await tenantById(tx, scope.tenantId))?.language ?? "en"];
  const media = documents.flatMap((document) => document.media);
  return {
    kind: "action",
    action: {
      contactId: args.contactId,
      status: args.status,
      documents: documents.map((document) => document.id),
    },
    // the first document names the submission: later files of it take the card's place, and a
    // check that was decided blocks no later one
    businessKey: `kyc:${args.contactId}:${documents[0]?.id ?? "none"}`,
    material: [
      { label: texts.client, value: client.name },
      { label: texts.decision, value: texts.statuses[args.status] },
      { label: texts.received, value: media.map((one) => mediaText(one, texts)).join(", ") },
      ...warnings(media, texts),
    ],
    files: await leadFiles(tx, scope, args.documents),
  };
}

async function record(tx: Tx, call: ToolCall, { contactId, status }: Args) {
  const { tenantId } = call;
  await lockConversation(tx, tenantId, call.conversationId);
  const number = await nextNumber(tx, tenantId, { name: "verification", first: 1 });
  const verificationId = `KYC-${number}`;
  await setKyc(tx, { tenantId, contactId }, { status, verificationId });
  if (status === "verified") await moveStage(tx, call, "kyc_approved");
  const summary = `identity ${status}`;
  return success({ type: "verification", id: verificationId, summary }, { status, verificationId });
}

function refused(code: "PERMISSION_DENIED" | "NOT_FOUND", summary: string): PrepareRefusal {
  const result = refusal({ type: "verification", reason: "not_prepared", summary, code });
  return { kind: "refused", result };
}

type Texts = (typeof TEXTS)[Language];

function mediaText(media: Media, texts: Texts): string {
  const kind = texts.kinds[media.kind] ?? media.kind;
  if (!media.forwarded) return kind;
  // whose it was by kind alone: a name is what its owner wrote, and no fact
  const origin = media.forwardedFrom ? ` ${texts.origins[media.forwardedFrom.kind]}` : "";
  return `${kind} (${texts.forwarded}${origin})`;
}

function warnings(media: readonly Media[], texts: Texts): { label: string; value: string }[] {
  const isVideo = (one: Media) => one.kind === "video" || one.kind === "video_note";
  const videos = media.filter(isVideo);
  const notes = [
    ...(videos.length === 0 ? [texts.noVideo] : []),
    ...(videos.some((one) => one.forwarded) ? [texts.forwardedVideo] : []),
    ...(media.every(isVideo) ? [texts.noDocument] : []),
  ];
  return notes.map((value) => ({ label: texts.note, value }));
}

const TEXTS = {
  en: {
    client: "Client",
    decision: "Approve means",
    statuses: { verified: "identity verified", rejected: "documents rejected" },
    received: "Received",
    note: "Note",
    forwarded: "forwarded",
    origins: {
      user: "from a user",
      hidden_user: "from a hidden user",
      chat: "from a group",
      channel: "from a channel",
    },
    noVideo: "no video was sent",
    noDocument: "no document was sent",
    forwardedVideo: "a forwarded round video is no proof of who sent it",
    kinds: { photo: "photo", document: "document", video: "video", video_note: "round video" } as {
      [kind: string]: string;
    },
  },
  ru: {
    client: "Клиент",
    decision: "Одобрить значит",
    statuses: { verified: "личность подтверждена", rejected: "документы отклонены" },
    received: "Получено",
    note: "Внимание",
    forwarded: "переслано",
    origins: {
      user: "от пользователя",
      hidden_user: "от скрытого пользователя",
      chat: "из группы",
      channel: "из канала",
    },
    noVideo: "видео не прислано",
    noDocument: "документ не прислан",
    forwardedVideo: "пересланный кружок не доказывает, кто его прислал",
    kinds: { photo: "фото", document: "документ", video: "видео", video_note: "кружок" } as {
      [kind: string]: string;
    },
  },
} as const satisfies Record<Language, unknown>;
