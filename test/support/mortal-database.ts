import { sql } from "drizzle-orm";
import type { Database } from "../../src/store/database.ts";
import { queryRows } from "../../src/store/db.ts";

/** When a process dies, counted in commits that wrote something. */
export interface Life {
  isDead: boolean;
  commits: number;
  /** 0: it lives on. */
  diesAt: number;
  /** Right before the commit: nothing of it is kept. Right after: nobody hears of it. */
  moment: "before" | "after";
}

class Killed extends Error {}

/** From its death on every transaction of the process fails, until somebody starts it again. */
export function makeMortal({ db }: Pick<Database, "db">, life: Life): void {
  const begin = db.transaction.bind(db);
  db.transaction = async (work, config) => {
    refuseDead(life);
    let writes = false;
    const result = await begin(async (tx) => {
      const made = await work(tx);
      const rows = await queryRows<{ writes: boolean }>(
        tx,
        sql`select pg_current_xact_id_if_assigned() is not null as writes`,
      );
      writes = rows[0]?.writes === true;
      if (writes) life.commits += 1;
      if (writes && life.moment === "before") dieWhenDue(life);
      return made;
    }, config);
    if (writes) dieWhenDue(life);
    return result;
  };
}

function dieWhenDue(life: Life): void {
  if (life.commits === life.diesAt) life.isDead = true;
  refuseDead(life);
}

function refuseDead({ isDead }: Life): void {
  if (isDead) throw new Killed("the process was killed");
}
