import type { ClientOptions } from "openai";

type Fetch = NonNullable<ClientOptions["fetch"]>;

/** A status that is no success, with all that the endpoint said: the client's own error drops most. */
export class HttpRefusal extends Error {
  override readonly name = "HttpRefusal";
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  constructor(status: number, headers: Headers, body: string) {
    super(`HTTP status ${status}`);
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

/** The same `fetch`, which throws an `HttpRefusal` in the place of such an answer. */
export function refusing(send: Fetch): Fetch {
  return async (input, init) => {
    const response = await send(input, init);
    if (response.ok) return response;
    const body = await response.text().catch(() => ""); // the status says enough
    throw new HttpRefusal(response.status, response.headers, body);
  };
}

/** The refusal that stands behind what the client threw. */
export function refusalIn(error: unknown): HttpRefusal | null {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof HttpRefusal) return at;
  return null;
}
