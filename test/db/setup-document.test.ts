import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { loadDeskRequests } from "../../src/admin/desk-requests.ts";
import { type AdminPart, SETUP_TOKEN, startAdminPart } from "../support/admin-part.ts";

const WALLET = loadDeskRequests().flatMap(({ body }) =>
  Object.entries((body ?? {}) as Record<string, string>).flatMap(([name, value]) =>
    name === "exchange_wallet_usdt_trc20" ? [value] : [],
  ),
)[0];

let part: AdminPart;
beforeAll(async () => {
  part = await startAdminPart();
});
afterAll(() => part.close());

/** The requests of docs/setup.md, in its order. */
function requests(): { method: string; path: string; body: unknown }[] {
  const text = readFileSync("docs/setup.md", "utf8");
  return [...text.matchAll(/```http\n(\w+) (\S+)\n([\s\S]*?)```/g)].map(
    ([, method = "", path = "", body = ""]) => ({
      method,
      path: path.replace("/api/admin", ""),
      body:
        body.trim() === "" ? undefined : JSON.parse(body.replace("YOUR TRON WALLET", WALLET ?? "")),
    }),
  );
}

it("the document's requests set a desk up and open it", async () => {
  const staff: string[] = [];
  let token = "";
  for (const { method, path, body } of requests()) {
    const target = path.replace("/ID/", `/${staff[0]}/`);
    const answer = await part.call(method, target, { body, token: SETUP_TOKEN });
    expect([target, answer.status, answer.body?.error]).toEqual([
      target,
      method === "POST" && /^\/(staff|kb)/.test(path) ? 201 : 200,
      undefined,
    ]);
    if (path === "/staff") staff.push(answer.body.id);
    if (path.endsWith("/tokens")) token = answer.body.token;
  }
  const { body } = await part.call("GET", "/tenants", { token });
  expect(body.items[0].state).toBe("open");
  expect((await part.call("GET", "/exchange/rates", { token })).body.items).toHaveLength(1);
});
