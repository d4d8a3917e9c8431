const RESTORED =
  "a restore in the shell, after its commit: the heads of before stay, and `audit verify` says so";

const OF_OTHER_CALLERS =
  "the product's calls and verdicts are rows of its own transactions; these are for who uses the broker by itself: model-journal.test.ts, model-state.test.ts";
const OF_SERVERS =
  "only between processes on one server; a place that is left over is free after its lease: model-state.test.ts";

/** Fault points that no story passes, and what holds there instead. */
export const NOT_IN_A_STORY: Record<string, string> = {
  "desk/desk.ts handle withTenant":
    "only after a defect of the code; it counts the attempt, and the sweep brings an event that was not counted again",
  "engine/settling.ts noteLate withTenant":
    "needs a second process that took the work over; that one decides, this is one line of the trail: effort-logs.test.ts",
  "model/broker/shared-places.ts leave withOwner": OF_SERVERS,
  "model/broker/shared-places.ts placeOf withOwner": OF_SERVERS,
  "model/broker/stored-journal.ts record withTenant": OF_OTHER_CALLERS,
  "model/broker/stored-journal.ts setScore withTenant": OF_OTHER_CALLERS,
  "model/broker/stored-state.ts rate withOwner": OF_OTHER_CALLERS,
  "model/broker/stored-journal.ts calls withTenant":
    "only when a model is taken out of MODELS_FILE; it reads: models.test.ts",
  "product-view.ts speak withTenant":
    "only the sandbox's page asks for it: one change of a setting, and the page says it again at its next load",
  "product.ts secret withTenant":
    "only with webhooks, which the sandbox refuses; the value is made once, by an insert that yields to an earlier one: webhooks.test.ts",
  "store/audit-seal.ts allHeads withOwner": RESTORED,
  "store/audit-seal.ts allHeads withTenant": RESTORED,
  "store/backup-restore.ts restoreDatabase withOwner":
    "a restore in the shell while no process lives: one transaction, whole or not at all: backup.test.ts",
  "store/database-facts.ts readDatabaseFacts withOwner":
    "a command of the shell that only reads: doctor.test.ts",
  "store/forged-rows.ts tell withOwner":
    "only after somebody else wrote the database; told in one transaction, and again by the next process that reads the row: row-mac.test.ts",
  "store/forged-rows.ts tell withTenant": "the same",
  "store/rotate-key.ts rotateMasterKey withOwner":
    "a command of the shell while no process lives: one transaction; lost before it, the next attempt takes the same new key, lost after it, the next start does: secrets-rotate.test.ts",
  "store/signals.ts sendNow withOwner":
    "only between processes on one server; nothing is written, and a lost hint costs time alone: signals.test.ts",
};
