import type { ProposedCall } from "./completion.ts";
import { type Context, inLanguage } from "./context.ts";
import type { ToolResult } from "./reading.ts";
import { cannotText } from "./with-person.ts";

/** Something that the lead wants beside a deal: the calls it needs now, and what is said once they are made. */
export interface Wish {
  calls: ProposedCall[];
  said(): string;
}

/** What became of a call that a person may have to approve. `subject`: what waits, in both languages. */
export function workText(
  context: Context,
  result: ToolResult | undefined,
  subject: [russian: string, english: string],
): string | undefined {
  if (result?.approval || result?.status === "waiting_approval") {
    const number = result.approval ? ` (${result.approval})` : "";
    return inLanguage(
      context,
      `${subject[0]} должен одобрить человек${number}. Напишу, когда он ответит.`,
      `A person has to approve ${subject[1]}${number}. I will write when there is an answer.`,
    );
  }
  return result?.ok ? undefined : cannotText(context);
}
