import { parseConnectionUrl } from "nodemailer/lib/shared";
import type { SMTPConnectionOptions } from "nodemailer/lib/smtp-connection";

/** Out of one URL; null `login`: the server wants none. */
export interface MailServer {
  host: string;
  port: number;
  login: { user: string; pass: string } | null;
  /** For the connection; without the login. */
  connection: SMTPConnectionOptions;
}

const TLS_PORT = 465;
const SUBMISSION_PORT = 587;
const THIS_MACHINE = /^(?:127\.|localhost$|::1$)/;

/**
 * Where SMTP_URL points. A login leaves this machine under TLS only, unless the URL itself says
 * `?requireTLS=false`; other options of the connection may stand there, too.
 */
export function mailServerOf(url: string): MailServer {
  const { auth, host = "localhost", port, secure = false, ...options } = parseConnectionUrl(url);
  const login = auth?.user ? { user: auth.user, pass: auth.pass ?? "" } : null;
  const usesTls = secure === true;
  const to = { host, port: Number(port) || (usesTls ? TLS_PORT : SUBMISSION_PORT) };
  const requireTLS = login !== null && !usesTls && !THIS_MACHINE.test(host);
  return { ...to, login, connection: { requireTLS, ...options, ...to, secure: usesTls } };
}
