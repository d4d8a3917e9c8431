/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import type { Page } from "./page-context.ts";
import { Table, Tag, Time } from "./parts.tsx";
import { stateTone } from "./tones.ts";

interface Decided {
  result: string;
  policy_id: string | null;
  reason: string | null;
}

/** POST /policies/simulate */
export interface Simulated {
  candidates: number;
  changed: {
    candidate_id: string;
    conversation_id: string | null;
    tool_name: string;
    at: string;
    before: Decided;
    after: Decided;
  }[];
  counts: Record<string, number>;
  unreadable: number;
}

/** What the rules would have decided otherwise on the calls of the last week. */
export function SimulationResult({ page, simulated }: { page: Page; simulated: Simulated }) {
  const { t } = page;
  const { candidates, changed, counts, unreadable } = simulated;
  return (
    <section class="card" aria-labelledby="simulated" id="simulation">
      <h2 id="simulated">{t("simulate.title")}</h2>
      <p role="status">
        {t("simulate.sum", { n: candidates, changed: changed.length })}
        {unreadable > 0 && ` ${t("simulate.unreadable", { n: unreadable })}`}
      </p>
      <ul class="tags">
        {Object.entries(counts).map(([way, n]) => (
          <li>
            <Tag tone="wait">{`${wayIn(page, way)}: ${n}`}</Tag>
          </li>
        ))}
      </ul>
      <Table
        caption={t("simulate.title")}
        heads={[t("audit.when"), t("tools.tool"), t("simulate.before"), t("simulate.after")]}
        rows={changed.map((one) => [
          one.conversation_id ? (
            <a href={`/admin/conversations/${one.conversation_id}`}>
              <Time at={one.at} />
            </a>
          ) : (
            <Time at={one.at} />
          ),
          <code>{one.tool_name}</code>,
          <Verdict page={page} decided={one.before} />,
          <Verdict page={page} decided={one.after} />,
        ])}
        empty={t("simulate.nothing")}
      />
      <p class="muted">{t("simulate.note")}</p>
    </section>
  );
}

/** `allow→approval` in words. */
function wayIn({ t }: Page, way: string): string {
  return way
    .split("→")
    .map((result) => t.word("policy", result.trim()))
    .join(" → ");
}

function Verdict({ page: { t }, decided }: { page: Page; decided: Decided }) {
  const { result, policy_id: policy, reason } = decided;
  return (
    <>
      <Tag tone={stateTone(result)}>{t.word("policy", result)}</Tag>
      <small>
        {" "}
        {reason ?? ""} {policy ?? ""}
      </small>
    </>
  );
}
