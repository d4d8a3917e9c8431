import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, isAbsolute, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { importDocument } from "../admin/import-document.ts";
import { StartError } from "../domain/errors.ts";
import { createKnowledge } from "../knowledge/knowledge.ts";
import { withTenant } from "../store/db.ts";
import type { HandedCommand } from "../store/folder-lock.ts";
import { listKbDocuments, removeKbDocument } from "../store/kb-documents.ts";
import { audit } from "./audit.ts";
import { backUp } from "./backup.ts";
import type { CommandParts } from "./command-parts.ts";
import { reportDatabase } from "./database-report.ts";
import { createToken } from "./tokens.ts";

/** Commands that work on the database: in this process, or handed to the one that holds it. */
export async function runDatabaseCommand(
  parts: CommandParts,
  { command, args, cwd }: HandedCommand,
): Promise<number> {
  if (command === "tokens") return tokens(parts, args);
  if (command === "kb") return kb(parts, args, cwd);
  if (command === "audit") return audit(parts, args);
  if (command === "backup") return backup(parts, args, cwd);
  if (command === "doctor") {
    parts.write(JSON.stringify(await reportDatabase(parts.db)));
    return 0;
  }
  throw new StartError(`There is no command "${command}"`);
}

async function backup(parts: CommandParts, args: string[], cwd: string): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { force: { type: "boolean", default: false } },
  });
  const [file] = positionals;
  if (!file || positionals.length > 1)
    return usage(parts, "usage: npm run backup -- FILE [--force]");
  await backUp(parts, { file, cwd, force: values.force });
  return 0;
}

async function tokens(parts: CommandParts, args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      staff: { type: "string" },
      tenant: { type: "string" },
      days: { type: "string" },
    },
  });
  if (positionals[0] !== "create" || !values.staff)
    return usage(parts, "usage: npm run tokens -- create --staff ID [--tenant T] [--days N]");
  await createToken(parts, {
    staffId: values.staff,
    ...(values.tenant ? { tenantId: values.tenant } : {}),
    ...(values.days ? { days: Number(values.days) } : {}),
  });
  return 0;
}

const KB_USAGE =
  'usage: npm run kb -- import PATH… | search "…" [--json] | list | remove ID   [--tenant T]';

async function kb(parts: CommandParts, args: string[], cwd: string): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { tenant: { type: "string", default: "default" }, json: { type: "boolean" } },
  });
  const [verb, ...rest] = positionals;
  const at = { parts, tenantId: values.tenant };
  if (verb === "import" && rest.length > 0) return importPaths(at, rest, cwd);
  if (verb === "search" && rest.length === 1)
    return search(at, rest[0] ?? "", values.json === true);
  if (verb === "list" && rest.length === 0) return list(at);
  if (verb === "remove" && rest.length === 1) return remove(at, rest[0] ?? "");
  return usage(parts, KB_USAGE);
}

interface At {
  parts: CommandParts;
  tenantId: string;
}

async function importPaths({ parts, tenantId }: At, paths: string[], cwd: string): Promise<number> {
  const files = paths.flatMap((path) => filesIn(isAbsolute(path) ? path : join(cwd, path)));
  for (const [index, file] of files.entries()) {
    const body = readFileSync(file, "utf8");
    const source = relative(cwd, file) || basename(file);
    const now = parts.clock.now();
    const saved = await withTenant(parts.db, tenantId, (tx) =>
      importDocument(tx, { tenantId, source, body, now }),
    );
    const what = saved.changed ? `revision ${saved.revision}` : "unchanged";
    parts.write(`${index + 1}/${files.length} ${source}: ${what}, ${saved.chunks} passages`);
  }
  return 0;
}

function filesIn(path: string): string[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) throw new StartError(`${path}: there is no such file or folder`);
  if (stat.isFile()) return [path];
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(md|txt)$/i.test(name))
    .sort()
    .map((name) => join(path, name));
}

async function search({ parts, tenantId }: At, text: string, json: boolean): Promise<number> {
  const hits = await withTenant(parts.db, tenantId, (tx) =>
    createKnowledge().search(tx, { tenantId, text, topK: 5 }),
  );
  if (json) parts.write(JSON.stringify(hits));
  else if (hits.length === 0) parts.write("nothing found");
  else
    for (const hit of hits)
      parts.write(
        `${hit.score.toFixed(2)}  ${hit.title}: ${hit.text.slice(0, 120).replaceAll("\n", " ")}`,
      );
  return 0;
}

async function list({ parts, tenantId }: At): Promise<number> {
  const documents = await withTenant(parts.db, tenantId, (tx) =>
    listKbDocuments(tx, { tenantId, limit: 200, after: null }),
  );
  for (const document of documents)
    parts.write(`${document.id}  ${document.source}  ${document.title}`);
  return 0;
}

async function remove({ parts, tenantId }: At, id: string): Promise<number> {
  const removed = await withTenant(parts.db, tenantId, (tx) => removeKbDocument(tx, tenantId, id));
  if (!removed) throw new StartError(`${id}: there is no such document; kb list shows them`);
  parts.write(`${id} removed`);
  return 0;
}

function usage(parts: CommandParts, line: string): number {
  parts.write(line);
  return 2;
}
