import { loadConfig } from "./config.ts";
import { messageOf, StartError } from "./domain/errors.ts";
import { createLog } from "./lib/log.ts";

const USAGE = "usage: npm start (settings come from the environment: .env.example names them all)";

/** Told at once: an empty database takes a while. */
const STARTING = "Countersign is starting …";

/** Process entry: starts, says where, stops on a signal; a refused start is one line and exit 1. */
async function main(): Promise<void> {
  const [argument] = process.argv.slice(2);
  if (argument !== undefined) {
    const asksHelp = argument === "--help";
    console[asksHelp ? "log" : "error"](
      asksHelp ? USAGE : `${argument}: npm start takes no arguments; ${USAGE}`,
    );
    process.exit(asksHelp ? 0 : 2);
  }
  const config = loadConfig();
  const log = createLog(config.logLevel);
  console.log(STARTING);
  // loaded only now: the whole product takes its seconds
  const { startApp } = await import("./app.ts");
  const app = await startApp(config, log);
  // not before: a refused start says its one line and nothing else of what it found
  for (const line of [...config.notes, ...app.problems]) console.log(line);
  if (app.newAdminToken)
    console.log(`Admin token for the set-up, shown this once: ${app.newAdminToken}`);
  if (app.sandbox)
    console.log(`Sandbox: everything outside is played. Playground: ${app.origin}/sandbox`);
  console.log(`Countersign is ready on ${app.origin}`);
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      void app.stop().then(() => process.exit(0));
    });
}

process.on("unhandledRejection", (reason) => {
  console.error(`unexpected: ${messageOf(reason)}`);
});

main().catch((error: unknown) => {
  const isExpected = error instanceof StartError || (error as Error)?.name === "RetryableError";
  console.error(isExpected ? messageOf(error) : `Countersign cannot start: ${messageOf(error)}`);
  process.exit(1);
});
