import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** What the model does in every turn: `parallel` calls of the tool a round, then words. */
export interface ModelScript {
  rounds: number;
  parallel: number;
  tool: string;
}

export interface ModelProcess {
  url: string;
  stop(): Promise<void>;
}

export async function startModel(script: ModelScript): Promise<ModelProcess> {
  const program = fileURLToPath(new URL("model-server.ts", import.meta.url));
  const child = fork(program, [JSON.stringify(script)], { execArgv: ["--import", "tsx"] });
  const url = await Promise.race([firstMessage(child), gone(child)]);
  return {
    url,
    async stop() {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}

async function firstMessage(child: ChildProcess): Promise<string> {
  const [url] = await once(child, "message");
  return String(url);
}

async function gone(child: ChildProcess): Promise<never> {
  const [code] = await once(child, "exit");
  throw new Error(`the scripted model ended with ${code} before it answered`);
}
