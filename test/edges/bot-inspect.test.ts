import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Finding, StaffChat } from "../../src/bot/finding.ts";
import { inspectSlack, REQUIRED_SCOPES } from "../../src/bot/slack/inspect.ts";
import { createTelegramBot } from "../../src/bot/telegram/bot.ts";
import { inspectTelegram } from "../../src/bot/telegram/inspect.ts";
import { Backstage } from "../support/bot-played-messengers.ts";
import { json, type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { openWorkspace, type SlackWorkspace } from "../support/slack-workspace.ts";
import { openTelegramWorld, type TelegramWorld } from "../support/telegram-world.ts";

const NOWHERE = "http://127.0.0.1:1";

function problemsOf(findings: Finding[]): Finding[] {
  return findings.filter(({ ok }) => !ok);
}

describe("Telegram", () => {
  const OPERATORS = -1002000000001;
  const REVIEW = -1002000000002;
  const chats: StaffChat[] = [
    { chatId: String(OPERATORS), purpose: "operators" },
    { chatId: String(REVIEW), purpose: "review" },
  ];
  let world: TelegramWorld;
  let account: { token: string; apiRoot: string };
  beforeAll(async () => {
    world = await openTelegramWorld();
    const { TELEGRAM_BOT_TOKEN: token = "", TELEGRAM_API_ROOT: apiRoot = "" } = world.env;
    account = { token, apiRoot };
  });
  afterAll(() => world.stop());

  const rights = (chatId: number, change: object) =>
    world.play("telegram/rights", { chat_id: chatId, ...change });

  it("finds nothing wrong in the staff's groups", async () => {
    const findings = await inspectTelegram({ ...account, webhook: { url: null } }, chats);
    expect(findings.map(({ nextStep }) => nextStep)).toEqual(["", "", "", ""]);
    expect(findings.map(({ what }) => what).join("\n")).toContain("@sandbox_desk_bot");
  });

  it("tells of a group where the bot is no administrator", async () => {
    await rights(REVIEW, { admin: false });
    const found = problemsOf(await inspectTelegram(account, chats));
    await rights(REVIEW, { admin: true });
    expect(found).toEqual([
      {
        ok: false,
        what: expect.stringMatching(/^chat -1002000000002 \(review\) "Review": .*reactions/),
        nextStep: expect.stringContaining("make @sandbox_desk_bot an administrator"),
      },
    ]);
  });

  it("tells of a group that the bot was put out of", async () => {
    await rights(OPERATORS, { admin: false, inside: false });
    const found = problemsOf(await inspectTelegram(account, chats));
    await rights(OPERATORS, { admin: true });
    expect(found).toEqual([
      {
        ok: false,
        what: expect.stringContaining("the bot is not in it"),
        nextStep: "add @sandbox_desk_bot to the group, as an administrator",
      },
    ]);
  });

  it("tells of a group that there is none of", async () => {
    const [found] = problemsOf(
      await inspectTelegram(account, [{ chatId: "-100999", purpose: "operators" }]),
    );
    expect(found?.what).toMatch(/^chat -100999 \(operators\): Telegram does not find it/);
    expect(found?.nextStep).toContain("correct the id");
  });

  it("tells the new id of a group that became a supergroup", async () => {
    const old = -5005;
    await world.play("telegram/messages", { chat_id: old, user_id: 2001, text: "hello" });
    const { body } = await world.play("telegram/migrate", { chat_id: old });
    const [found] = problemsOf(
      await inspectTelegram(account, [{ chatId: String(old), purpose: "operators" }]),
    );
    expect(found?.nextStep).toBe(`name ${body.migrate_to_chat_id} instead`);
  });

  it("notes a review group without topics", async () => {
    const flat = -1002000000077;
    await world.play("telegram/messages", { chat_id: flat, user_id: 2001, text: "hello" });
    await rights(flat, { admin: true });
    const findings = await inspectTelegram(account, [{ chatId: String(flat), purpose: "review" }]);
    expect(findings.at(-1)).toEqual({
      ok: true,
      what: expect.stringContaining("the mirror of conversations goes flat"),
      nextStep: expect.stringContaining("turn on Topics"),
    });
  });

  it("tells of a token that is not known, and looks at nothing else", async () => {
    const findings = await inspectTelegram({ ...account, token: "1:wrong-wrong-wrong" }, chats);
    expect(findings).toEqual([
      {
        ok: false,
        what: "Telegram does not know TELEGRAM_BOT_TOKEN",
        nextStep: expect.stringContaining("@BotFather"),
        stops: true,
      },
    ]);
  });

  it("tells that Telegram cannot be reached, without the token", async () => {
    const findings = await inspectTelegram({ ...account, apiRoot: NOWHERE }, chats);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({ ok: false, what: expect.stringContaining(NOWHERE) });
    expect(JSON.stringify(findings)).not.toContain(account.token);
  });

  describe("webhooks", () => {
    const ours = "https://desk.example/telegram/webhook/x";

    it("notes one that somebody else has set, by its host alone", async () => {
      await world.call("setWebhook", { url: "https://other.example/secret-path" });
      const polls = await inspectTelegram({ ...account, webhook: { url: null } }, []);
      const waits = await inspectTelegram({ ...account, webhook: { url: ours } }, []);
      await world.call("deleteWebhook");
      for (const [, found] of [polls, waits]) {
        expect(found?.what).toContain("other.example takes");
        expect(found?.what).not.toContain("secret-path");
        expect(found?.nextStep).not.toBe("");
      }
    });

    it("knows ours", async () => {
      await world.call("setWebhook", { url: ours });
      const [, found] = await inspectTelegram({ ...account, webhook: { url: ours } }, []);
      await world.call("deleteWebhook");
      expect(found).toEqual({ ok: true, what: "updates come to the webhook", nextStep: "" });
    });
  });

  it("is asked by the edge", async () => {
    const edge = createTelegramBot({ ...new Backstage().options(), ...account });
    expect(problemsOf(await edge.inspect(chats))).toEqual([]);
  });

  describe("what the played world does not have", () => {
    let server: ScriptedServer;
    const answers: Record<string, object> = {};
    beforeAll(async () => {
      server = await startScriptedServer();
      server.answer(({ path }, response) => {
        const method = path.split("/").at(-1) ?? "";
        json(response, 200, { ok: true, result: answers[method] });
      });
    });
    afterAll(() => server.close());
    const look = async (purpose: StaffChat["purpose"]) =>
      inspectTelegram({ token: "1:abcdefghijkl", apiRoot: server.url }, [
        { chatId: "-1001", purpose },
      ]);

    it("a channel cannot be the operators' chat", async () => {
      answers.getMe = { id: 1, username: "desk_bot", can_read_all_group_messages: true };
      answers.getChat = { id: -1001, type: "channel", title: "News" };
      const [found] = problemsOf(await look("operators"));
      expect(found?.what).toContain("is a channel");
      expect(found?.nextStep).toContain("use a group");
    });

    it("an administrator without the right to manage topics makes none", async () => {
      answers.getChat = { id: -1001, type: "supergroup", title: "Re\u202eview\n", is_forum: true };
      answers.getChatMember = { status: "administrator", can_manage_topics: false };
      const [found] = problemsOf(await look("review"));
      expect(found?.what).toBe(
        'chat -1001 (review) "Review": the bot may not manage topics, so no lead gets one',
      );
      expect(problemsOf(await look("operators"))).toEqual([]);
    });

    it("an administrator who may not delete messages leaves typed codes to be read", async () => {
      answers.getChatMember = { status: "administrator", can_manage_topics: true };
      const findings = await look("operators");
      expect(findings.at(-1)).toMatchObject({
        ok: true,
        nextStep: expect.stringContaining("Delete messages"),
      });
    });

    it("privacy mode is named with what it costs", async () => {
      answers.getMe = { id: 1, username: "desk_bot", can_read_all_group_messages: false };
      answers.getChatMember = { status: "member" };
      const findings = await look("operators");
      expect(findings[0]?.what).toContain("privacy mode is on");
      expect(findings[1]?.what).toContain("of messages only commands and replies");
    });

    it("updates that Telegram cannot deliver are told with its words", async () => {
      const url = "https://desk.example/hook";
      answers.getWebhookInfo = {
        url,
        pending_update_count: 3,
        last_error_message: "SSL error",
      };
      const [found] = problemsOf(
        await inspectTelegram(
          { token: "1:abcdefghijkl", apiRoot: server.url, webhook: { url } },
          [],
        ),
      );
      expect(found?.what).toBe("3 updates wait: Telegram cannot deliver them (SSL error)");
    });
  });
});

describe("Slack", () => {
  const chats: StaffChat[] = [
    { chatId: "C0OPERATORS", purpose: "operators" },
    { chatId: "C0REVIEW", purpose: "review" },
    { chatId: "C0REVIEW", purpose: "kyc" },
  ];
  let workspace: SlackWorkspace;
  let account: Parameters<typeof inspectSlack>[0];
  beforeAll(async () => {
    workspace = await openWorkspace();
    const env = workspace.sandbox.env();
    account = {
      botToken: env.SLACK_BOT_TOKEN ?? "",
      apiUrl: env.SLACK_API_URL ?? "",
      log: new Backstage().options().log,
      way: { kind: "socket", appToken: env.SLACK_APP_TOKEN ?? "" },
    };
  });
  afterAll(() => workspace.close());

  const rights = (change: object) => workspace.control("slack/rights", change);
  const install = (change: object) => workspace.control("slack/installation", change);
  const allScopes = Object.keys(REQUIRED_SCOPES);

  it("finds nothing wrong, and looks at a channel once", async () => {
    const findings = await inspectSlack(account, chats);
    expect(findings.map(({ nextStep }) => nextStep)).toEqual(["", "", "", ""]);
    expect(findings.at(-1)?.what).toBe("channel C0REVIEW (review, kyc): the bot is in #review");
  });

  it("tells of a channel that the bot was not invited to", async () => {
    await rights({ channel: "C0OPERATORS", member: false });
    const found = problemsOf(await inspectSlack(account, chats));
    await rights({ channel: "C0OPERATORS", member: true });
    expect(found).toEqual([
      {
        ok: false,
        what: "channel C0OPERATORS (operators): the bot is not in #operators",
        nextStep: "invite it: /invite @countersign in #operators",
      },
    ]);
  });

  it("tells of an archived channel", async () => {
    await rights({ channel: "C0REVIEW", archived: true });
    const found = problemsOf(await inspectSlack(account, chats));
    await rights({ channel: "C0REVIEW", archived: false });
    expect(found.map(({ what }) => what)).toEqual([expect.stringContaining("is archived")]);
  });

  it("tells of a channel that is not there", async () => {
    const [found] = problemsOf(
      await inspectSlack(account, [{ chatId: "C0NONE", purpose: "operators" }]),
    );
    expect(found?.nextStep).toContain("/invite @countersign");
  });

  it.each(Object.keys(REQUIRED_SCOPES))("tells that %s is missing", async (scope) => {
    await install({ scopes: allScopes.filter((one) => one !== scope) });
    const found = problemsOf(await inspectSlack(account, chats));
    await install({ scopes: allScopes });
    expect(found).toEqual([
      {
        ok: false,
        what: expect.stringContaining(`lacks ${scope}:`),
        nextStep: `add ${scope} under OAuth & Permissions, then install the app again`,
        ...(scope === "chat:write" ? { stops: true } : {}), // without it nothing can be said
      },
    ]);
  });

  it("notes that it cannot look at channels without the right to", async () => {
    await install({ scopes: allScopes.filter((one) => one !== "channels:read") });
    const findings = await inspectSlack(account, chats);
    await install({ scopes: allScopes });
    expect(findings.at(-1)).toMatchObject({
      ok: true,
      what: expect.stringContaining("cannot be looked at without channels:read"),
    });
  });

  it("tells of tokens that were revoked", async () => {
    await install({ revoked: true });
    const findings = await inspectSlack(account, chats);
    await install({ revoked: false });
    expect(findings).toEqual([
      {
        ok: false,
        what: "Slack refused SLACK_BOT_TOKEN (token_revoked)",
        nextStep: expect.stringContaining("xoxb-"),
        stops: true,
      },
      {
        ok: false,
        what: "Slack refused SLACK_APP_TOKEN (token_revoked)",
        nextStep: expect.stringContaining("xapp-"),
        stops: true,
      },
    ]);
  });

  it("tells that Slack cannot be reached, without the token", async () => {
    const findings = await inspectSlack({ ...account, apiUrl: `${NOWHERE}/api/` }, chats);
    expect(problemsOf(findings)).toHaveLength(2);
    expect(JSON.stringify(findings)).not.toContain(account.botToken);
  });
});
