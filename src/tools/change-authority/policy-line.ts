import { canonicalJson } from "../../domain/json.ts";
import type { Language } from "../../domain/language.ts";
import type { PolicyRow } from "../../domain/policy-row.ts";
import { toolTitle } from "../tool-titles.ts";
import { oldToNew } from "./kind.ts";

/** One rule, or what a rule becomes, in one line for people; nothing that differs is left out. */
export function policyLine(
  before: PolicyRow | null,
  after: PolicyRow | null,
  language: Language,
): string {
  const texts = TEXTS[language];
  if (before && after) return `${headOf(before, language)}: ${changes(before, after, language)}`;
  if (after) return `${texts.added}: ${whole(after, language)}`;
  return before ? `${texts.removed}: ${whole(before, language)}` : texts.removed;
}

function headOf(row: PolicyRow, language: Language): string {
  return `${toolTitle(row.tool_name, language)}, ${roleOf(row, language)}`;
}

function changes(before: PolicyRow, after: PolicyRow, language: Language): string {
  const fresh = partsOf(after, language);
  return partsOf(before, language)
    .map(({ label, value }, at) => ({ label, old: value, now: fresh[at]?.value ?? "" }))
    .filter(({ old, now }) => old !== now)
    .map(({ label, old, now }) => `${label ? `${label} ` : ""}${oldToNew(old, now)}`)
    .join("; ");
}

function whole(row: PolicyRow, language: Language): string {
  const texts = TEXTS[language];
  const isPlain = !row.requires_approval && row.approvals_required === 1;
  const skipped = new Set<string>([
    texts.tool,
    texts.role,
    ...(Object.keys(row.condition_json).length === 0 ? [texts.when] : []),
    ...(isPlain && row.approver_role === "operator" ? [texts.people] : []),
    ...(row.approval_ttl_s === null ? [texts.ttl] : []),
    ...(row.is_active ? [texts.state] : []),
  ]);
  const said = partsOf(row, language)
    .filter(({ label }) => !skipped.has(label))
    .map(({ label, value }) => `${label ? `${label} ` : ""}${value}`);
  return `${headOf(row, language)}: ${said.join(", ")}`;
}

/** Every field of a rule but its id, in the order in which people read it. */
function partsOf(row: PolicyRow, language: Language): { label: string; value: string }[] {
  const texts = TEXTS[language];
  return [
    { label: texts.tool, value: toolTitle(row.tool_name, language) },
    { label: texts.role, value: roleOf(row, language) },
    { label: "", value: effectOf(row, language) },
    { label: texts.when, value: conditionOf(row, language) },
    { label: texts.people, value: `${row.approvals_required} (${texts.roles[row.approver_role]})` },
    {
      label: texts.ttl,
      value: row.approval_ttl_s === null ? texts.usual : `${row.approval_ttl_s}`,
    },
    { label: texts.calls, value: `${row.max_calls_per_run}` },
    { label: texts.bytes, value: `${row.max_payload_size}` },
    { label: texts.state, value: row.is_active ? texts.on : texts.off },
  ];
}

function effectOf(row: PolicyRow, language: Language): string {
  const texts = TEXTS[language];
  if (!row.allow_call) return row.requires_approval ? texts.forbiddenAsking : texts.forbidden;
  return row.requires_approval ? texts.asked : texts.allowed;
}

function roleOf({ role }: PolicyRow, language: Language): string {
  const texts = TEXTS[language];
  return role === "*" ? texts.everybody : `${texts.role} ${role}`;
}

function conditionOf({ condition_json: condition }: PolicyRow, language: Language): string {
  return Object.keys(condition).length === 0 ? TEXTS[language].always : canonicalJson(condition);
}

const TEXTS = {
  en: {
    ...{ added: "new", removed: "removed", tool: "tool", role: "role", everybody: "every role" },
    ...{ forbidden: "forbidden", allowed: "allowed", asked: "people are asked" },
    ...{ forbiddenAsking: "forbidden (asking people is set too)", always: "always", when: "when" },
    ...{ people: "approvals", ttl: "seconds to decide", usual: "the usual time" },
    ...{ calls: "calls a run", bytes: "bytes", state: "rule", on: "on", off: "off" },
    roles: { operator: "operator", admin: "admin" },
  },
  ru: {
    ...{ added: "новое", removed: "убрано", tool: "инструмент", role: "роль" },
    ...{ everybody: "любая роль", forbidden: "запрещено", allowed: "разрешено" },
    ...{ asked: "спрашиваем людей", forbiddenAsking: "запрещено (и спрашивать людей)" },
    ...{ always: "всегда", when: "если", people: "одобрений", ttl: "секунд на решение" },
    ...{ usual: "обычный срок", calls: "вызовов за ответ", bytes: "байт" },
    ...{ state: "правило", on: "включено", off: "выключено" },
    roles: { operator: "оператор", admin: "админ" },
  },
} as const satisfies Record<Language, unknown>;
