import type { ToolDescription } from "../../src/tools/contract.ts";

/** A description with all that the contract wants. */
export const SMALL_TOOL: ToolDescription = {
  does: "A small tool of the tests.",
  when: "when a test asks for it.",
  whenNot: "outside the tests.",
  needs: "what its schema says.",
  limits: "as the policy says.",
  returns: "what it was given.",
};
