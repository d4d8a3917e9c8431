import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AdminPart, SETUP_TOKEN, startAdminPart } from "../support/admin-part.ts";
import { createVisitor, PAGES_ORIGIN } from "../support/pages-visitor.ts";

const SECTIONS = ["tools", "approvals", "conversations", "policies", "audit"];
const SESSION = "countersign_session";

let part: AdminPart;
let admin: { id: string; token: string };
let operator: { id: string; token: string };

beforeAll(async () => {
  part = await startAdminPart();
  await part.addTenant("desk");
  admin = await part.addPerson("desk", "admin");
  operator = await part.addPerson("desk", "operator");
  await part.call("POST", "/tenants/desk/open");
});
afterAll(() => part.close());

async function loggedIn(token: string) {
  const visitor = createVisitor(part.admin);
  expect((await visitor.logIn(token)).status).toBe(303);
  return visitor;
}

describe("without a session", () => {
  it.each(SECTIONS)("/admin/%s leads to the log-in, and from there back", async (section) => {
    const visitor = createVisitor(part.admin);
    const path = `/admin/${section}?cursor=x`;
    const { status, headers } = await visitor.get(path);
    const to = `/admin/log-in?next=${encodeURIComponent(path)}`;
    expect({ status, to: headers.get("location") }).toEqual({ status: 303, to });
    await visitor.get(to);
    const done = await visitor.post("/admin/log-in", { token: admin.token, next: path });
    expect(done.headers.get("location")).toBe(path);
  });

  it("a change leads to the log-in and changes nothing", async () => {
    const sent = await createVisitor(part.admin).post("/admin/tools", { act: "booking-off" });
    expect(sent.status).toBe(303);
    expect(sent.headers.get("location")).toBe("/admin/log-in");
  });

  it.each([
    "https://evil.example/",
    "//evil.example/",
    "/admin\\..\\evil",
    "/administrator",
    "/admin/\n/evil",
  ])("nobody is led to %j after the log-in", async (next) => {
    const visitor = createVisitor(part.admin);
    await visitor.get("/admin/log-in");
    const done = await visitor.post("/admin/log-in", { token: admin.token, next });
    expect(done.headers.get("location")).toBe("/admin");
  });

  it("a link from a messenger is looked at once more, as our own page would", async () => {
    const visitor = createVisitor(part.admin);
    const headers = { "sec-fetch-site": "cross-site" };
    const { headers: got } = await visitor.get("/admin/log-in?next=%2Fadmin%2Faudit", { headers });
    expect(got.get("refresh")).toBe("0; url=/admin/audit");
    expect(got.getSetCookie()).toEqual([]);
  });
});

describe("the log-in", () => {
  it("refuses a token that is none, and says so", async () => {
    const visitor = createVisitor(part.admin);
    const { status, text } = await visitor.logIn("cst_wrong");
    expect(status).toBe(401);
    expect(text).toContain("This token does not work");
    expect(text).not.toContain("cst_wrong");
    expect((await visitor.get("/admin/tools")).status).toBe(303);
  });

  it("keeps the token where neither the page nor a script can read it", async () => {
    const visitor = createVisitor(part.admin);
    const { headers } = await visitor.logIn(admin.token);
    const [cookie = ""] = headers.getSetCookie();
    expect(cookie).toMatch(/; Path=\/admin; HttpOnly; SameSite=Strict$/);
    const kept = Buffer.from(visitor.cookie(SESSION) ?? "", "base64url").toString("latin1");
    expect(kept).not.toContain(admin.token.slice(4, 20));
    expect((await visitor.get("/admin/tools")).text).not.toContain(admin.token.slice(4, 20));
  });

  it("marks the cookie Secure behind https", async () => {
    const { pages } = part.admin;
    const secure = {
      pages: ((request, from) =>
        pages(new Request(request.url.replace("http:", "https:"), request), from)) as typeof pages,
    };
    const { headers } = await createVisitor(secure).get("/admin/log-in");
    expect(headers.getSetCookie()[0]).toContain("; Secure");
  });

  it("begins another session: what was known before is worth nothing", async () => {
    const visitor = createVisitor(part.admin);
    await visitor.get("/admin/log-in");
    const [before, csrf] = [visitor.cookie(SESSION), visitor.csrf()];
    await visitor.post("/admin/log-in", { token: admin.token });
    expect(visitor.cookie(SESSION)).not.toBe(before);
    const sent = await visitor.post("/admin/tools", { act: "booking-off" }, { csrf });
    expect(sent.status).toBe(403);
  });

  it("makes an address wait after ten failures, and no other", async () => {
    const guessing = createVisitor(part.admin, { address: "198.51.100.7" });
    const statuses: number[] = [];
    for (let n = 0; n < 11; n += 1) statuses.push((await guessing.logIn(`cst_${n}`)).status);
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    const late = await guessing.logIn(admin.token);
    expect(late.status).toBe(429);
    expect(Number(late.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await createVisitor(part.admin).logIn(admin.token)).status).toBe(303);
  });

  it("is not used up by people who log in", async () => {
    const from = { address: "198.51.100.8" };
    for (let n = 0; n < 12; n += 1)
      expect((await createVisitor(part.admin, from).logIn(admin.token)).status).toBe(303);
  });
});

