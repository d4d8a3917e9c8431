import { approvalName, takesEffectAlone } from "../domain/approval.ts";
import type { Language } from "../domain/language.ts";
import type { Card, CardButton } from "../domain/messenger.ts";
import type { DigestedApproval } from "../store/approval-digests.ts";
import { APPROVE, boundValue, REJECT } from "./approval-card.ts";
import type { Bulk } from "./bulk-group.ts";
import { costOf } from "./long-values.ts";

/** Shows the whole card of a request; `value` is the approval's id. */
export const OPEN = "open_request";
/** Grants all requests that the list says it does; `value` is the list's id. */
export const APPROVE_ALL = "approve_all";

interface Shown {
  id: string;
  rows: readonly DigestedApproval[];
  bulk: Bulk | null;
  more: number;
}

interface Dress {
  staffLanguage: Language;
  sandbox: boolean;
}

/** The list of what waits, each with buttons of its own. */
export function digestCard(shown: Shown, { staffLanguage: language, sandbox }: Dress): Card {
  const texts = TEXTS[language];
  const open = shown.rows.filter(({ status }) => status === "pending");
  const footer = [
    texts.details,
    ...(shown.more > 0 ? [texts.more(shown.more)] : []),
    ...(sandbox ? ["SANDBOX"] : []),
  ];
  return {
    title: texts.title(open.length + shown.more),
    facts: shown.rows.map((row) => ({
      label: approvalName(row.number),
      value: row.status === "pending" ? requestLine(row) : endOf(row, language),
    })),
    footer,
    ...(open.length === 0 ? { outcome: texts.allDecided } : {}),
    buttons: digestButtons(shown, language),
    columns: 3,
  };
}

/** Three a request: they stand in one row. */
export function digestButtons({ id, rows, bulk }: Shown, language: Language): CardButton[] {
  const texts = TEXTS[language];
  const each = rows
    .filter(({ status }) => status === "pending")
    .flatMap((row) => {
      const name = approvalName(row.number);
      const grant: CardButton = {
        ...{ label: `${texts.approve} ${name}`, action: APPROVE, style: "primary" },
        value: boundValue({ id: row.id, digest: row.actionDigest }),
      };
      return [
        // what takes effect by itself is not granted, only stopped
        ...(takesEffectAlone(row) ? [] : [grant]),
        {
          label: `${texts.reject} ${name}`,
          action: REJECT,
          value: row.id,
          style: "danger" as const,
        },
        { label: `${texts.open} ${name}`, action: OPEN, value: row.id },
      ];
    });
  if (!bulk) return each;
  const label = texts.approveAll(bulk.ids.length, bulk.limit);
  return [...each, { label, action: APPROVE_ALL, value: id }];
}

/** A newer list stands below; this one would only be pressed by mistake. */
export function replacedDigestCard(count: number, { staffLanguage, sandbox }: Dress): Card {
  const texts = TEXTS[staffLanguage];
  return {
    title: texts.title(count),
    facts: [],
    footer: sandbox ? ["SANDBOX"] : [],
    outcome: texts.replaced,
    buttons: [],
  };
}

const VALUES_SHOWN = 4;
const LONGEST_LINE = 96;

/** Enough to know which it is; all of it stands on its own card. */
export function requestLine({ materialJson }: Pick<DigestedApproval, "materialJson">): string {
  const values = materialJson
    .slice(0, VALUES_SHOWN)
    .map(({ value }) => value.replace(/\s+/gu, " "));
  let line = "";
  for (const character of values.join(" · ")) {
    if (costOf(line) + costOf(character) > LONGEST_LINE) return `${line}…`;
    line += character;
  }
  return line;
}

function endOf({ status, approverName }: DigestedApproval, language: Language): string {
  const word = TEXTS[language].ends[status] ?? status;
  return approverName === null ? word : `${word}: ${approverName}`;
}

const TEXTS = {
  en: {
    title: (count: number) => `Requests that wait: ${count}`,
    details: "Open shows all of a request",
    more: (count: number) => `${count} more: /pending`,
    allDecided: "Nothing of this list waits any more",
    replaced: "A newer list stands below",
    approve: "Approve",
    reject: "Reject",
    open: "Open",
    approveAll: (count: number, limit: string) => `Approve all ${count} below ${limit}`,
    ends: {
      approved: "approved",
      rejected: "rejected",
      expired: "expired",
      superseded: "superseded",
      cancelled: "cancelled",
      frozen: "frozen",
    } as Record<string, string>,
  },
  ru: {
    title: (count: number) => `Ждут решения: ${count}`,
    details: "«Открыть» показывает запрос целиком",
    more: (count: number) => `ещё ${count}: /pending`,
    allDecided: "Из этого списка ничего больше не ждёт",
    replaced: "Ниже есть новый список",
    approve: "Одобрить",
    reject: "Отклонить",
    open: "Открыть",
    approveAll: (count: number, limit: string) => `Одобрить все ${count} меньше ${limit}`,
    ends: {
      approved: "одобрено",
      rejected: "отклонено",
      expired: "срок вышел",
      superseded: "заменено",
      cancelled: "отменено",
      frozen: "заморожено",
    } as Record<string, string>,
  },
} as const satisfies Record<Language, unknown>;
