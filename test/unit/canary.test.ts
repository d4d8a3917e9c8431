import { expect, it } from "vitest";
import { canariesOf, canary, leaksIn } from "../support/canary.ts";

const KEY = `${"00".repeat(31)}ff`;
const canaries = canariesOf({
  MASTER_KEY: KEY,
  DATABASE_URL: "postgres://bot:p%40ssword-1@db.example/bot",
  PORT: "3000",
});
const token = canary("token", "123456:AA-secret-half");

it.each([
  ["plainly", "refused token 123456:AA-secret-half", token, ["token"]],
  ["in an address", "POST /bot123456%3AAA-secret-half/getMe", token, ["token"]],
  ["by its secret half", "bot***:AA-secret-half", token, ["token"]],
  ["as base64", Buffer.from("123456:AA-secret-half").toString("base64"), token, ["token"]],
  ["a key as bytes", Buffer.from(KEY, "hex").toString("base64"), canaries, ["MASTER_KEY"]],
  ["a password of an address", "for p@ssword-1", canaries, ["the password in DATABASE_URL"]],
  ["a played service's", "Bearer sandbox-model-key", canaries, ["the model's key"]],
])("a secret is found %s", (_how, text, known, names) => {
  expect(leaksIn(`{"level":"warn","error":"${text}"}`, known)).toEqual(names);
});

it("a code is found as a number of its own, not inside another one", () => {
  const code = canary("code", "739154");
  expect(leaksIn('{"said":"739154"}', code)).toEqual(["code"]);
  expect(leaksIn('{"ms":17391540,"id":"0f-739154-a1","sum":"739154.00"}', code)).toEqual([]);
});

it("what is no secret is not", () => {
  expect(leaksIn("listens on 3000 at db.example", canaries)).toEqual([]);
});
