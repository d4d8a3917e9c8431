import type { RiskClass } from "../domain/tool.ts";
import type { ApprovalNeed } from "../policy/approval-need.ts";
import { riskFloor } from "../policy/risk.ts";
import type { AnyTool, ToolDescription } from "./contract.ts";

const LONGEST_PART = 320;
const LONGEST = 1400;
const PARTS = ["does", "when", "whenNot", "needs", "limits", "returns"] as const;

/** What a model reads of a tool: what it is for and what follows from its class, in short lines. */
export function describeTool(tool: AnyTool, approval: ApprovalNeed = riskFloor(tool.risk)): string {
  const { does, when, whenNot, needs, limits, returns } = tool.description;
  return [
    does,
    `Use: ${when}`,
    `Not: ${whenNot}`,
    `Needs: ${needs}`,
    `Limits: ${limits}`,
    `Risk: ${RISK_TEXTS[tool.risk]}`,
    `Returns: ${returns}`,
    `Approval: ${APPROVAL_TEXTS[approval]}`,
  ].join("\n");
}

/** What keeps a description from being shown to a model; null when nothing does. */
export function descriptionProblem(description: ToolDescription | undefined): string | null {
  if (typeof description !== "object" || description === null) return "the description is missing";
  for (const part of PARTS) {
    const text = description[part];
    if (typeof text !== "string" || text.trim().length < 4)
      return `the description does not say: ${part}`;
    if (text.length > LONGEST_PART)
      return `the description is too long: ${part} has more than ${LONGEST_PART} characters`;
    const shape = FORBIDDEN.find(({ pattern }) => pattern.test(text));
    if (shape) return `the description holds ${shape.name}: ${part}`;
  }
  const length = PARTS.reduce((sum, part) => sum + description[part].length, 0);
  return length > LONGEST ? `the description has more than ${LONGEST} characters` : null;
}

const FORBIDDEN = [
  { name: "an address", pattern: /\b[a-z][a-z0-9+.-]*:\/\//i },
  { name: "a path", pattern: /(?:^|\s)\/[a-z0-9_-]+(?:\/|\b)/i },
  { name: "a variable's name", pattern: /\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/ },
  { name: "a token", pattern: /\b(?=[A-Za-z0-9_-]*\d)[A-Za-z0-9_-]{24,}\b/ },
];

const RISK_TEXTS: Record<RiskClass, string> = {
  read_only: "reads only.",
  draft_only: "a draft of ours that can be undone.",
  write_internal: "changes the business's own records.",
  external_write: "changes something at another company.",
  send_message: "sends a message to a person.",
  payment: "moves money.",
  permission_change: "changes what somebody may do.",
  delete: "destroys data.",
};

const APPROVAL_TEXTS: Record<ApprovalNeed, string> = {
  allow: "none.",
  sometimes: "an operator may have to approve the call before anything happens.",
  approval: "an operator has to approve each call before anything happens.",
  deny: "never given; the call is always refused.",
};
