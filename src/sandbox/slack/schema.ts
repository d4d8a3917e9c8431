import type { Json } from "./state.ts";

/** What is wrong and where, in the words and pointers Slack uses. */
export interface Problem {
  message: string;
  pointer: string;
}

/** Looks at one value and tells what Slack would refuse. */
export type Check = (value: unknown, pointer: string) => Problem[];

export const anything: Check = () => [];

/** Slack counts what is left after trimming for the least, and the whole for the most. */
export function text(max: number, min = 1): Check {
  return (value, pointer) => {
    if (typeof value !== "string") return [{ message: "must provide a string", pointer }];
    const { length } = value.trim();
    if (length < min) return [{ message: `must be more than ${min - 1} characters`, pointer }];
    if (value.length <= max) return [];
    return [{ message: `must be less than ${max + 1} characters`, pointer }];
  };
}

export const boolean: Check = (value, pointer) =>
  typeof value === "boolean" ? [] : [{ message: "must be a boolean", pointer }];

export function integer(min: number, max: number): Check {
  return (value, pointer) => {
    if (typeof value !== "number" || !Number.isInteger(value)) {
      return [{ message: "must be an integer", pointer }];
    }
    if (value < min) return [{ message: `must be greater than or equal to ${min}`, pointer }];
    return value > max ? [{ message: `must be less than or equal to ${max}`, pointer }] : [];
  };
}

export function oneOf(...values: string[]): Check {
  return (value, pointer) =>
    values.includes(String(value)) ? [] : [{ message: "must be a valid enum value", pointer }];
}

/** Problems of the items come with their place. */
export function list(item: Check, max: number, min = 1): Check {
  return (value, pointer) => {
    if (!Array.isArray(value)) return [{ message: "must be an array", pointer }];
    if (value.length < min) return [{ message: `no fewer than ${min} items allowed`, pointer }];
    if (value.length > max) return [{ message: `no more than ${max} items allowed`, pointer }];
    return value.flatMap((entry, i) => item(entry, `${pointer}/${i}`));
  };
}

/** An object with exactly these fields; `type` and the ids every block may carry come with it. */
export function object(required: Record<string, Check>, optional: Record<string, Check>): Check {
  const known = { ...required, ...optional };
  return (value, pointer) => {
    if (!isRecord(value)) return [{ message: "must provide an object", pointer }];
    const missing = Object.keys(required)
      .filter((name) => value[name] === undefined || value[name] === null)
      .map((name) => ({ message: `missing required field: ${name}`, pointer }));
    const unknown = Object.keys(value)
      .filter((name) => !(name in known))
      .map((name) => ({ message: `invalid additional property: ${name}`, pointer }));
    const wrong = Object.entries(known).flatMap(([name, check]) => {
      const field = value[name];
      return field === undefined || field === null ? [] : check(field, `${pointer}/${name}`);
    });
    return [...missing, ...unknown, ...wrong];
  };
}

/** An object whose `type` picks the check. */
export function byType(kinds: Record<string, Check>): Check {
  return (value, pointer) => {
    if (!isRecord(value)) return [{ message: "must provide an object", pointer }];
    if (value.type === undefined) return [{ message: "missing required field: type", pointer }];
    const type = String(value.type);
    const check = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
    if (!check) return [{ message: `unsupported type: ${type}`, pointer: `${pointer}/type` }];
    return check(value, pointer);
  };
}

export function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
