import { HANDOFF_TOOL } from "../tools/handoff-to-operator.ts";

/** For whoever takes from the model its way to a person. */
export const HANDOFF_WARNING = `${HANDOFF_TOOL}: the model can no longer call a person by itself; the desk still does it for clients whose words ask for one`;
