/** The call never left, so it can be made again without fear of doing it twice. */
const NEVER_LEFT = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EAI_FAIL",
  "EAI_NODATA",
  "EAI_NONAME",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETUNREACH",
  "ENETDOWN",
  "EADDRNOTAVAIL",
  "UND_ERR_CONNECT_TIMEOUT",
  // the other side's certificate is looked at before the request is written
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CERT_REVOKED",
  "CERT_UNTRUSTED",
  "CERT_REJECTED",
  "CERT_SIGNATURE_FAILURE",
  "CERT_CHAIN_TOO_LONG",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "INVALID_CA",
  "HOSTNAME_MISMATCH",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "ERR_TLS_HANDSHAKE_TIMEOUT",
  // both sides could not agree how to speak; other alerts of TLS may come later, too
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "ERR_SSL_UNSUPPORTED_PROTOCOL",
  "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION",
  "ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE",
  "ERR_SSL_NO_PROTOCOLS_AVAILABLE",
]);

/** Codes that say so only of an error that came while the connection was being made. */
const WHILE_CONNECTING = new Set(["ECONNRESET", "ETIMEDOUT", "EPIPE", "ECONNABORTED"]);
/** Node's words for a connection that ended in the handshake; it has no code of its own. */
const BEFORE_TLS = /before secure TLS connection was established/;

/**
 * Looks through the wrappers that fetch and the clients put around a network error. A connection that
 * was reset later may have carried the whole request: that is not told here.
 */
export function neverLeft(error: unknown): boolean {
  return causesOf(error).some(isCertain);
}

interface Cause {
  code: string;
  syscall: unknown;
  message: unknown;
}

function isCertain({ code, syscall, message }: Cause): boolean {
  if (NEVER_LEFT.has(code)) return true;
  if (!WHILE_CONNECTING.has(code)) return false;
  return syscall === "connect" || (typeof message === "string" && BEFORE_TLS.test(message));
}

function causesOf(error: unknown, depth = 0): Cause[] {
  if (depth > 5 || typeof error !== "object" || error === null) return [];
  const { code, syscall, message, cause, error: inner, original, errors } = error as Fields; // read as it comes
  const nested = [cause, inner, original, ...(Array.isArray(errors) ? errors : [])];
  const own = typeof code === "string" ? [{ code, syscall, message }] : [];
  return [...own, ...nested.flatMap((one) => causesOf(one, depth + 1))];
}

type Fields = Record<string, unknown>;
