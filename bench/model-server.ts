import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { ModelScript } from "./model-process.ts";

/**
 * A scripted endpoint that speaks Chat Completions, in a process of its own so that its work counts
 * for nobody. It keeps no state: the conversation says how many rounds there were.
 */
const script: ModelScript = JSON.parse(process.argv[2] ?? "{}");

interface Asked {
  model: string;
  tools?: unknown[];
  messages: { role: string; tool_calls?: unknown[] }[];
}

const server = createServer(async (request, response) => {
  const asked: Asked = JSON.parse((await bodyOf(request)).toString());
  const body = JSON.stringify(answerOf(asked));
  response.writeHead(200, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
  });
  response.end(body);
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo; // listening on TCP
  process.send?.(`http://127.0.0.1:${port}/v1`);
});
process.once("disconnect", () => process.exit(0));

function answerOf(asked: Asked) {
  const message = roundsOf(asked) < script.rounds && asked.tools ? calls() : words();
  return {
    ...{ id: "chatcmpl-bench", object: "chat.completion", created: 0, model: asked.model },
    choices: [{ index: 0, finish_reason: message.tool_calls ? "tool_calls" : "stop", message }],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  };
}

/** Rounds since the client last wrote, or an outcome came. */
function roundsOf({ messages }: Asked): number {
  const from = messages.findLastIndex(({ role }) => role === "user");
  return messages.slice(from + 1).filter((message) => message.tool_calls).length;
}

function calls() {
  const tool_calls = Array.from({ length: script.parallel }, (_, index) => ({
    id: `call_${index}`,
    type: "function",
    function: { name: script.tool, arguments: JSON.stringify({ item: `item ${index}` }) },
  }));
  return { role: "assistant", content: null, tool_calls };
}

function words(): { role: string; content: string; tool_calls?: undefined } {
  return { role: "assistant", content: "Thank you for waiting, that is what I found for you." };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
