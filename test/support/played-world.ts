/** The sandbox's own API over HTTP: plays people and moves the world. */
export interface PlayedWorld {
  post<T = Played>(path: string, body: unknown): Promise<T>;
  get<T = Played>(path: string): Promise<T>;
  /** Resolves when nobody has anything under way; throws with what is still waited for. */
  idle(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of an HTTP API, looked into by tests
export type Played = any;

const IDLE_LIMIT_MS = 60_000;

export function createPlayedWorld(origin: string): PlayedWorld {
  async function call<T>(path: string, init: RequestInit): Promise<T> {
    const answer = await fetch(`${origin}/sandbox/api/${path}`, init);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as T;
  }
  return {
    get: (path) => call(path, {}),
    post: (path, body) => call(path, { method: "POST", body: JSON.stringify(body) }),
    async idle() {
      await call(`idle?timeout_ms=${IDLE_LIMIT_MS}`, {});
    },
  };
}
