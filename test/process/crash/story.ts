import type { DeskProcess } from "../desk-process.ts";
import type { Act } from "./deal.ts";

export interface Story {
  name: string;
  acts: Act[];
  /** What is true in the end, wherever the process was killed on the way. */
  holds(): Promise<void>;
}

/** A client of its own is in each telling. */
export type Tell = (desk: DeskProcess, chatId: number) => Story;
