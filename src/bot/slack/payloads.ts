import { z } from "zod";

/** The parts of Slack's payloads that we read; everything else is let through unread. */

const file = z.looseObject({
  id: z.string().optional(),
  name: z.string().nullish(),
  mimetype: z.string().nullish(),
  size: z.number().nullish(),
});

const attachment = z.looseObject({
  /** Somebody's message that was passed on. */
  is_share: z.boolean().nullish(),
  author_name: z.string().nullish(),
  text: z.string().nullish(),
});

const contentFields = {
  type: z.literal("message"),
  subtype: z.string().optional(),
  user: z.string().optional(),
  bot_id: z.string().nullish(),
  text: z.string().nullish(),
  ts: z.string(),
  thread_ts: z.string().optional(),
  files: z.array(file).nullish(),
  attachments: z.array(attachment).nullish().catch(null),
};
const contentSchema = z.looseObject(contentFields);
const place = { channel: z.string(), channel_type: z.string().optional() };

/**
 * Loose like all of them: Slack adds fields at any time. What we read is checked, the rest is not
 * looked at.
 */
export const messageSchema = z.looseObject({ ...contentFields, ...place });

/** Also sent when Slack itself adds a preview: the text may be the same as before. */
export const changedMessageSchema = z.looseObject({
  type: z.literal("message"),
  subtype: z.literal("message_changed"),
  /** Of the change. */
  ts: z.string(),
  message: contentSchema,
  ...place,
});

/** Of messages only; on files and the like nobody labels anything. */
export const reactionSchema = z.looseObject({
  type: z.enum(["reaction_added", "reaction_removed"]),
  user: z.string(),
  reaction: z.string(),
  item: z.looseObject({ type: z.literal("message"), channel: z.string(), ts: z.string() }),
  event_ts: z.string().optional(),
});

/** The envelope; what its `event` is decides which schema reads that. */
export const eventSchema = z.looseObject({
  type: z.literal("event_callback"),
  event_id: z.string(),
  team_id: z.string().nullish(),
  context_team_id: z.string().nullish(),
  authorizations: z
    .array(z.looseObject({ team_id: z.string().nullish(), user_id: z.string().nullish() }))
    .nullish(),
  event: z.looseObject({ type: z.string() }),
});

const user = z.looseObject({
  id: z.string(),
  name: z.string().optional(),
  username: z.string().optional(),
  team_id: z.string().optional(),
});

/** A pressed button. The container says where, the message itself is not believed. */
export const blockActionsSchema = z.looseObject({
  type: z.literal("block_actions"),
  user,
  team: z.looseObject({ id: z.string() }).nullish(),
  trigger_id: z.string().optional(),
  response_url: z.string().optional(),
  channel: z.looseObject({ id: z.string() }).nullish(),
  container: z
    .looseObject({
      message_ts: z.string().optional(),
      channel_id: z.string().optional(),
      thread_ts: z.string().optional(),
    })
    .nullish(),
  actions: z
    .array(
      z.looseObject({
        type: z.string(),
        action_id: z.string(),
        value: z.string().optional(),
        action_ts: z.string().optional(),
      }),
    )
    .min(1),
});

/** A modal that was sent. `private_metadata` is ours and comes back as it was. */
export const viewSubmissionSchema = z.looseObject({
  type: z.literal("view_submission"),
  user,
  team: z.looseObject({ id: z.string() }).nullish(),
  trigger_id: z.string().optional(),
  view: z.looseObject({
    id: z.string(),
    callback_id: z.string(),
    private_metadata: z.string(),
    hash: z.string().optional(),
    state: z.looseObject({
      values: z.record(
        z.string(),
        z.record(z.string(), z.looseObject({ value: z.string().nullish() })),
      ),
    }),
  }),
});

/** Over HTTP it comes as a form, by socket as JSON. */
export const slashCommandSchema = z.looseObject({
  command: z.string().startsWith("/"),
  text: z.string().optional(),
  user_id: z.string(),
  user_name: z.string().optional(),
  team_id: z.string().nullish(),
  channel_id: z.string(),
  trigger_id: z.string().optional(),
  response_url: z.string().optional(),
});

/** What a modal carries to its submission, which says nothing about where it was opened. */
export const modalOriginSchema = z.object({
  subject: z.string(),
  chatId: z.string(),
  threadId: z.string().nullable(),
});
export type ModalOrigin = z.infer<typeof modalOriginSchema>;

export type EventCallback = z.infer<typeof eventSchema>;
export type SlackContent = z.infer<typeof contentSchema>;
export type SlackMessage = z.infer<typeof messageSchema>;
export type ChangedMessage = z.infer<typeof changedMessageSchema>;
export type SlackReaction = z.infer<typeof reactionSchema>;
export type BlockActions = z.infer<typeof blockActionsSchema>;
export type ViewSubmission = z.infer<typeof viewSubmissionSchema>;
export type SlashCommand = z.infer<typeof slashCommandSchema>;
