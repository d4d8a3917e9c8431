import type { StyleExample } from "./quality.ts";

/** Longest texts and lists of a style, in characters and items. */
export const STYLE_LIMITS = {
  guidance: 4000,
  examples: 8,
  exampleText: 600,
  skills: 5,
  skillText: 2000,
} as const;

/** What a version of a style holds; skills by their ids. */
export interface StyleDraft {
  guidance: string;
  examples: StyleExample[];
  skills: string[];
}

/** A text that styles may have attached. */
export interface StyleSkill {
  id: string;
  text: string;
}

/** Of a stored version: with its text as it stood, or the id alone in rows of an earlier build. */
export type VersionSkill = string | StyleSkill;

/** A version as a model reads it, with the texts of its skills. */
export interface StyleContent {
  guidance: string;
  examples: StyleExample[];
  skills: StyleSkill[];
}

/** The style that replies are written in. */
export interface ReplyStyle extends StyleContent {
  id: string;
  version: number;
}