describe("a session", () => {
  it("ends by logging out", async () => {
    const visitor = await loggedIn(admin.token);
    await visitor.get("/admin/tools");
    await visitor.post("/admin/log-out", {});
    expect(visitor.cookie(SESSION)).toBeUndefined();
    expect((await visitor.get("/admin/tools")).status).toBe(303);
  });

  it("ends at once when the token is revoked", async () => {
    const { id, token } = await revocable();
    const visitor = await loggedIn(token);
    expect((await visitor.get("/admin/tools")).status).toBe(200);
    const { body } = await part.call("GET", `/staff/${admin.id}/tokens?tenant=desk`);
    expect(body.items.map((one: { id: string }) => one.id)).toContain(id);
    await part.call("DELETE", `/staff/${admin.id}/tokens/${id}`, { token: admin.token });
    const { status, headers } = await visitor.get("/admin/tools");
    expect([status, headers.get("location")]).toEqual([303, "/admin/log-in?ended=1"]);
    expect((await visitor.get("/admin/log-in?ended=1")).text).toContain("The session has ended");
  });

  it("of twelve hours ago is none", async () => {
    const now = part.deps.clock.now();
    const session = { id: "x", token: admin.token, tenant: null, expiresAt: now - 1 };
    expect(await statusWith(JSON.stringify(session))).toBe(303);
    const good = { ...session, expiresAt: now + 60_000 };
    expect(await statusWith(JSON.stringify(good))).toBe(200);
  });

  it("that somebody changed is none", async () => {
    const visitor = await loggedIn(admin.token);
    const cookie = visitor.cookie(SESSION) ?? "";
    const middle = cookie.length >> 1;
    const other = cookie[middle] === "A" ? "B" : "A";
    const changed = cookie.slice(0, middle) + other + cookie.slice(middle + 1);
    expect(await statusOf(cookie)).toBe(200);
    expect(await statusOf(changed)).toBe(303);
  });

  async function revocable() {
    const path = `/staff/${admin.id}/tokens`;
    const { body } = await part.call("POST", path, { token: admin.token, body: {} });
    return { id: body.id as string, token: body.token as string };
  }

  function statusWith(session: string): Promise<number> {
    return statusOf(part.deps.secrets.seal(session, "admin session").toString("base64url"));
  }

  async function statusOf(cookie: string): Promise<number> {
    const headers = { cookie: `${SESSION}=${cookie}` };
    const request = new Request(`${PAGES_ORIGIN}/admin/tools`, { headers });
    return (await part.admin.pages(request, { address: "192.0.2.1" })).status;
  }
});

describe("a change", () => {
  const set = { act: "booking", url: "https://forged.example/call" };

  async function bookingUrl(): Promise<string | null> {
    return (await part.call("GET", "/tools/booking", { token: admin.token })).body.url;
  }

  it.each([
    ["no token of the form", { csrf: null }],
    ["another token", { csrf: "0".repeat(64) }],
    ["a short token", { csrf: "0" }],
    ["another origin", { origin: "https://evil.example" }],
    ["another port", { origin: `${PAGES_ORIGIN}:8080` }],
    ["no origin", { origin: null }],
    ["an opaque origin", { origin: "null" }],
  ])("with %s is refused and does nothing", async (_name, how) => {
    const visitor = await loggedIn(admin.token);
    await visitor.get("/admin/tools");
    const before = await bookingUrl();
    expect((await visitor.post("/admin/tools", set, how)).status).toBe(403);
    expect(await bookingUrl()).toBe(before);
  });

  it("with the token of somebody else's session is refused", async () => {
    const [mine, theirs] = [await loggedIn(admin.token), await loggedIn(operator.token)];
    await mine.get("/admin/tools");
    await theirs.get("/admin/tools");
    const sent = await mine.post("/admin/tools", set, { csrf: theirs.csrf() });
    expect(sent.status).toBe(403);
  });

  it("from the form is done, and told on the next page once", async () => {
    const visitor = await loggedIn(admin.token);
    await visitor.get("/admin/tools");
    const url = "https://calendly.com/desk/call";
    const sent = await visitor.post("/admin/tools", { act: "booking", url });
    expect([sent.status, sent.headers.get("location")]).toEqual([303, "/admin/tools"]);
    expect(await bookingUrl()).toBe(url);
    expect((await visitor.get("/admin/tools")).text).toContain("The booking link is set");
    expect((await visitor.get("/admin/tools")).text).not.toContain("The booking link is set");
    const { body } = await part.call("GET", "/audit", { token: admin.token });
    expect(body.items[0]).toMatchObject({ user_id: admin.id });
  });

  it("behind a proxy is told by the host, whatever the scheme", async () => {
    const visitor = await loggedIn(admin.token);
    await visitor.get("/admin/tools");
    const origin = PAGES_ORIGIN.replace("http:", "https:");
    const sent = await visitor.post("/admin/tools", { act: "booking-off" }, { origin });
    expect(sent.status).toBe(303);
    expect(await bookingUrl()).toBeNull();
  });

  it("that is refused shows the API's words and keeps what was typed", async () => {
    const visitor = await loggedIn(admin.token);
    await visitor.get("/admin/tools");
    const { body } = await part.call("POST", "/tools/booking", {
      token: admin.token,
      body: { url: "ftp://no" },
    });
    const sent = await visitor.post("/admin/tools", { act: "booking", url: "ftp://no" });
    expect(sent.status).toBe(400);
    expect(sent.text).toContain('value="ftp://no"');
    expect(sent.text).toContain(escaped(body.error.message));
  });

  it("that only an admin may make is refused to an operator", async () => {
    const visitor = await loggedIn(operator.token);
    await visitor.get("/admin/tools");
    const sent = await visitor.post("/admin/tools", { act: "booking", url: "https://a.example" });
    expect(sent.status).toBe(403);
    expect(sent.text).toContain("Only an admin may change this");
    expect(await bookingUrl()).not.toBe("https://a.example");
  });
});

