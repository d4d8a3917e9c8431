import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { isNoRef, mayBeKey } from "../../src/model/broker/key-shape.ts";

it.each([
  ...["OPENAI_API_KEY", "POOL_KEY", "key1", "MY_KEY_2", "openrouterKey", "KEY", "api_token"],
  ...["XAI_API_KEY", "HF_TOKEN", "GSK_KEY", "SK_API_KEY_2", "NVAPI_KEY", "GPT4O_MINI_KEY"],
  ...[
    "AZURE_GPT_4_1_MINI_KEY_2",
    "OPENAI_KEY_2024_11_30",
    "LLAMA3_70B_KEY",
    "azureOpenAiApiKeyForUs",
  ],
  ...["model_api_key", "DEEPSEEK_V3_KEY", "ANTHROPIC_CREDENTIAL", "_PRIVATE"],
])("%s is the name of a variable", (text) => {
  expect(isNoRef(text)).toBe(false);
});

it.each([
  ...["a94a8fe5ccb19ba61c4c0873d391e987", "AIzaSyD9tSrke72PouQMnMXa7eZSW0jkFMBWY"],
  ...["ghp_16C7e42F292c6912E7710c838347Ae178B4a", "GHP_16C7E42F292C6912E7710C838347AE178B4A"],
  ...[
    "SK_abcdefghijkl",
    "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
    "sk_test_words",
    "gsk_abc",
    "hf_abcdef",
  ],
  ...["AKIAIOSFODNN7EXAMPLE", "eyJhbGciOiJIUzI1NiJ9", "b7Kd92mQx1", "xai_abcdefgh"],
  ...["qwertyuiopasdfghjklzxcvbnm", "QwErTyUiOpAsDfGhJk", "a1b2_c3d4_e5f6_a7b8"],
])("%s is a key", (text) => {
  expect(isNoRef(text)).toBe(true);
});

it("what hangs on chance is a key, but for one in a hundred that happens to look like words", () => {
  const drawn = Array.from({ length: 1_000 }, (_, at) =>
    createHash("sha256").update(String(at)).digest().subarray(0, 24),
  );
  const missed = (encoding: "hex" | "base64url") =>
    drawn.filter((bytes) => !isNoRef(`k${bytes.toString(encoding).replaceAll("-", "_")}`)).length;
  expect(missed("hex")).toBe(0);
  expect(missed("base64url")).toBeLessThanOrEqual(10);
});

it.each([
  ...["gpt-4.1-mini", "claude-3-5-sonnet-20241022", "openrouter/deepseek:free", "xai-grok-4"],
  ...["qwen2.5-coder-32b-instruct-q4_K_M", "meta-llama-3.1-405b", "hf/zephyr-7b", "fast", "m1"],
])("%s may be what a model is called", (text) => {
  expect(mayBeKey(text)).toBe(false);
});
