/** Say it to the person: the message names the thing, the rule and the next step. */
export class UserError extends Error {
  override readonly name = "UserError";
  readonly code: string;
  readonly path: string | undefined;
  constructor(code: string, message: string, path?: string) {
    super(message);
    this.code = code;
    this.path = path;
  }
}

/** The conflict that says: it exists. Others refuse something else. */
export const EXISTS_ALREADY =
  "Something else holds this already; read the list and change that entry";

/** The other side could not be reached or asked to wait: try again. */
export class RetryableError extends Error {
  override readonly name = "RetryableError";
  readonly afterMs: number;
  constructor(message: string, options: { afterMs?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.afterMs = options.afterMs ?? 0;
  }
}

/** The start or a command cannot go on: one line for the owner, then a non-zero exit. */
export class StartError extends Error {
  override readonly name = "StartError";
}

/** A failed query's own message holds its parameters (people's texts, secrets): its cause does not. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const holdsParameters = error.message.startsWith("Failed query:");
  return holdsParameters && error.cause ? messageOf(error.cause) : error.message;
}

/** For logs of bugs; like `messageOf`, never a query's parameters. */
export function stackOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const holdsParameters = error.message.startsWith("Failed query:");
  return holdsParameters && error.cause ? stackOf(error.cause) : error.stack;
}