describe("a tenant", () => {
  it("is not shown to another one's person", async () => {
    await part.addTenant("neighbour");
    const stranger = await part.addPerson("neighbour", "admin");
    await part.call("POST", "/tools/booking?tenant=neighbour", {
      body: { url: "https://calendly.com/neighbour" },
    });
    const visitor = await loggedIn(operator.token);
    expect((await visitor.get("/admin/tools?tenant=neighbour")).text).not.toContain("neighbour");
    expect((await visitor.get(`/admin/audit?user=${stranger.id}`)).text).toContain("Nothing here");
    const chosen = await visitor.post("/admin/tenant", { tenant: "neighbour" });
    expect(chosen.status).toBe(403);
    expect(chosen.text).toContain("This token belongs to another tenant");
    const { status, text } = await visitor.get("/admin/tools");
    expect(status).toBe(200);
    expect(text).not.toContain("calendly.com/neighbour");
  });

  it("is chosen by the holder of ADMIN_TOKEN, who cannot decide and is told why", async () => {
    await part.addTenant("chosen");
    const visitor = await loggedIn(SETUP_TOKEN);
    expect((await visitor.get("/admin/tools")).text).toContain('<option value="chosen">');
    await visitor.post("/admin/tenant", { tenant: "chosen" });
    expect((await visitor.get("/admin/tools")).text).toContain('value="chosen" selected');
  });
});

describe("every page", () => {
  it.each(["/admin/log-in", "/admin/tools", "/admin/nowhere", "/admin/approvals/A-999"])(
    "%s comes with the headers that keep other sites and scripts out",
    async (path) => {
      const { headers } = await (await loggedIn(admin.token)).get(path);
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      );
      expect(Object.fromEntries(headers)).toMatchObject({
        "x-frame-options": "DENY",
        "x-content-type-options": "nosniff",
        "referrer-policy": "same-origin",
        "cache-control": "no-store",
      });
    },
  );

  it("speaks the browser's language until another one is chosen", async () => {
    const visitor = await loggedIn(admin.token);
    const russian = { headers: { "accept-language": "ru-RU,ru;q=0.9,en;q=0.5" } };
    expect((await visitor.get("/admin/tools", russian)).text).toContain('<html lang="ru">');
    const chosen = await visitor.get("/admin/language?to=en&back=%2Fadmin%2Ftools", russian);
    expect(chosen.headers.get("location")).toBe("/admin/tools");
    expect((await visitor.get("/admin/tools", russian)).text).toContain('<html lang="en">');
  });

  it("leads to no playground where there is none", async () => {
    const { text } = await (await loggedIn(admin.token)).get("/admin/tools");
    expect(text).not.toContain('href="/sandbox"');
  });

  it("that is not there is 404, also an approval of another tenant", async () => {
    const visitor = await loggedIn(admin.token);
    expect((await visitor.get("/admin/nowhere")).status).toBe(404);
    const { status, text } = await visitor.get("/admin/approvals/A-999");
    expect(status).toBe(404);
    expect(text).toContain("There is no approval A-999");
  });

  it("shows a filter that the API refuses, with what was typed", async () => {
    const visitor = await loggedIn(admin.token);
    const typed = '"><script>alert(1)</script>';
    const { text } = await visitor.get(`/admin/audit?since=${encodeURIComponent(typed)}`);
    expect(text).toContain("a time such as 2026-03-01T00:00:00Z");
    expect(text).not.toContain("<script>alert");
    expect(text).toContain("&quot;&gt;&lt;script&gt;");
  });

  it("escapes a person's name and names the characters that nobody sees", async () => {
    const name = "Eve \u202e<b>x</b>";
    const made = await part.call("POST", "/staff?tenant=chosen", { body: { name, role: "admin" } });
    const path = `/staff/${made.body.id}/tokens?tenant=chosen`;
    const { body } = await part.call("POST", path, { body: {} });
    const { text } = await (await loggedIn(body.token)).get("/admin/tools");
    expect(text).toContain('<bdi>Eve <span class="unseen">U+202E</span>&lt;b&gt;x&lt;/b&gt;</bdi>');
  });
});

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("'", "&#39;");
}
