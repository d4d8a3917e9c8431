import { sql } from "drizzle-orm";
import { openEmbedded, openPostgres } from "../../src/store/database.ts";

/** While the product is down: as if its processes had ended so much earlier. */
export function endedEarlier(ms: number) {
  return async (databaseUrl: string | null, dataDir: string): Promise<void> => {
    const database = databaseUrl
      ? await openPostgres(databaseUrl)
      : await openEmbedded({ dir: `${dataDir}/db`, durable: false });
    const earlier = sql`make_interval(secs => ${ms / 1000})`;
    await database.db.execute(sql`update heartbeats set beat_at = beat_at - ${earlier}`);
    await database.close();
  };
}
