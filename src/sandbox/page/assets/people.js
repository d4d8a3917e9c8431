import { get } from "./api.js";

/** The people that the visitor acts for, by their accounts in both messengers. */
export const PEOPLE = {
  alice: { name: "Alice", slack: "U0ALICE", telegram: 2001 },
  bob: { name: "Bob", slack: "U0BOB", telegram: 2002 },
  eve: { name: "Eve", slack: "U0EVE", telegram: 4001 },
  ada: { name: "Ada", slack: "U0ADMIN", telegram: 3001 },
};

export const SLACK_LEAD = { user: "U0LEAD", channel: "D0LEAD" };

/** Names by account, for both messengers: ids of one never look like those of the other. */
const names = new Map();
const bots = new Set();

export async function loadPeople() {
  const [telegram, slack] = await Promise.all([get("/telegram/people"), get("/slack/people")]);
  for (const person of telegram) {
    names.set(String(person.id), [person.first_name, person.last_name].filter(Boolean).join(" "));
    if (person.is_bot) bots.add(String(person.id));
  }
  for (const person of slack) {
    // the admin has one name on this page, whatever the messengers call the account
    names.set(person.id, person.id === PEOPLE.ada.slack ? PEOPLE.ada.name : person.name);
    if (person.is_bot) bots.add(person.id);
  }
}

export function nameOf(id) {
  return names.get(String(id)) ?? String(id);
}

export function isBot(id) {
  return bots.has(String(id));
}

/** A number from 0 to 5 that stays with a name: the colour of its picture. */
export function hueOf(name) {
  let sum = 0;
  for (const letter of name) sum += letter.codePointAt(0) ?? 0;
  return sum % 6;
}
