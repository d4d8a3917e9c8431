import { z } from "zod";
import type { AnyTool, RagTool } from "../../src/tools/contract.ts";
import { success } from "../../src/tools/results.ts";
import { type Office, officeRules, rule } from "./office.ts";
import { addLead, call } from "./office-lead.ts";
import { SMALL_TOOL } from "./small-tool.ts";

const parameters = z.strictObject({ subject: z.string() });

/** An effect that people approve in time or not at all. */
export function letterTool(sent: string[] = []): AnyTool {
  const tool: RagTool<z.infer<typeof parameters>> = {
    ...{ name: "send_letter", title: "Letter", description: SMALL_TOOL, risk: "send_message" },
    ...{ sideEffectType: "message", parameters, output: z.looseObject({}) },
    ...{ offered: true, staged: false, isAvailable: () => true },
    async prepare(_tx, args, scope) {
      const key = `letter:${scope.conversationId}:${args.subject}`;
      const material = [{ label: "Subject", value: args.subject }];
      return { kind: "action", action: { ...args }, businessKey: key, material };
    },
    async run({ action }) {
      sent.push(String(action.subject));
      return { kind: "result", result: success({ type: "letter", summary: "sent" }, action) };
    },
  };
  return tool as AnyTool; // lists hold tools of every argument type
}

/** The office's rules with those of letters: open for `ttlS` seconds. */
export function letterRules(ttlS = 3600) {
  const letter = rule("send_letter", { requires_approval: true, approval_ttl_s: ttlS });
  return [...officeRules(), letter];
}

/** A new lead and the letter that waits for people. */
export async function asksLetter(office: Office, subject = "your order") {
  const lead = await addLead(office);
  await lead.proposes([call("send_letter", { subject })]);
  return { lead, approval: await lead.approval() };
}
