import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { StartError } from "../../src/domain/errors.ts";
import { type Database, openPostgres, prepareDatabase } from "../../src/store/database.ts";
import { queryRows, withOwner } from "../../src/store/db.ts";
import { forEachEngine, type OpenDatabase } from "../support/database.ts";

async function withDatabase(
  open: OpenDatabase,
  work: (database: Database) => Promise<void>,
): Promise<void> {
  const database = await open({ bare: true });
  try {
    await work(database);
  } finally {
    await database.close();
  }
}

async function refusal(start: Promise<unknown>): Promise<string> {
  const error: unknown = await start.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof StartError)) throw new Error(`not refused: ${String(error)}`);
  return error.message;
}

forEachEngine((open) => {
  describe("a start", () => {
    it("makes the schema once, and finds it the next time", async () => {
      await withDatabase(open, async (database) => {
        await prepareDatabase(database, "real");
        await prepareDatabase(database, "real");
        const applied = await withOwner(database.db, (tx) =>
          queryRows<{ times: number }>(
            tx,
            sql`select count(*)::int as times from drizzle.__drizzle_migrations`,
          ),
        );
        expect(applied[0]?.times).toBeGreaterThan(1);
      });
    });

    it("refuses a database that a newer version wrote, and changes nothing in it", async () => {
      await withDatabase(open, async (database) => {
        await prepareDatabase(database, "sandbox");
        await database.db.execute(
          sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', 99999999999999)`,
        );
        const said = await refusal(prepareDatabase(database, "real"));
        expect(said).toMatch(/newer version/);
        expect(said.split("\n")).toHaveLength(1);
        const world = await withOwner(database.db, (tx) =>
          queryRows(tx, sql`select value from app_state where name = 'world'`),
        );
        expect(world).toEqual([{ value: "sandbox" }]);
      });
    });

    for (const [mine, other] of [
      ["sandbox", "real"],
      ["real", "sandbox"],
    ] as const)
      it(`of the ${other} world refuses a database of the ${mine} world`, async () => {
        await withDatabase(open, async (database) => {
          await prepareDatabase(database, mine);
          const said = await refusal(prepareDatabase(database, other));
          expect(said).toContain(`belongs to the ${mine} world`);
          expect(said).toMatch(/DATA_DIR or DATABASE_URL/);
          await prepareDatabase(database, mine);
        });
      });

    it("twice at once makes one schema and one world", async () => {
      await withDatabase(open, async (database) => {
        const starts = [prepareDatabase(database, "real"), prepareDatabase(database, "real")];
        const ends = await Promise.allSettled(starts);
        expect(ends.some((end) => end.status === "fulfilled")).toBe(true);
        await prepareDatabase(database, "real");
      });
    });
  });
});

describe("a start on a server that is not there", () => {
  it("says in one line which address, and not the password", async () => {
    const url = "postgres://owner:hidden-word@127.0.0.1:1/countersign";
    const said = await refusal(openPostgres(url));
    expect(said).toMatch(/^DATABASE_URL: .*127\.0\.0\.1:1\/countersign/);
    expect(said).not.toContain("hidden-word");
    expect(said.split("\n")).toHaveLength(1);
  });

  it("does not wait for one that takes the connection and is silent", async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => void sockets.push(socket));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo; // listens on TCP
    const url = `postgres://owner:hidden-word@127.0.0.1:${port}/countersign`;
    const said = await refusal(openPostgres(url, 1, 50));
    expect(said).toBe(
      `DATABASE_URL: PostgreSQL at 127.0.0.1:${port}/countersign cannot be used (no answer within 0.05 s); check host and port, the network up to there, and that PostgreSQL runs`,
    );
    for (const socket of sockets) socket.destroy();
    server.close();
  });
});
