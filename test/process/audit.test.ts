import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Database, openEmbedded, openPostgres } from "../../src/store/database.ts";
import { withOwner } from "../../src/store/db.ts";
import { type Engine, forEachEngine, type OwnDatabase } from "../support/engines.ts";
import { type Client, createClient, type DeskProcess, openDeskProcess } from "./desk-process.ts";

forEachEngine((engine) => {
  let own: OwnDatabase;
  let desk: DeskProcess;
  let client: Client;
  let payout = "";
  const noted: Engine = {
    name: engine.name,
    async open() {
      own = await engine.open();
      return own;
    },
  };
  beforeAll(async () => {
    desk = await openDeskProcess(noted);
    client = createClient(desk, 7600);
    await client.pays();
    await client.says("Когда можно забрать?");
    payout = /A-\d+/.exec((await card()).text)?.[0] ?? "";
    await desk.approves(cardOf());
    await desk.world.idle();
  });
  afterAll(async () => {
    await desk?.close();
  });

  const cardOf = () => new RegExp(`^Payout: approve\\?[^]*${client.name}`);
  const card = async () => {
    const found = (await desk.cards(cardOf())).at(-1);
    if (!found) throw new Error("no card");
    return found;
  };
  const audit = (...args: string[]) => desk.shell(["audit", ...args]);
  const lines = (text: string) => text.trimEnd().split("\n");
  const WHOLE = /^default: (\d+) rows in \d+ seals, head ([0-9a-f]{64}), (\d+) not sealed yet$/;
  /** The bot seals within a second; until then the trail is whole, too. */
  const verifySealed = () =>
    vi.waitFor(
      async () => {
        const ended = await audit("verify");
        expect(ended).toMatchObject({ code: 0, err: "" });
        const said = WHOLE.exec(lines(ended.out)[0] ?? "");
        expect(said?.[3], ended.out).toBe("0");
        return { rows: Number(said?.[1]), head: said?.[2] ?? "" };
      },
      { timeout: 60_000 },
    );
  /** As somebody does who has the database and nothing else. */
  async function intrude(statement: string): Promise<void> {
    const database: Database = own.url
      ? await openPostgres(own.url, 1)
      : await openEmbedded({ dir: join(desk.dataDir, "db"), durable: false });
    try {
      await withOwner(database.db, async (tx) => {
        for (const word of ["no", ""]) {
          for (const table of ["audit_log", "audit_seals"])
            await tx.execute(sql.raw(`alter table ${table} ${word} force row level security`));
          if (word === "no") await tx.execute(sql.raw(statement));
        }
      });
    } finally {
      await database.close();
    }
  }

  describe("npm run audit -- verify", () => {
    it("says that nothing was changed, while the bot runs", async () => {
      const { rows, head } = await verifySealed();
      expect(rows).toBeGreaterThan(30);
      expect((await audit("verify", "--tenant", "default")).out).toMatch(head);
      const kept = readFileSync(join(desk.dataDir, "audit.heads"), "utf8");
      expect(kept).toMatch(new RegExp(`^default\\t\\d+\\t${rows}\\t${head}$`, "m"));
    });

    it("knows the head that a card shows, and no other", async () => {
      const [, shown = ""] = /audit ([0-9a-f]{8})/.exec((await card()).text) ?? [];
      expect(await audit("verify", "--head", shown)).toMatchObject({ code: 0 });
      const other = await audit("verify", "--head", "00000000");
      expect(other.code).toBe(1);
      expect(lines(other.out)[0]).toMatch(
        /^default: CHANGED, first bad index \d+ of \d+: the card/,
      );
    });

    it("names the tenants there are when one is asked for that is not there", async () => {
      const refused = await audit("verify", "--tenant", "nobody");
      expect(refused.code).toBe(1);
      expect(refused.out + refused.err).toMatch(/there is no such tenant; there are default/);
    });

    it.each([
      [["verify", "--nonsense"]],
      [["verify", "more"]],
      [["verify", "--head", "not a head"]],
      [["show"]],
      [["show", "A-1", "A-2"]],
      [["forget"]],
      [[]],
    ])("%j is bad usage: one line, exit 2", async (args) => {
      const ended = await audit(...args);
      expect(ended).toMatchObject({ code: 2, out: "" });
      expect(lines(ended.err)).toEqual([expect.stringContaining("npm run audit -- verify")]);
    });

    it("explains itself", async () => {
      expect(await audit("--help")).toMatchObject({
        code: 0,
        out: expect.stringContaining("npm run audit -- verify [--tenant T]"),
      });
    });
  });

  describe("npm run audit -- show", () => {
    it("tells the way of a payout from the lead's word to the reply", async () => {
      const { code, out } = await audit("show", payout);
      expect(code).toBe(0);
      for (const line of [
        /^issue_exchange_payout: executed, candidate /m,
        /^ 1\. message of the lead\n {6}\S+ "Когда можно забрать\?", message /m,
        /^ 2\. model call \S+\n {6}default sandbox-rules, prompt /m,
        /^ 3\. proposed by the model for /m,
        /^ 4\. checked by schema version 1, active$/m,
        /^ 5\. gate\n {6}\S+ proposal: approval, rule /m,
        new RegExp(`^ 6\\. ${payout}: approved, approval `, "m"),
        /^ {6}card in \S+ \S+: sent as /m,
        /^ {6}\S+ approve by Alice \(\S+\) via slack$/m,
        /^ {6}effective \{/m,
        /^ 7\. execution \S+: completed, attempts 1/m,
        /^ {6}key payout:EX-\d+: completed$/m,
        /^ 8\. result$/m,
        /^ 9\. reply to the lead$/m,
        /^10\. rows of the trail\n {6}row \d+: \S+ candidate\.proposed: /m,
      ])
        expect(out).toMatch(line);
    });

    it("is the same for machines, in the shell and in the admin API", async () => {
      const told = JSON.parse((await audit("show", payout, "--json")).out);
      const { items, calls } = await desk.admin(`/audit?approval=${payout}`);
      expect(told.calls).toEqual(calls);
      expect(calls).toMatchObject([
        {
          messages: [{ author: "lead" }],
          model_call: { model_id: "sandbox-rules" },
          candidate: { tool_name: "issue_exchange_payout", status: "executed" },
          approval: { status: "approved" },
          execution: { status: "completed" },
        },
      ]);
      expect(calls[0].replies.length).toBeGreaterThan(0);
      expect(items.map(({ id }: { id: string }) => id).sort()).toEqual(
        calls[0].audit.map(({ id }: { id: string }) => id).sort(),
      );
      const candidate = calls[0].candidate.id;
      expect((await desk.admin(`/audit?candidate=${candidate}`)).calls).toEqual(calls);
    });

    it("shows all calls of an order, oldest first", async () => {
      const { items } = await desk.admin("/exchange/orders");
      const { code, out } = await audit("show", `EX-${items[0].number}`);
      expect(code).toBe(0);
      const tools = [...out.matchAll(/^(\w+): \w+.*, candidate /gm)].map(([, tool]) => tool);
      expect(tools[0]).toBe("create_exchange_order");
      expect(tools).toContain("verify_exchange_payment");
      expect(tools.at(-1)).toBe("issue_exchange_payout");
    });

    it("says what names it knows when it knows none of this one", async () => {
      const ended = await audit("show", "A-99999");
      expect(ended.code).toBe(1);
      expect(lines(ended.out + ended.err)).toEqual([expect.stringMatching(/^A-99999: no call/)]);
    });
  });

  it("a killed bot seals at its next start what it could not", async () => {
    await client.says("До скольки вы работаете?");
    const before = await audit("verify");
    expect(before).toMatchObject({ code: 0 });
    await desk.kill();
    const stopped = await audit("verify");
    expect(stopped.out.trimEnd()).toMatch(WHOLE);
    await desk.start();
    await verifySealed();
  });

  describe("S23: with the bot stopped", () => {
    it("an edited row is found at its place", async () => {
      await desk.kill();
      await intrude(
        "update audit_log set user_id = 'somebody' where event_type = 'approval.decided' and tool_name = 'issue_exchange_payout'",
      );
      const ended = await audit("verify");
      expect(ended.code).toBe(1);
      expect(lines(ended.out)[0]).toMatch(
        /^default: CHANGED, first bad index \d+ of \d+: row \S+ was changed$/,
      );
    });

    it("a trail that was taken away with its key is found by the file beside it", async () => {
      await intrude("delete from audit_log");
      await intrude("delete from audit_seals");
      expect(lines((await audit("verify")).out)[0]).toMatch(
        /^default: CHANGED, first bad index 1 of 0: .*audit\.heads knows \d+/,
      );
      await intrude("delete from app_state where name = 'audit_key'");
      const gone = await audit("verify");
      expect(gone.code).toBe(1);
      expect(lines(gone.out)[0]).toBe(
        "default: CHANGED, first bad index 1: the key of the seals was taken away",
      );
    });

    it("and a bot that starts on it does not forget what the file knows", async () => {
      await desk.start();
      await client.says("А в субботу?");
      await desk.kill();
      expect(lines((await audit("verify")).out)[0]).toMatch(/^default: CHANGED, first bad index/);
    });
  });
});

describe("a restore", () => {
  it("goes on from the backup's head, and keeps the heads that stood there", async () => {
    const embedded: Engine = {
      name: "the embedded database",
      open: async () => ({ url: null, holds: async () => false, drop: async () => {} }),
    };
    const desk = await openDeskProcess(embedded);
    const file = join(desk.dataDir, "desk.backup");
    try {
      expect((await desk.shell(["backup", file])).code).toBe(0);
      await createClient(desk, 7700).says("Здравствуйте!"); // after the backup
      await desk.kill();
      rmSync(join(desk.dataDir, "db"), { recursive: true });
      const restored = await desk.shell(["restore", file]);
      expect(restored).toMatchObject({ code: 0, err: "" });
      const [, kept = ""] = /stood here until now are in (\S+)/.exec(restored.out) ?? [];
      expect(existsSync(kept)).toBe(true);
      const stopped = await desk.shell(["audit", "verify"]);
      expect(stopped).toMatchObject({ code: 0 });
      expect(stopped.out).toMatch(/[1-9]\d* not sealed yet/); // that it was restored
      await desk.start();
      await createClient(desk, 7701).says("Здравствуйте!");
      await desk.kill();
      expect((await desk.shell(["audit", "verify"])).code).toBe(0);
      expect(
        readdirSync(desk.dataDir).filter((name) => name.startsWith("audit.heads")),
      ).toHaveLength(2);
    } finally {
      await desk.close();
    }
  });
});
