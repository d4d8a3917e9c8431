/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import { Fragment } from "hono/jsx";
import { fillOf, type Look, Sign, Swatch } from "./chart-marks.tsx";
import { heightOn, namedDays, type Scale } from "./chart-scale.ts";
import { Named } from "./parts.tsx";

/** One value a day, oldest first; null: nothing is known of that day. */
export interface Series {
  name: string;
  look: Look;
  values: (number | null)[];
}

export interface ChartProps {
  id: string;
  title: string;
  /** What the chart says, for those who do not see it; the figures are in a table. */
  summary: string;
  as: "bars" | "lines";
  series: Series[];
  scale: Scale;
  /** With the names for the axes. */
  across: { name: string; days: string[]; brief(day: string): string };
  up: { name: string; brief(value: number): string };
  /** All of a day in one line, for whoever points at it. */
  told: string[];
  children?: Child;
}

const HEIGHT = 180;
/** Above the highest tick, so that its text is whole. */
const ABOVE = 8;
const BELOW = 22;
const FULL = ABOVE + HEIGHT + BELOW;
/** Signs of more days than these would cover each other. */
const SIGNED_DAYS = 31;
/** A day at an end has no room for a name in its middle. */
const MARGIN = 0.1;

/** Across, all is in shares of the width: texts keep their size on every screen. */
export function Chart(props: ChartProps) {
  const { id, title, summary, as, series, children } = props;
  return (
    <figure class="card chart" aria-labelledby={id}>
      <figcaption>
        <h2 id={id}>{title}</h2>
        <p class="muted">{summary}</p>
      </figcaption>
      {children}
      <ul class="key">
        {legendOf(series).map(({ name, look }) => (
          <li>
            <Swatch look={look} as={as} /> <Named text={name} />
          </li>
        ))}
      </ul>
      <p class="axis" aria-hidden="true">
        {props.up.name}
      </p>
      <div class="drawn" role="img" aria-label={`${title}. ${summary}`}>
        <UpAxis {...props} />
        <svg class="plot" width="100%" height={FULL} aria-hidden="true">
          {props.scale.ticks.map((tick) => (
            <line class="grid" x1="0" x2="100%" y1={yOf(props, tick)} y2={yOf(props, tick)} />
          ))}
          {as === "bars" ? <Bars {...props} /> : <Lines {...props} />}
          <AcrossAxis {...props} />
          <Pointed {...props} />
        </svg>
      </div>
      <p class="axis across" aria-hidden="true">
        {props.across.name}
      </p>
    </figure>
  );
}

/** Series that share the last look stand there once, under all their names. */
function legendOf(series: readonly Series[]): Pick<Series, "name" | "look">[] {
  const names = new Map<Look, string[]>();
  for (const { look, name } of series) names.set(look, [...(names.get(look) ?? []), name]);
  return [...names].map(([look, those]) => ({ look, name: those.join(", ") }));
}

function UpAxis(props: ChartProps) {
  const { scale, up } = props;
  return (
    <svg class="up" height={FULL} aria-hidden="true">
      {scale.ticks.map((tick) => (
        <text x="100%" y={yOf(props, tick)} dy="4" text-anchor="end">
          {up.brief(tick)}
        </text>
      ))}
    </svg>
  );
}

function AcrossAxis({ across: { days, brief } }: ChartProps) {
  return (
    <>
      {namedDays(days.length).map((index) => {
        const middle = (index + 0.5) / days.length;
        const end = middle > 1 - MARGIN ? "end" : middle < MARGIN ? "start" : "middle";
        const at = { end: (index + 1) / days.length, start: index / days.length, middle }[end];
        return (
          <text x={share(at)} y={FULL - 4} text-anchor={end}>
            {brief(days[index] ?? "")}
          </text>
        );
      })}
    </>
  );
}

function Bars(props: ChartProps) {
  const { days } = props.across;
  const gap = days.length > SIGNED_DAYS ? 0.12 : 0.2;
  return (
    <>
      {days.map((_, index) => {
        let below = 0;
        return props.series.map(({ look, values }) => {
          const from = yOf(props, below);
          below += values[index] ?? 0;
          const to = yOf(props, below);
          if (from - to <= 0) return null;
          return (
            <rect
              class={days.length > SIGNED_DAYS ? "part thin" : "part"}
              x={share((index + gap / 2) / days.length)}
              width={share((1 - gap) / days.length)}
              y={to}
              height={tidy(from - to)}
              fill={fillOf(look)}
            />
          );
        });
      })}
    </>
  );
}

/** A day without a value breaks the line. */
function Lines(props: ChartProps) {
  const { series, across } = props;
  const count = across.days.length;
  const x = (index: number) => share((index + 0.5) / count);
  const every = Math.ceil(count / SIGNED_DAYS);
  return (
    <>
      {series.map(({ look, values }) =>
        values.map((value, index) => {
          if (value === null) return null;
          const before = values[index - 1] ?? null;
          const isAlone = before === null && (values[index + 1] ?? null) === null;
          const y = yOf(props, value);
          return (
            <Fragment>
              {before !== null && (
                <line
                  class={`line-of ${look}`}
                  {...{ x1: x(index - 1), y1: yOf(props, before), x2: x(index), y2: y }}
                />
              )}
              {(isAlone || (count - 1 - index) % every === 0) && (
                <Sign look={look} x={x(index)} y={y} />
              )}
            </Fragment>
          );
        }),
      )}
    </>
  );
}

function Pointed({ across: { days }, told }: ChartProps) {
  return (
    <>
      {days.map((_, index) => (
        <rect
          class="pointed"
          x={share(index / days.length)}
          width={share(1 / days.length)}
          y="0"
          height={ABOVE + HEIGHT}
        >
          <title>{told[index]}</title>
        </rect>
      ))}
    </>
  );
}

function yOf({ scale }: ChartProps, value: number): number {
  return tidy(ABOVE + HEIGHT * (1 - heightOn(scale, value)));
}

function share(of: number): string {
  return `${tidy(of * 100)}%`;
}

function tidy(value: number): number {
  return Math.round(value * 1000) / 1000;
}
