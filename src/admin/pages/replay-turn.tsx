/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import type { JudgedCall, ReplayedTurn } from "../../domain/quality.ts";
import type { Page } from "./page-context.ts";
import { LongText, Named, Tag } from "./parts.tsx";
import { type MarkedCall, markCalls } from "./replay-differences.ts";
import { stateTone } from "./tones.ts";
import { visibleJson } from "./visible-text.ts";

/** One answer: the client's words, what was recorded, and what comes out now. `n`: from 1. */
export function TurnCard({ page, turn, n }: { page: Page; turn: ReplayedTurn; n: number }) {
  const { t } = page;
  const { recorded, replayed } = turn;
  const calls = markCalls(recorded.calls, replayed.calls);
  const isOtherText = replayed.error === null && recorded.text !== replayed.text;
  return (
    <article class="card turn" aria-labelledby={`turn-${n}`}>
      <h2 id={`turn-${n}`}>
        {t("replay.answer", { n })}{" "}
        <Tag tone={turn.same ? "ok" : "no"}>
          {t(turn.same ? "replay.same" : "replay.different")}
        </Tag>
      </h2>
      {turn.asked !== "" && (
        <div>
          <p class="muted">{t("replay.client")}</p>
          <blockquote class="asked">
            <LongText text={turn.asked} more={t("list.whole")} />
          </blockquote>
        </div>
      )}
      <div class="sides">
        <div class="side">
          <h3>{t("replay.recorded")}</h3>
          <Words page={page} text={recorded.text} />
          <Calls page={page} calls={calls.recorded} />
        </div>
        <div class="side">
          <h3>{t("replay.now")}</h3>
          {replayed.error !== null && (
            <p class="refused">
              {t("replay.noAnswer")} <Named text={replayed.error} />
            </p>
          )}
          <Words page={page} text={replayed.text}>
            {isOtherText && <Difference>{t("replayMark.text")}</Difference>}
          </Words>
          <Calls page={page} calls={calls.replayed} />
        </div>
      </div>
    </article>
  );
}

function Words({ page: { t }, text, children }: { page: Page; text: string; children?: Child }) {
  return (
    <div>
      {text === "" ? (
        <p class="muted">{t("replay.noText")}</p>
      ) : (
        <div class="said">
          <LongText text={text} more={t("list.whole")} />
        </div>
      )}
      {children}
    </div>
  );
}

function Calls({ page, calls }: { page: Page; calls: MarkedCall[] }) {
  if (calls.length === 0) return <p class="muted">{page.t("replay.noCalls")}</p>;
  return (
    <ul class="judged">
      {calls.map(({ call, marks }) => (
        <li>
          <p class="tags">
            <code>
              <Named text={call.toolName} />
            </code>
            <Decision page={page} call={call} />
          </p>
          {call.reason !== null && (
            <p>
              {page.t("replay.reason")} <Named text={call.reason} />
            </p>
          )}
          {marks.map((mark) => (
            <Difference>{page.t(`replayMark.${mark}`)}</Difference>
          ))}
          <pre>{visibleJson(call.args)}</pre>
        </li>
      ))}
    </ul>
  );
}

function Decision({ page: { t }, call: { policyResult } }: { page: Page; call: JudgedCall }) {
  if (policyResult === null) return <Tag tone="plain">{t("replay.notReached")}</Tag>;
  return <Tag tone={stateTone(policyResult)}>{t.word("policy", policyResult)}</Tag>;
}

/** In words, with a sign before them; the colour only repeats it. */
function Difference({ children }: { children: Child }) {
  return (
    <p class="difference">
      <span aria-hidden="true">≠ </span>
      {children}
    </p>
  );
}
