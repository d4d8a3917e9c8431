import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";

export type TlsScript = (request: IncomingMessage, response: ServerResponse) => void;

export interface TlsServer {
  port: number;
  /** Hosts that were asked for, in order. */
  asked: string[];
  answer(script: TlsScript): void;
  close(): Promise<void>;
}

/** An https server on the loopback interface, for the names `shop.example` and `other.example`. */
export async function startTlsServer(): Promise<TlsServer> {
  const asked: string[] = [];
  let script: TlsScript = (_, response) => response.end();
  const server = createServer({ cert: TLS_CERTIFICATE, key: KEY }, (request, response) => {
    asked.push(request.headers.host ?? "");
    script(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port, // listening on TCP
    asked,
    answer(next) {
      script = next;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Signed by itself, good for a hundred years and for these tests only. */
export const TLS_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBijCCAS+gAwIBAgIBATAKBggqhkjOPQQDAjAfMR0wGwYDVQQDDBR0ZXN0cyBv
ZiBDb3VudGVyc2lnbjAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFow
HzEdMBsGA1UEAwwUdGVzdHMgb2YgQ291bnRlcnNpZ24wWTATBgcqhkjOPQIBBggq
hkjOPQMBBwNCAASi1BUUpzaMD9GqvZdJxVHY8O/8B4iF35chRPVl5q+5qS2JtrO4
f5tKCKLhc7vocyWhXSfYhShpuTdIBEBIhOvCo1owWDAPBgNVHRMBAf8EBTADAQH/
MCYGA1UdEQQfMB2CDHNob3AuZXhhbXBsZYINb3RoZXIuZXhhbXBsZTAdBgNVHQ4E
FgQUZmm+pK1AOEemSX0THdzDBBO2Q2gwCgYIKoZIzj0EAwIDSQAwRgIhAJ+ngQKm
h+4vL+igxnAZ8nY2MI/7f82JAOLzoZ0QAbABAiEAtsM51GKvPv/jdiAvWjqlfzup
MI1hK542tYPUZbi9a14=
-----END CERTIFICATE-----`;

const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg76I6PKcDaBdRbOJ3
1GBuMJLoFFaWd/x9UAb8N3DtlBChRANCAASi1BUUpzaMD9GqvZdJxVHY8O/8B4iF
35chRPVl5q+5qS2JtrO4f5tKCKLhc7vocyWhXSfYhShpuTdIBEBIhOvC
-----END PRIVATE KEY-----`;
