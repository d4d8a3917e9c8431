import { parseArgs } from "node:util";
import { ignoreUnreadOutput } from "../src/cli/unread-output.ts";
import { messageOf } from "../src/domain/errors.ts";
import { CYCLES_PER_RUN } from "../src/domain/run.ts";
import { runBroker } from "./broker.ts";
import { runSuspend } from "./suspend.ts";
import { runTurns } from "./turns.ts";

interface Bench {
  usage: string;
  about: string;
  run(args: string[]): Promise<object>;
}

const BENCHES: Record<string, Bench> = {
  turns: {
    usage:
      "npm run bench -- turns --rounds K --parallel P --concurrency C --turns N [--database URL]",
    about: "whole turns with K rounds of P tool calls, C clients at a time",
    run: turns,
  },
  suspend: {
    usage: "npm run bench -- suspend [--approvals N] [--database URL]",
    about: "a call that waits for a person: what parking it and going on with it writes",
    run: suspend,
  },
  broker: {
    usage: "npm run bench -- broker [--calls N] [--concurrency C]",
    about: "CPU a call: the bare openai package, our client, and the broker around it",
    run: broker,
  },
};

/** Bad usage: one line and exit 2. */
class UsageError extends Error {}

async function main(): Promise<number> {
  const [name, ...args] = process.argv.slice(2);
  if (name === undefined || name === "--help") {
    for (const { usage, about } of Object.values(BENCHES)) console.log(`${usage}\n  ${about}`);
    return 0;
  }
  const bench = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined;
  if (!bench) {
    console.error(`there is no bench "${name}"; there are: ${Object.keys(BENCHES).join(", ")}`);
    return 2;
  }
  if (args.includes("--help")) {
    console.log(`usage: ${bench.usage}\n  ${bench.about}`);
    return 0;
  }
  try {
    console.log(JSON.stringify(await bench.run(args)));
    return 0;
  } catch (error) {
    const isBad = error instanceof UsageError || isParseError(error);
    const line = messageOf(error).split("\n")[0];
    console.error(isBad ? `${line}; usage: ${bench.usage}` : line);
    return isBad ? 2 : 1;
  }
}

async function turns(args: string[]): Promise<object> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: "string", default: "1" },
      parallel: { type: "string", default: "1" },
      concurrency: { type: "string", default: "16" },
      turns: { type: "string", default: "500" },
      database: { type: "string" },
    },
  });
  return runTurns({
    // the last model call of a run must be words
    rounds: whole("rounds", values.rounds, { least: 0, most: CYCLES_PER_RUN - 1 }),
    parallel: whole("parallel", values.parallel, { least: 1, most: 16 }),
    concurrency: whole("concurrency", values.concurrency, { least: 1, most: 1_000 }),
    turns: whole("turns", values.turns, { least: 1, most: 1_000_000 }),
    database: values.database,
  });
}

async function suspend(args: string[]): Promise<object> {
  const { values } = parseArgs({
    args,
    options: { approvals: { type: "string", default: "20" }, database: { type: "string" } },
  });
  const approvals = whole("approvals", values.approvals, { least: 1, most: 10_000 });
  return runSuspend({ approvals, database: values.database });
}

async function broker(args: string[]): Promise<object> {
  const { values } = parseArgs({
    args,
    options: {
      calls: { type: "string", default: "4000" },
      concurrency: { type: "string", default: "8" },
    },
  });
  return runBroker({
    calls: whole("calls", values.calls, { least: 1, most: 10_000_000 }),
    concurrency: whole("concurrency", values.concurrency, { least: 1, most: 1_000 }),
  });
}

function whole(name: string, text: string, { least, most }: { least: number; most: number }) {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`--${name}: got "${text}", wants a whole number from ${least} to ${most}`);
}

function isParseError(error: unknown): boolean {
  const code = (error as { code?: unknown })?.code;
  return typeof code === "string" && code.startsWith("ERR_PARSE_ARGS");
}

ignoreUnreadOutput();
main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(messageOf(error));
    process.exit(1);
  },
);
