import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { REQUIRED_SCOPES } from "../../src/bot/slack/inspect.ts";
import { COMMAND_TABLE } from "../../src/desk/commands/table.ts";

/** Beyond what every desk needs, each for a reason. */
const MORE_SCOPES = {
  "groups:history": "channels of the staff may be private",
  "groups:read": "/setup and doctor ask whether the bot is in a private channel",
};

/** What comes in, and the scope without which Slack does not deliver it. */
const EVENTS = {
  "message.im": "im:history",
  "message.channels": "channels:history",
  "message.groups": "groups:history",
  reaction_added: "reactions:read",
  reaction_removed: "reactions:read",
};

const manifestSchema = z.object({
  features: z.object({
    app_home: z.object({
      messages_tab_enabled: z.boolean(),
      messages_tab_read_only_enabled: z.boolean(),
    }),
    slash_commands: z.array(
      z.strictObject({
        command: z.string(),
        description: z.string(),
        usage_hint: z.string().optional(),
        should_escape: z.boolean(),
      }),
    ),
  }),
  oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()) }) }),
  settings: z.object({
    event_subscriptions: z.object({ bot_events: z.array(z.string()) }),
    interactivity: z.object({ is_enabled: z.boolean() }),
    socket_mode_enabled: z.boolean(),
  }),
});

const manifest = manifestSchema.parse(parse(readFileSync("examples/slack-manifest.yaml", "utf8")));

describe("examples/slack-manifest.yaml", () => {
  it("has every command that staff may type, and no other", () => {
    const commands = manifest.features.slash_commands.map(({ command, usage_hint: usage }) => [
      command,
      usage,
    ]);
    const known = Object.entries(COMMAND_TABLE).map(([name, { usage }]) => [`/${name}`, usage]);
    expect(commands).toEqual(known);
  });

  it("describes each command within Slack's limits", () => {
    for (const { description, usage_hint: usage = "" } of manifest.features.slash_commands) {
      expect(description.length).toBeGreaterThan(5);
      expect(description.length).toBeLessThanOrEqual(100);
      expect(usage.length).toBeLessThanOrEqual(100);
    }
  });

  it("asks for the scopes that doctor looks for, and for no right without a reason", () => {
    const wanted = [...Object.keys(REQUIRED_SCOPES), ...Object.keys(MORE_SCOPES)];
    expect(manifest.oauth_config.scopes.bot.toSorted()).toEqual(wanted.toSorted());
  });

  it("subscribes to what the bot reads, each with its scope", () => {
    const { bot_events: events } = manifest.settings.event_subscriptions;
    expect(events).toEqual(Object.keys(EVENTS));
    for (const scope of Object.values(EVENTS))
      expect(manifest.oauth_config.scopes.bot).toContain(scope);
  });

  it("opens direct messages to clients, buttons, and Socket Mode", () => {
    expect(manifest.features.app_home).toEqual({
      messages_tab_enabled: true,
      messages_tab_read_only_enabled: false,
    });
    expect(manifest.settings.interactivity.is_enabled).toBe(true);
    expect(manifest.settings.socket_mode_enabled).toBe(true);
  });
});
