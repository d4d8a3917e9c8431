import { accessSync, constants, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** Where reports go; null: not wanted. */
export interface ReportFiles {
  outJson: string | null;
  outJunit: string | null;
  outMd: string | null;
}

/**
 * Why a report could not be written, in words for a person; null: all can. Asked before anything is
 * run: a report that has no place is found out too late. No folder is made: its name may be a slip.
 */
export function reportProblem({ outJson, outJunit, outMd }: ReportFiles): string | null {
  const files = { "--out-json": outJson, "--out-junit": outJunit, "--out-md": outMd };
  for (const [flag, file] of Object.entries(files)) {
    const problem = file === null ? null : placeProblem(file);
    if (problem !== null) return `${flag}: ${file} cannot be written: ${problem}`;
  }
  return null;
}

function placeProblem(file: string): string | null {
  const folder = dirname(resolve(file));
  const found = entryAt(folder);
  if (!found) return `there is no folder ${folder}; make it first`;
  if (!found.isDirectory()) return `${folder} is no folder`;
  const there = entryAt(file);
  if (there?.isDirectory()) return "it is a folder; name a file in it";
  return isWritable(there ? file : folder) ? null : `${there ? "it" : folder} is read-only`;
}

/** null: there is none, or none that can be looked at. */
function entryAt(place: string): Stats | null {
  try {
    return statSync(place);
  } catch {
    return null;
  }
}

function isWritable(place: string): boolean {
  try {
    accessSync(place, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
