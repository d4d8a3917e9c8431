import type { StyleExample } from "../../domain/quality.ts";
import type { StyleSkill } from "../../domain/style.ts";
import type { ApiClient } from "./api-client.ts";

export interface StyleVersion {
  version: number;
  is_active: boolean;
  /** Why a coach suggested it; empty: a person wrote it. */
  rationale: string;
  created_by: string;
  created_at: string;
  guidance: string;
  examples: StyleExample[];
  /** Ids. */
  skills: string[];
  /** As the version says them. */
  skill_texts: StyleSkill[];
}

/** GET /quality/styles */
export interface ShownStyle {
  id: string;
  name: string;
  is_active: boolean;
  active: StyleVersion | null;
  versions: StyleVersion[];
}

/** All styles and the texts that they may have attached. */
export async function readStyles(
  api: ApiClient,
): Promise<{ styles: ShownStyle[]; skills: StyleSkill[] }> {
  const styles = await api.get<{ items: ShownStyle[] }>("/quality/styles");
  const skills = await api.get<{ items: StyleSkill[] }>("/quality/skills");
  return { styles: styles.items, skills: skills.items };
}
