import { asKey, type KeyResolver } from "../../src/model/broker/keys.ts";

/** Keys by their names alone; a scope's own key cannot stand there. */
export function keysOf(keys: Readonly<Record<string, string | undefined>>): KeyResolver {
  return (name) => asKey(keys[name]);
}

/** The first that knows the name. */
export function firstOf(...resolvers: KeyResolver[]): KeyResolver {
  return async (name) => {
    for (const resolve of resolvers) {
      const key = asKey(await resolve(name));
      if (key !== null) return key;
    }
    return null;
  };
}
