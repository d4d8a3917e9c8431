/** What a messenger says about a chat and about our place in it. */
export type ChatFacts =
  | {
      kind: "known";
      /** Our account is in the chat and may write there. */
      isMember: boolean;
      /** Telegram: a group with topics. */
      isForum: boolean;
      /** Telegram: our account is an administrator with these rights. Always true in Slack. */
      isAdmin: boolean;
      mayManageTopics: boolean;
      mayDeleteMessages: boolean;
    }
  /** The messenger did not answer in time. */
  | { kind: "unreachable" };
