/** Of the page; the chats in it have their own. */
export type PageLanguage = "en" | "ru";

/** What the address asks for, else the first of the browser's languages that the page speaks. */
export function chooseLanguage(
  asked: string | undefined,
  accepted: string | undefined,
): PageLanguage {
  if (asked === "ru" || asked === "en") return asked;
  const wanted = (accepted ?? "").split(",").map((part) => part.trim().slice(0, 2).toLowerCase());
  const known = wanted.find((code) => code === "ru" || code === "en");
  return known === "ru" ? "ru" : "en";
}
