import { webApi } from "@slack/bolt";
import { GrammyError } from "grammy";
import { describe, expect, it } from "vitest";
import { toDeliveryResult as ofSlack } from "../../src/bot/slack/delivery-error.ts";
import { toDeliveryResult as ofTelegram } from "../../src/bot/telegram/delivery-error.ts";

const GROUP = "-1001";

function slackSaid(error: string) {
  return ofSlack(
    Object.assign(Object.create(webApi.WebAPIPlatformError.prototype), {
      data: { ok: false, error },
    }),
  );
}
function telegramSaid(error_code: number, description: string, chatId = GROUP) {
  const answer = { ok: false as const, error_code, description };
  return ofTelegram(new GrammyError("failed", answer, "sendMessage", {}), chatId);
}

describe("a refusal tells that rights were lost", () => {
  it.each(["token_revoked", "account_inactive", "not_in_channel", "is_archived"])(
    "in Slack: %s",
    (code) => {
      expect(slackSaid(code)).toMatchObject({ rightsLost: true });
    },
  );

  it.each([
    [401, "Unauthorized"],
    [403, "Forbidden: bot was kicked from the supergroup chat"],
    [400, "Bad Request: chat not found"],
  ])("in Telegram: %i %s", (code, description) => {
    expect(telegramSaid(code, description)).toMatchObject({ rightsLost: true });
  });
});

describe("a refusal of the message tells nothing of rights", () => {
  it.each(["msg_too_long", "invalid_blocks", "ratelimited"])("in Slack: %s", (code) => {
    expect(slackSaid(code)).not.toHaveProperty("rightsLost");
  });

  it("in Telegram, nor does a person who blocked the bot", () => {
    expect(telegramSaid(400, "Bad Request: message is too long")).not.toHaveProperty("rightsLost");
    expect(telegramSaid(403, "Forbidden: bot was blocked by the user", "77").kind).toBe("blocked");
  });
});
