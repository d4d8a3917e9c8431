/** The call never left, so it can be made again without fear of doing it twice. */
const NEVER_LEFT = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

/** Looks through the wrappers that fetch and the clients put around a network error. */
export function neverLeft(error: unknown): boolean {
  return codesOf(error).some((code) => NEVER_LEFT.has(code));
}

function codesOf(error: unknown, depth = 0): string[] {
  if (depth > 5 || typeof error !== "object" || error === null) return [];
  const { code, cause, error: inner, original, errors } = error as Record<string, unknown>;
  const nested = [cause, inner, original, ...(Array.isArray(errors) ? errors : [])];
  const own = typeof code === "string" ? [code] : [];
  return [...own, ...nested.flatMap((one) => codesOf(one, depth + 1))];
}
