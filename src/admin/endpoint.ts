import type { Hono } from "hono";
import { z } from "zod";
import type { AdminContext, AdminEnv } from "./context.ts";
import { readBody, readQuery } from "./request-input.ts";

/** A route as the API's document tells it, and as its handler reads it: by the same schemas. */
export interface Endpoint<Query = unknown, Body = unknown> {
  method: "get" | "post" | "put" | "patch" | "delete";
  /** As Hono writes it: `/:id/decision`. */
  path: string;
  summary: string;
  /** Left out: no query field but `tenant` is taken. */
  query?: z.ZodType<Query>;
  /** Left out: the body is not looked at. */
  body?: z.ZodType<Body>;
  /** No body at all is read as one without fields. */
  mayBeEmpty?: boolean;
  /** What a success answers. */
  answer: z.ZodType;
  /** Of a success. */
  status?: 200 | 201 | 202 | 204;
  /** Other successes, by status: 202 of a change that people have to approve. */
  otherwise?: Readonly<Record<number, z.ZodType>>;
  /** JSON, unless it is named. */
  contentType?: string;
}

/** What answers, once the input is read. */
export type Handle<Query, Body> = (
  c: AdminContext,
  input: { query: Query; body: Body },
) => Response | Promise<Response>;

const described = new WeakMap<object, Endpoint[]>();
const noQuery = z.strictObject({});

/** Adds a route that reads its input by the schemas it is described with. */
export function endpoint<Query = Record<string, never>, Body = undefined>(
  routes: Hono<AdminEnv>,
  spec: Endpoint<Query, Body>,
  handle: Handle<Query, Body>,
): void {
  const { method, path, query, body } = spec;
  routes[method](path, async (c) =>
    handle(c, {
      query: readQuery(c, query ?? (noQuery as unknown as z.ZodType<Query>)), // the type's default
      body: body ? await readBody(c, body, spec) : (undefined as Body),
    }),
  );
  described.set(routes, [...endpointsOf(routes), spec as Endpoint]);
}

/** The routes that `endpoint` added, in order. */
export function endpointsOf(routes: Hono<AdminEnv>): readonly Endpoint[] {
  return described.get(routes) ?? [];
}
