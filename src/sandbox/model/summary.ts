import { followDeal } from "./deal.ts";
import { readRequest } from "./reading.ts";
import type { ChatRequest } from "./wire.ts";

const KEPT_TEXT = 600;

/** Sums up by quoting: the last words of the lead and the state that the tool results show. */
export function summaryText(request: ChatRequest): string {
  const reading = readRequest(request);
  const deal = followDeal(reading.timeline);
  const words = [...reading.earlierTexts, reading.text].filter((text) => text !== "");
  const quoted = words.slice(-3).join(" / ").slice(0, KEPT_TEXT);
  const quote = deal.quote
    ? ` Quote: ${deal.quote.amountFrom} ${deal.quote.terms.asset} to ${deal.quote.amountTo} ${deal.quote.quoteAsset ?? ""}`
        .trimEnd()
        .concat(".")
    : "";
  return `The client wrote: ${quoted}. Stage of the exchange: ${deal.phase}.${quote}`;
}

interface JsonSchema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, JsonSchema>;
  required?: string[];
}

/** The smallest value that fits the asked JSON schema: the rules have no opinion to put in. */
export function structuredAnswer(request: ChatRequest): string {
  const format = request.response_format as { json_schema?: { schema?: JsonSchema } }; // OpenAI's shape
  return JSON.stringify(smallest(format.json_schema?.schema ?? { type: "object" }));
}

function propertyOf({ properties = {} }: JsonSchema, name: string): JsonSchema {
  return (Object.hasOwn(properties, name) ? properties[name] : undefined) ?? {};
}

function smallest(schema: JsonSchema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const types = [schema.type ?? "object"].flat();
  if (types.includes("null")) return null;
  switch (types[0]) {
    case "string":
      return "";
    case "number":
    case "integer":
      return 0;
    case "boolean":
      return false;
    case "array":
      return [];
    default:
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, smallest(propertyOf(schema, name))]),
      );
  }
}
