import { z } from "zod";
import type { Json, JsonObject } from "../domain/json.ts";
import type { Endpoint } from "./endpoint.ts";

/** A route with its whole path below `/api/admin`. */
export type DescribedRoute = Endpoint & { at: string };

const errorSchema = z
  .object({
    error: z.object({ code: z.string(), message: z.string(), path: z.string().optional() }),
  })
  .describe("What is wrong, for a person, with the next step; `path` names the field");

/** The API as an OpenAPI 3.1 document, from the schemas that its routes read by. */
export function openApiOf(routes: readonly DescribedRoute[], version: string): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const route of routes) {
    const path = route.at.replace(/:(\w+)/g, "{$1}");
    const methods = paths[path] ?? {};
    methods[route.method] = operationOf(route);
    paths[path] = methods;
  }
  return {
    openapi: "3.1.0",
    info: { title: "Countersign admin API", version },
    servers: [{ url: "/api/admin" }],
    security: [{ token: [] }],
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Error: schemaOf(errorSchema) },
    },
    paths,
  };
}

function operationOf(route: DescribedRoute): JsonObject {
  const { body, method, at, summary } = route;
  const sent = body && {
    requestBody: { required: true, content: { "application/json": { schema: schemaOf(body) } } },
  };
  return {
    operationId: `${method}${at.replace(/\W+(\w)/g, (_all, letter: string) => letter.toUpperCase())}`,
    summary,
    tags: [at.split("/")[1] ?? ""],
    parameters: parametersOf(route),
    ...sent,
    responses: answersOf(route),
  };
}

function parametersOf({ at, query }: DescribedRoute): JsonObject[] {
  const inPath = [...at.matchAll(/:(\w+)/g)].map(([, name = ""]) => ({
    ...{ name, in: "path", required: true, schema: { type: "string" } },
  }));
  const fields = query ? schemaOf(query) : {};
  const properties = (fields.properties ?? {}) as Record<string, JsonObject>; // of an object schema
  const required = (fields.required ?? []) as string[]; // of an object schema
  const inQuery = Object.entries(properties).map(([name, schema]) => ({
    ...{ name, in: "query", required: required.includes(name), schema },
  }));
  const tenant = { name: "tenant", in: "query", required: false, schema: { type: "string" } };
  return [...inPath, ...inQuery, tenant];
}

function answersOf(route: DescribedRoute): JsonObject {
  const type = route.contentType ?? "application/json";
  const ok = (schema: z.ZodType): JsonObject => ({
    description: "Done",
    content: { [type]: { schema: schemaOf(schema) } },
  });
  const others = Object.entries(route.otherwise ?? {}).map(([status, schema]) => [
    status,
    ok(schema),
  ]);
  const refused = {
    description: "Refused",
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
  };
  return {
    [route.status ?? 200]: ok(route.answer),
    ...Object.fromEntries(others),
    default: refused,
  };
}

function schemaOf(schema: z.ZodType): JsonObject {
  const made = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonObject; // plain JSON
  const { $schema: _dialect, $defs: _defs, ...rest } = made;
  return withoutRefs(rest) as JsonObject; // an object stays one
}

/** Only "any JSON" speaks of itself, and a reference would be looked for at the document's root. */
function withoutRefs(value: Json): Json {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(withoutRefs);
  if (typeof value.$ref === "string" && value.$ref.startsWith("#/$defs/")) return {};
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutRefs(one)]));
}
