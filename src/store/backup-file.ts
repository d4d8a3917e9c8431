import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream, createWriteStream, type WriteStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { StringDecoder } from "node:string_decoder";
import { createGunzip, createGzip } from "node:zlib";
import { z } from "zod";
import { messageOf, StartError } from "../domain/errors.ts";

const FORMAT = 1;

const headerSchema = z.object({
  backup: z.object({
    format: z.number().int(),
    /** Of the program that wrote it. */
    product: z.string(),
    /** The newest migration of its database. */
    schema: z.number().int(),
    world: z.enum(["sandbox", "real"]),
    /** When the snapshot was taken, ISO 8601. */
    at: z.iso.datetime(),
  }),
});
const sectionSchema = z.object({
  table: z.string(),
  /** null: a table that all tenants share. */
  tenant: z.string().nullable(),
  columns: z.array(z.string()),
});
const sequenceSchema = z.object({
  sequence: z.object({
    table: z.string(),
    column: z.string(),
    last: z.string(),
    called: z.boolean(),
  }),
});
const endSchema = z.object({ end: z.object({ rows: z.number().int(), sha256: z.string() }) });

export type BackupHeader = z.infer<typeof headerSchema>["backup"];
export type BackupSection = z.infer<typeof sectionSchema>;
export type BackupSequence = z.infer<typeof sequenceSchema>["sequence"];

/** A row is the JSON text of a list: each column as PostgreSQL writes it, or null. Never parsed here. */
export type BackupLine =
  | { kind: "section"; section: BackupSection }
  | { kind: "row"; text: string }
  | { kind: "sequence"; sequence: BackupSequence };

export interface BackupWriter {
  section(section: BackupSection): Promise<void>;
  row(text: string): Promise<void>;
  sequence(sequence: BackupSequence): Promise<void>;
  /** Writes the checksum and puts the whole file in its place. */
  finish(): Promise<{ rows: number }>;
  /** Leaves nothing behind. */
  abandon(): Promise<void>;
}

/** Gzip'd lines, written beside and renamed at the end: a file of that name is always whole. */
export async function createBackupFile(path: string, header: Omit<BackupHeader, "format">) {
  const unfinished = `${path}.unfinished-${process.pid}`;
  const file = await openNew(unfinished);
  const gzip = createGzip();
  const hash = createHash("sha256");
  const written = pipeline(gzip, file);
  let failure: unknown;
  let rows = 0;
  written.catch((error: unknown) => {
    failure = error;
  });

  async function add(text: string): Promise<void> {
    if (failure) throw failure;
    const line = `${text}\n`;
    hash.update(line);
    if (!gzip.write(line)) await once(gzip, "drain");
  }

  await add(JSON.stringify({ backup: { format: FORMAT, ...header } }));
  const writer: BackupWriter = {
    section: (section) => add(JSON.stringify(section)),
    sequence: (sequence) => add(JSON.stringify({ sequence })),
    row(text) {
      rows += 1;
      return add(text);
    },
    async finish() {
      gzip.end(`${JSON.stringify({ end: { rows, sha256: hash.digest("hex") } })}\n`);
      await written;
      await rename(unfinished, path);
      await syncFolder(dirname(path));
      return { rows };
    },
    async abandon() {
      gzip.destroy();
      await written.catch(() => {}); // its own failure, or this abandoning
      await rm(unfinished, { force: true });
    },
  };
  return writer;
}

/** Reads the whole file once: refuses what is cut, changed or no backup. */
export async function checkBackup(path: string): Promise<{ header: BackupHeader; rows: number }> {
  const reading = readChecked(path);
  let header: BackupHeader | null = null;
  let rows = 0;
  for await (const line of reading) {
    if (line.startsWith("[")) rows += 1;
    header ??= headerOf(path, line);
  }
  if (!header) throw new StartError(`${path} is empty: no backup of Countersign`);
  return { header, rows };
}

/** The lines between head and end; checks like `checkBackup` on the way, and throws at the end. */
export async function* readBackup(path: string): AsyncGenerator<BackupLine> {
  let isHead = true;
  for await (const line of readChecked(path)) {
    if (isHead) isHead = false;
    else yield line.startsWith("[") ? { kind: "row", text: line } : markOf(path, line);
  }
}

/** Never over a file that is there; flushed to the disk before it is closed. */
async function openNew(path: string): Promise<WriteStream> {
  const file = createWriteStream(path, { flags: "wx", mode: 0o600, flush: true });
  try {
    await once(file, "open");
    return file;
  } catch (error) {
    throw new StartError(`${path} cannot be written (${messageOf(error)}); name another file`);
  }
}

/** The name itself must survive a power cut, too. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function headerOf(path: string, line: string): BackupHeader {
  const parsed = headerSchema.safeParse(jsonOf(line));
  if (!parsed.success) throw new StartError(`${path} is no backup of Countersign`);
  const { backup } = parsed.data;
  if (backup.format > FORMAT)
    throw new StartError(
      `${path} was made by a newer version (${backup.product}); restore with it`,
    );
  return backup;
}

function markOf(path: string, line: string): BackupLine {
  const json = jsonOf(line);
  const section = sectionSchema.safeParse(json);
  if (section.success) return { kind: "section", section: section.data };
  const sequence = sequenceSchema.safeParse(json);
  if (sequence.success) return { kind: "sequence", sequence: sequence.data.sequence };
  throw new StartError(`${path} holds a line that no version of this format writes`);
}

/** All lines but the last, which proves them. */
async function* readChecked(path: string): AsyncGenerator<string> {
  const hash = createHash("sha256");
  let rows = 0;
  let held: string | null = null;
  for await (const line of linesOf(path)) {
    if (held !== null) {
      hash.update(`${held}\n`);
      if (held.startsWith("[")) rows += 1;
      yield held;
    }
    held = line;
  }
  const end = endSchema.safeParse(jsonOf(held ?? ""));
  const isWhole = end.success && end.data.end.rows === rows;
  if (!isWhole || end.data.end.sha256 !== hash.digest("hex")) throw notWhole(path);
}

/** Only line feeds part lines: texts of people hold other separators. */
async function* linesOf(path: string): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  try {
    for await (const chunk of unzipped(path)) {
      const lines = (rest + decoder.write(chunk)).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // node's file and zlib errors
    if (code === "ENOENT") throw new StartError(`${path}: there is no such file`);
    if (code === "Z_DATA_ERROR" || code === "Z_BUF_ERROR") throw notWhole(path);
    throw error;
  }
  if (rest !== "") throw notWhole(path);
}

function unzipped(path: string): AsyncIterable<Buffer> {
  const file = createReadStream(path);
  const gunzip = createGunzip();
  file.on("error", (error) => gunzip.destroy(error));
  return file.pipe(gunzip);
}

function notWhole(path: string): StartError {
  return new StartError(
    `${path} is not whole: it was cut or changed, or is no backup of Countersign; nothing was restored`,
  );
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
