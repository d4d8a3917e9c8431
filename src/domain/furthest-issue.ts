import type { z } from "zod";

/** Of the ways that a union offers, what is wrong with the one that got furthest; with its whole path. */
export function furthestIssue(
  issue: z.core.$ZodIssue,
  above: readonly PropertyKey[] = [],
): z.core.$ZodIssue {
  const path = [...above, ...issue.path];
  const [inner] =
    issue.code === "invalid_union"
      ? issue.errors
          .flat()
          .toSorted((one, other) => depthOf(other) - depthOf(one))
          .filter((one) => depthOf(one) > 0)
      : [];
  return inner ? furthestIssue(inner, path) : { ...issue, path };
}

/** A value of the wrong type did not get into that way at all. */
function depthOf({ path, code }: z.core.$ZodIssue): number {
  return 2 * path.length + (code === "invalid_type" ? 0 : 1);
}
