/** The body as it came, which signatures are made of; null when it is longer than `limit` bytes. */
export async function readBody(request: Request, limit: number): Promise<Buffer | null> {
  if (Number(request.headers.get("content-length") ?? 0) > limit) return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > limit) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** What is no JSON is undefined. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A refusal in the words of the other side's log. */
export function refuse(status: number, code: string, message: string): Response {
  return Response.json({ error: { code, message } }, { status });
}
