import type { TelegramCore } from "./core.ts";
import { badRequest } from "./errors.ts";
import type { Methods } from "./methods.ts";
import type { Params } from "./params.ts";
import { requireChat, startMessage } from "./send-target.ts";
import type { ChatState, Topic } from "./state.ts";

const MAX_NAME = 128;
const DEFAULT_COLOR = 7_322_096;

/** Topics of a forum. A topic's id is the id of the service message that opened it. */
export function topicMethods(core: TelegramCore): Methods {
  return {
    table: {
      createforumtopic: ({ params }) => createTopic(core, params),
      editforumtopic: ({ params }) => changeTopic(core, params, "edit"),
      closeforumtopic: ({ params }) => changeTopic(core, params, "close"),
      reopenforumtopic: ({ params }) => changeTopic(core, params, "reopen"),
      deleteforumtopic: ({ params }) => changeTopic(core, params, "delete"),
    },
  };
}

function createTopic(core: TelegramCore, params: Params) {
  const forum = requireForum(core, params);
  const name = (params.text("name") ?? "").trim();
  if (name === "") throw badRequest("TOPIC_NAME_EMPTY");
  if ([...name].length > MAX_NAME) throw badRequest("TOPIC_NAME_INVALID");
  const color = params.integer("icon_color") ?? DEFAULT_COLOR;
  const opened = { name, icon_color: color };
  const draft = startMessage(core, forum, params);
  const threadId = draft.message_id;
  core.emit("topic", { chatId: forum.chat.id, threadId, name, state: "open" });
  core.emit("message", {
    message: {
      ...draft,
      message_thread_id: threadId,
      is_topic_message: true,
      forum_topic_created: opened,
    },
  });
  return { message_thread_id: threadId, ...opened };
}

function changeTopic(
  core: TelegramCore,
  params: Params,
  change: "edit" | "close" | "reopen" | "delete",
): true {
  const forum = requireForum(core, params);
  const threadId = params.integer("message_thread_id") ?? 0;
  const topic = forum.topics.get(threadId);
  if (!topic || topic.state === "deleted") throw badRequest("message thread not found");
  const name = change === "edit" ? (params.text("name") ?? topic.name) : topic.name;
  const state = nextState(topic, change);
  if (name === topic.name && state === topic.state) throw badRequest("TOPIC_NOT_MODIFIED");
  core.emit("topic", { chatId: forum.chat.id, threadId, name, state });
  return true;
}

function nextState(topic: Topic, change: "edit" | "close" | "reopen" | "delete"): Topic["state"] {
  if (change === "edit") return topic.state;
  if (change === "delete") return "deleted";
  return change === "close" ? "closed" : "open";
}

function requireForum(core: TelegramCore, params: Params): ChatState {
  const chat = requireChat(core, params);
  if (!chat.chat.is_forum) throw badRequest("the chat is not a forum");
  if (chat.botStatus !== "administrator") {
    throw badRequest("not enough rights to create a topic");
  }
  return chat;
}
