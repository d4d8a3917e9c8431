/** One part of a multipart/form-data body: a file when it names one, else a text. */
type Part = readonly [name: string, value: string | File];

/**
 * Reads a form as lenient as the platform does: real clients leave file names unquoted, which the
 * parser of the runtime refuses. Undefined for a body that is no multipart.
 */
export function parseMultipart(
  body: Buffer,
  contentType: string,
): Record<string, string | File> | undefined {
  const boundary = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  const mark = Buffer.from(`--${boundary?.[1] ?? boundary?.[2] ?? ""}`);
  if (!boundary || body.indexOf(mark) < 0) return undefined;
  const parts: Part[] = [];
  let start = body.indexOf(mark) + mark.length;
  for (;;) {
    // the line break before a mark belongs to the mark
    const end = body.indexOf(Buffer.concat([LINE_END, mark]), start);
    if (end < 0) return Object.fromEntries(parts);
    const part = readPart(body.subarray(start + LINE_END.length, end));
    if (part) parts.push(part);
    start = end + LINE_END.length + mark.length;
  }
}

const LINE_END = Buffer.from("\r\n");
const HEAD_END = Buffer.from("\r\n\r\n");

function readPart(part: Buffer): Part | undefined {
  const headEnd = part.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const head = part.subarray(0, headEnd).toString("utf8");
  const value = part.subarray(headEnd + HEAD_END.length);
  const name = readParameter(head, "name");
  const fileName = readParameter(head, "filename");
  if (name === undefined) return undefined;
  if (fileName === undefined) return [name, value.toString("utf8")];
  const type = /^content-type:\s*([^\r\n;]+)/im.exec(head)?.[1] ?? "";
  return [name, new File([new Uint8Array(value)], fileName, { type: type.trim() })];
}

function readParameter(head: string, name: string): string | undefined {
  const match = new RegExp(`[;\\s]${name}=(?:"([^"]*)"|([^;\\r\\n]*))`, "i").exec(head);
  return match?.[1] ?? match?.[2];
}
