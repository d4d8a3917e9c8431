import { randomBytes, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { Secrets } from "../../store/secrets.ts";

/** Product time. */
export const SESSION_MS = 12 * 3_600_000;

const PLACE = "admin session";
const NOTICE_PLACE = "admin notice";
const CSRF_PLACE = "admin form";
const ID_BYTES = 18;

const sessionSchema = z.strictObject({
  id: z.string(),
  token: z.string().nullable(),
  tenant: z.string().nullable(),
  expiresAt: z.number(),
});

/**
 * What the sealed cookie holds. `token` null: not logged in yet; the id alone binds the log-in form.
 * `tenant`: what the holder of ADMIN_TOKEN looks at. Nothing is kept on the server, so that several
 * web processes need not agree.
 */
export type Session = z.infer<typeof sessionSchema>;

/** Seals and opens what the pages put into cookies. */
export interface SessionSeal {
  start(token: string | null, now: number): Session;
  write(session: Session): string;
  /** null: none, another key's, changed, or run out. */
  read(cookie: string | undefined, now: number): Session | null;
  writeNotice(text: string): string;
  readNotice(cookie: string | undefined): string | null;
  /** Stands in every form of the session. */
  csrfOf(session: Session): string;
  isCsrfOf(session: Session, given: string): boolean;
}

/** AES-256-GCM under a key made from the master key. */
export function createSessionSeal(
  secrets: Pick<Secrets, "seal" | "open" | "fingerprint">,
): SessionSeal {
  const open = (cookie: string | undefined, place: string): string | null => {
    if (!cookie) return null;
    try {
      return secrets.open(Buffer.from(cookie, "base64url"), place);
    } catch {
      return null;
    }
  };
  const seal = (text: string, place: string) => secrets.seal(text, place).toString("base64url");
  const csrfOf = ({ id }: Session) => secrets.fingerprint(id, CSRF_PLACE);
  return {
    start: (token, now) => ({
      id: randomBytes(ID_BYTES).toString("base64url"),
      token,
      tenant: null,
      expiresAt: now + SESSION_MS,
    }),
    write: (session) => seal(JSON.stringify(session), PLACE),
    read(cookie, now) {
      const text = open(cookie, PLACE);
      const session = text === null ? null : sessionSchema.parse(JSON.parse(text));
      return session && session.expiresAt > now ? session : null;
    },
    writeNotice: (text) => seal(text, NOTICE_PLACE),
    readNotice: (cookie) => open(cookie, NOTICE_PLACE),
    csrfOf,
    isCsrfOf(session, given) {
      const [wanted, got] = [Buffer.from(csrfOf(session)), Buffer.from(given)];
      return wanted.length === got.length && timingSafeEqual(wanted, got);
    },
  };
}
