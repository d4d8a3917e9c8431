import postgres from "postgres";

/** The PostgreSQL that tests run on, too. `place` never holds a password. */
export type TestServer =
  | { kind: "answers"; url: string; version: string; place: string }
  | { kind: "none"; place: string }
  | { kind: "unreachable"; place: string; note: string };

const LOCAL = "postgres://postgres@127.0.0.1:5432/postgres";
const CONNECT_WITHIN_S = 5;

/** TEST_DATABASE_URL must answer when it is set; the standard local port may. */
export async function findTestServer(given: string | undefined): Promise<TestServer> {
  const url = given || LOCAL;
  const place = URL.parse(url)?.host ?? "an address that cannot be read";
  try {
    return { kind: "answers", url, version: await versionOf(url), place };
  } catch (error) {
    if (!given) return { kind: "none", place };
    const why = error instanceof Error ? error.message : String(error);
    const note = `TEST_DATABASE_URL: PostgreSQL at ${place} cannot be used (${why}); start it, or unset the variable`;
    return { kind: "unreachable", place, note };
  }
}

async function versionOf(url: string): Promise<string> {
  const server = postgres(url, { max: 1, connect_timeout: CONNECT_WITHIN_S, onnotice: () => {} });
  try {
    const [row] = await server<{ server_version: string }[]>`show server_version`;
    return row?.server_version.split(" ")[0] ?? "";
  } finally {
    await server.end({ timeout: 1 });
  }
}
