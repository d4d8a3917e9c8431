/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import type { Refusal } from "./api-client.ts";
import type { PageFrame } from "./page-context.ts";
import { piecesOf, visibleJson } from "./visible-text.ts";

const LONG = 280;

/** A text from outside, apart from the text around it; characters that nobody sees are named. */
export function Named({ text }: { text: string }) {
  return (
    <bdi>
      {piecesOf(text).map((piece) =>
        piece.kind === "text" ? piece.text : <span class="unseen">{piece.name}</span>,
      )}
    </bdi>
  );
}

/** The same, folded when it is long. */
export function LongText({ text, more }: { text: string; more: string }) {
  const characters = Array.from(text);
  if (characters.length <= LONG) return <Named text={text} />;
  return (
    <details class="long">
      <summary>
        <Named text={`${characters.slice(0, LONG).join("")}…`} /> <span class="more">{more}</span>
      </summary>
      <p class="whole">
        <Named text={text} />
      </p>
    </details>
  );
}

/** A value as JSON, folded. */
export function Folded({ title, value }: { title: string; value: unknown }) {
  return (
    <details class="folded">
      <summary>{title}</summary>
      <pre>{visibleJson(value)}</pre>
    </details>
  );
}

/** UTC, to the second. */
export function Time({ at }: { at: string | null | undefined }) {
  if (!at) return <>—</>;
  return <time datetime={at}>{at.slice(0, 19).replace("T", " ")}</time>;
}

/** How a state looks. */
export type Tone = "ok" | "wait" | "no" | "unknown" | "plain";

/** A state in a word. */
export function Tag({ tone, children }: { tone: Tone; children: Child }) {
  return <span class={`tag ${tone}`}>{children}</span>;
}

interface FormProps {
  frame: PageFrame;
  class?: string | undefined;
  label?: string | undefined;
  children: Child;
}

/** Of the session itself; whatever changes more is a `ChangeForm`, shown to whom it is allowed. */
export function Form(
  props: FormProps & { action: "/admin/log-in" | "/admin/log-out" | "/admin/tenant" },
) {
  return <PostForm {...props} />;
}

/** It carries the session's token. */
export function PostForm(props: FormProps & { action: string }) {
  return (
    <form method="post" action={props.action} class={props.class} aria-label={props.label}>
      <input type="hidden" name="csrf" value={props.frame.csrf} />
      {props.children}
    </form>
  );
}

/** What the API refused, with its own words. */
export function Refused({ error, title }: { error: Refusal | null; title: string }) {
  if (!error) return null;
  return (
    <div class="refused" role="alert">
      <strong>{title}</strong> <Named text={error.message} />
    </div>
  );
}

/** A table; on a phone each row is a card, named by its first cell. */
export function Table(props: { caption: string; heads: string[]; rows: Child[][]; empty: string }) {
  if (props.rows.length === 0) return <p class="empty">{props.empty}</p>;
  return (
    <table class="cards">
      <caption class="hidden">{props.caption}</caption>
      <thead>
        <tr>
          {props.heads.map((head) => (
            <th scope="col">{head}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {props.rows.map((cells) => (
          <tr>
            {cells.map((cell, index) => (
              <td data-label={props.heads[index]}>
                <div>{cell}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Names and values. */
export function Facts({ items }: { items: [name: string, value: Child][] }) {
  return (
    <dl class="facts">
      {items.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** To the next page of a list; nothing on the last one. */
export function More(props: {
  path: string;
  query: Record<string, string | undefined>;
  cursor: string | null;
  label: string;
}) {
  if (!props.cursor) return null;
  const href = linkTo(props.path, { ...props.query, cursor: props.cursor });
  return (
    <p class="pager">
      <a class="button" href={href}>
        {props.label}
      </a>
    </p>
  );
}

/** A path with query fields; empty ones are left out. */
export function linkTo(path: string, query: Record<string, string | undefined>): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) fields.set(name, value);
  return fields.size > 0 ? `${path}?${fields}` : path;
}
