/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */

/** How a series looks: a colour, a pattern and a sign of its own, so that no colour says it alone. */
export const LOOKS = ["one", "two", "three", "four", "five", "rest"] as const;
export type Look = (typeof LOOKS)[number] | "ok" | "bad" | "gone";

/** The looks of so many series; the last look is shared by all that are left. */
export function lookOf(index: number): Look {
  return LOOKS[index] ?? "rest";
}

const SIDE = 8;
const STRIPES: Record<Look, string> = {
  one: "",
  two: "M-2 2L2 -2M0 8L8 0M6 10L10 6",
  three: "M0 2H8M0 6H8",
  four: "M2 0V8M6 0V8",
  five: "M-2 6L2 10M0 0L8 8M6 -2L10 2",
  rest: "M0 4H8M4 0V8",
  ok: "",
  bad: "M-2 2L2 -2M0 8L8 0M6 10L10 6",
  gone: "M0 4H8M4 0V8",
};

const SIGNS: Record<Look, string> = {
  one: "M-4 0A4 4 0 1 0 4 0A4 4 0 1 0 -4 0Z",
  two: "M-3.5 -3.5H3.5V3.5H-3.5Z",
  three: "M0 -5L4.5 3.5H-4.5Z",
  four: "M0 -5L5 0L0 5L-5 0Z",
  five: "M0 5L4.5 -3.5H-4.5Z",
  rest: "M-4.5 -1.5H-1.5V-4.5H1.5V-1.5H4.5V1.5H1.5V4.5H-1.5V1.5H-4.5Z",
  ok: "M-3.5 -3.5H3.5V3.5H-3.5Z",
  bad: "M0 -5L5 0L0 5L-5 0Z",
  gone: "M0 -5L4.5 3.5H-4.5Z",
};

/** Once a page, before the first chart. */
export function ChartPatterns() {
  return (
    <svg class="hidden" aria-hidden="true" width="1" height="1">
      <defs>
        {Object.entries(STRIPES).map(([look, path]) => (
          <pattern id={`fill-${look}`} width={SIDE} height={SIDE} patternUnits="userSpaceOnUse">
            <rect class={`fill ${look}`} width={SIDE} height={SIDE} />
            {path && <path class="stripes" d={path} />}
          </pattern>
        ))}
      </defs>
    </svg>
  );
}

export function fillOf(look: Look): string {
  return `url(#fill-${look})`;
}

/** A sign at a place of a chart; `x` is a share of its width. */
export function Sign({ look, x, y }: { look: Look; x: string; y: number }) {
  return (
    <svg x={x} y={y} overflow="visible" aria-hidden="true">
      <path class={`sign ${look}`} d={SIGNS[look]} />
    </svg>
  );
}

/** What a legend shows of a series, as bars or as a line. */
export function Swatch({ look, as }: { look: Look; as: "bars" | "lines" }) {
  return (
    <svg class="swatch" width="22" height="14" aria-hidden="true">
      {as === "bars" ? (
        <rect width="22" height="14" rx="2" fill={fillOf(look)} />
      ) : (
        <>
          <line class={`line-of ${look}`} x1="0" y1="7" x2="22" y2="7" />
          <Sign look={look} x="11" y={7} />
        </>
      )}
    </svg>
  );
}
