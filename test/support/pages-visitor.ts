import type { Admin } from "../../src/admin/app.ts";

export const PAGES_ORIGIN = "http://desk.example";

/** A page as it came. */
export interface Got {
  status: number;
  headers: Headers;
  /** Of the answer itself; redirects are not followed. */
  text: string;
}

/** How a request differs from what a browser would send. */
export interface Sending {
  origin?: string | null;
  /** Instead of the token of the page's form; null: none. */
  csrf?: string | null;
  headers?: Record<string, string>;
}

/** Somebody at the pages with cookies, but without a browser. */
export interface PagesVisitor {
  get(path: string, how?: Sending): Promise<Got>;
  /** Sends a form of the page that was looked at last. */
  post(path: string, fields: Record<string, string>, how?: Sending): Promise<Got>;
  /** Opens the form and sends the token; gives the answer. */
  logIn(token: string): Promise<Got>;
  /** The value of a cookie that the browser would send. */
  cookie(name: string): string | undefined;
  /** The token of the last page's forms. */
  csrf(): string;
}

/** `origin`: where the browser believes the pages to be. */
export function createVisitor(
  { pages }: Pick<Admin, "pages">,
  { address = "192.0.2.1", origin = PAGES_ORIGIN } = {},
): PagesVisitor {
  const cookies = new Map<string, string>();
  let csrf = "";
  const send = async (method: string, path: string, init: RequestInit): Promise<Got> => {
    const headers = new Headers(init.headers);
    headers.set("cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    const request = new Request(PAGES_ORIGIN + path, { ...init, method, headers });
    const answer = await pages(request, { address });
    for (const line of answer.headers.getSetCookie()) keep(cookies, line);
    const text = await answer.text();
    csrf = /name="csrf" value="(\w+)"/.exec(text)?.[1] ?? csrf;
    return { status: answer.status, headers: answer.headers, text };
  };
  const visitor: PagesVisitor = {
    get: (path, { headers = {} } = {}) => send("GET", path, { headers }),
    post(path, fields, { origin: other = origin, csrf: given = csrf, headers = {} } = {}) {
      const body = new URLSearchParams({ ...fields, ...(given === null ? {} : { csrf: given }) });
      const from: Record<string, string> = other === null ? {} : { origin: other };
      return send("POST", path, { body, headers: { ...from, ...headers } });
    },
    async logIn(token) {
      await visitor.get("/admin/log-in");
      return visitor.post("/admin/log-in", { token });
    },
    cookie: (name) => cookies.get(name),
    csrf: () => csrf,
  };
  return visitor;
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = ""] = line.split(";");
  const [name = "", value = ""] = pair.split(/=(.*)/s);
  if (value === "" || /max-age=0/i.test(line)) cookies.delete(name);
  else cookies.set(name, value);
}
