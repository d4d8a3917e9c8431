/** null: the text is no absolute URL. (`URL.parse` is younger than the oldest Node we run on.) */
export function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}
