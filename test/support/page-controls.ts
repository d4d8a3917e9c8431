/** A button of a form, or a link to a file, as a browser would use it. */
export interface Control {
  /** Tells it from others of its page. */
  name: string;
  method: "get" | "post";
  action: string;
  fields: Record<string, string>;
}

/** All buttons of the page's POST forms, each with the fields that its form sends, and its downloads. */
export function controlsOf(html: string): Control[] {
  const forms = [...html.matchAll(/<form method="post"([^>]*)>([\s\S]*?)<\/form>/g)].flatMap(
    ([, head = "", inner = ""]) => buttonsOf(attribute(head, "action"), inner),
  );
  const files = [...html.matchAll(/<a [^>]*href="([^"]+\.jsonl[^"]*)"/g)].map(
    ([, href = ""]): Control => ({
      ...{ name: `GET ${href}`, method: "get", action: unescaped(href), fields: {} },
    }),
  );
  return [...forms, ...files];
}

function buttonsOf(action: string, inner: string): Control[] {
  const { csrf: _csrf, ...fields } = fieldsOf(inner);
  const { id = "", number = "", version = "", name = "", form = "" } = fields;
  return [...inner.matchAll(/<button([^>]*)>/g)]
    .map(([, head = ""]) => head)
    .filter((head) => !/\sdisabled/.test(head))
    .map((head) => {
      const own: [string, string] = [attribute(head, "name"), attribute(head, "value")];
      return {
        name: ["POST", action, ...own, form, id, number, version, name].join(" ").trim(),
        method: "post",
        action,
        fields: { ...fields, ...(own[0] === "" ? {} : { [own[0]]: own[1] }) },
      };
    });
}

function fieldsOf(inner: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [, head = ""] of inner.matchAll(/<input([^>]*)>/g)) {
    const isChosen = !/type="(?:radio|checkbox)"/.test(head) || /\schecked/.test(head);
    if (isChosen) fields[attribute(head, "name")] = attribute(head, "value");
  }
  for (const [, head = "", text = ""] of inner.matchAll(/<textarea([^>]*)>([^<]*)<\/textarea>/g))
    fields[attribute(head, "name")] = unescaped(text);
  for (const [, head = "", options = ""] of inner.matchAll(
    /<select([^>]*)>([\s\S]*?)<\/select>/g,
  )) {
    const all = [...options.matchAll(/<option([^>]*)>/g)].map(([, one = ""]) => one);
    const chosen = all.find((one) => /\sselected/.test(one)) ?? all[0] ?? "";
    fields[attribute(head, "name")] = attribute(chosen, "value");
  }
  return fields;
}

function attribute(head: string, name: string): string {
  return unescaped(new RegExp(`\\s${name}="([^"]*)"`).exec(head)?.[1] ?? "");
}

function unescaped(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
