/** A refusal of the API, as it told it. */
export interface Refusal {
  code: string;
  message: string;
  path?: string;
}

/** What the API answered to a change. */
export type Answer<T> =
  | { ok: true; status: number; body: T }
  | { ok: false; status: number; error: Refusal };

/** Query fields; empty ones are left out. */
export type Query = Record<string, string | number | undefined>;

/** The admin API with one person's token: rights, checks, audit and messages are its own. */
export interface ApiClient {
  /** Throws ApiRefusal. */
  get<T>(path: string, query?: Query): Promise<T>;
  send<T>(
    method: "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    body?: object,
  ): Promise<Answer<T>>;
  /** The answer as it came, to be handed on. */
  fetch(path: string, query?: Query): Promise<Response>;
}

/** A page cannot be shown; the message is the API's. */
export class ApiRefusal extends Error {
  override readonly name = "ApiRefusal";
  readonly status: number;
  readonly code: string;
  constructor(status: number, { code, message }: Refusal) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The token works no more: expired, revoked, or its person was suspended. */
export class SessionEnded extends Error {
  override readonly name = "SessionEnded";
}

const BASE = "http://in-process/api/admin";

/** `tenant`: only for ADMIN_TOKEN; a personal token names its own. */
export function createApiClient(
  api: (request: Request) => Promise<Response>,
  holder: { token: string; tenant: string | null },
): ApiClient {
  const call = async (method: string, path: string, { query = {}, body }: Call = {}) => {
    const url = new URL(BASE + path);
    const fields = { ...query, ...(holder.tenant === null ? {} : { tenant: holder.tenant }) };
    for (const [name, value] of Object.entries(fields))
      if (value !== undefined && value !== "") url.searchParams.set(name, String(value));
    const headers = {
      authorization: `Bearer ${holder.token}`,
      "content-type": "application/json",
    };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await api(new Request(url, { method, headers, ...sent }));
    if (response.status === 401) throw new SessionEnded();
    return response;
  };
  return {
    async get<T>(path: string, query?: Query) {
      const answer = await answerOf<T>(await call("GET", path, query ? { query } : {}));
      if (!answer.ok) throw new ApiRefusal(answer.status, answer.error);
      return answer.body;
    },
    send: async (method, path, body) =>
      answerOf(await call(method, path, body === undefined ? {} : { body })),
    fetch: (path, query) => call("GET", path, query ? { query } : {}),
  };
}

interface Call {
  query?: Query;
  body?: object;
}

async function answerOf<T>(response: Response): Promise<Answer<T>> {
  const { status } = response;
  const text = await response.text();
  const body: unknown = text === "" ? null : JSON.parse(text);
  // the API is of the same build: its shapes are those that the pages are written for
  if (response.ok) return { ok: true, status, body: body as T };
  return { ok: false, status, error: (body as { error: Refusal }).error };
}
