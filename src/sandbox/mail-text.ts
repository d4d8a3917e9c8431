/** What the sandbox keeps of a message: headers that people read and the plain text. */
export interface MailText {
  from: string;
  to: string;
  subject: string;
  messageId: string;
  text: string;
}

interface Part {
  headers: Map<string, string>;
  body: string;
}

/** Reads a MIME message (given as latin1 text, one character a byte) as far as plain text needs. */
export function readMail(raw: string): MailText {
  const part = splitPart(raw);
  const header = (name: string) => decodeWords(part.headers.get(name) ?? "");
  return {
    from: header("from"),
    to: header("to"),
    subject: header("subject"),
    messageId: header("message-id"),
    text: plainText(part)?.replace(/\r\n/g, "\n").trimEnd() ?? "",
  };
}

function splitPart(raw: string): Part {
  const end = raw.search(/\r?\n\r?\n/);
  const head = end < 0 ? raw : raw.slice(0, end);
  const headers = new Map<string, string>();
  for (const line of head.replace(/\r?\n[ \t]+/g, " ").split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  return { headers, body: end < 0 ? "" : raw.slice(end).replace(/^\r?\n\r?\n/, "") };
}

/** The first text/plain part; HTML stripped of its tags when there is no other. */
function plainText(part: Part): string | undefined {
  const type = part.headers.get("content-type") ?? "text/plain";
  if (/^multipart\//i.test(type)) {
    const children = splitMultipart(part.body, parameter(type, "boundary"));
    const texts = children.map((child) => ({ child, text: plainText(child) }));
    const plain = texts.find(({ child, text }) => text !== undefined && !isHtml(child));
    return plain?.text ?? texts.find(({ text }) => text !== undefined)?.text;
  }
  if (!/^text\//i.test(type) || isAttachment(part)) return undefined;
  const text = decodeBody(part, parameter(type, "charset") ?? "utf-8");
  return isHtml(part) ? text.replace(/<[^>]*>/g, "") : text;
}

function splitMultipart(body: string, boundary = ""): Part[] {
  const pieces = `\r\n${body}`.split(`\n--${boundary}`).slice(1);
  return pieces
    .filter((piece) => !piece.startsWith("--"))
    .map((piece) => splitPart(piece.replace(/^[^\n]*\n/, "").replace(/\r$/, "")));
}

function isHtml(part: Part): boolean {
  return /^text\/html/i.test(part.headers.get("content-type") ?? "");
}

function isAttachment(part: Part): boolean {
  return /^attachment/i.test(part.headers.get("content-disposition") ?? "");
}

function parameter(header: string, name: string): string | undefined {
  return new RegExp(`;\\s*${name}="?([^";]+)"?`, "i").exec(header)?.[1];
}

function decodeBody(part: Part, charset: string): string {
  const encoding = part.headers.get("content-transfer-encoding")?.toLowerCase();
  if (encoding === "base64") return decodeBytes(Buffer.from(part.body, "base64"), charset);
  if (encoding !== "quoted-printable")
    return decodeBytes(Buffer.from(part.body, "latin1"), charset);
  return decodeBytes(unquote(part.body.replace(/=[ \t]*\r?\n/g, "")), charset);
}

/** RFC 2047 words; the white space between two of them does not count. */
function decodeWords(header: string): string {
  return header
    .replace(/(\?=)\s+(?==\?)/g, "$1")
    .replace(/=\?([^?]+)\?([BQ])\?([^?]*)\?=/gi, (_, charset, encoding, text) =>
      encoding.toUpperCase() === "B"
        ? decodeBytes(Buffer.from(text, "base64"), charset)
        : decodeBytes(unquote(text.replaceAll("_", " ")), charset),
    );
}

function unquote(text: string): Buffer {
  const bytes = text.replace(/=([0-9A-F]{2})/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, "latin1");
}

function decodeBytes(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return bytes.toString("utf8"); // a charset that Node does not know
  }
}
