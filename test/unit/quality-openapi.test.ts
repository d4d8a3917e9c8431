import { expect, it } from "vitest";
import { z } from "zod";
import { openApiOf } from "../../src/admin/openapi.ts";

it("the document refers to nothing that is not in it, also where a field takes any JSON", () => {
  const body = z.strictObject({ args: z.record(z.string(), z.json()), name: z.string() });
  const route = { method: "post", path: "/", at: "/x", summary: "x", body, answer: body } as const;
  const document = openApiOf([route], "1");
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, to]) => to);
  expect(new Set(refs)).toEqual(new Set(["#/components/schemas/Error"]));
  expect(JSON.stringify(document)).toContain('"name":{"type":"string"}');
});
