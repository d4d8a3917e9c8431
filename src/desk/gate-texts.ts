import type { Language } from "../domain/language.ts";
import type { GateReason } from "../policy/permit.ts";

/** Why a press grants nothing: what the gate would say, and who can change that. */
export function gateRefusalText(name: string, reason: GateReason, language: Language): string {
  const texts = TEXTS[language];
  return `${name}: ${texts.why[reason] ?? texts.other(reason)} ${texts.waits}`;
}

interface Texts {
  why: Partial<Record<GateReason, string>>;
  other(reason: string): string;
  waits: string;
}

const TEXTS: Record<Language, Texts> = {
  en: {
    why: {
      tool_inactive: "its tool is switched off. An admin can switch it on: /tool on NAME.",
      role_not_allowed: "the rules do not allow it now. An admin can change them.",
      stage_not_allowed: "the deal is at another stage now.",
      resource_access: "it is about something that is not this client's.",
      too_few_approvers:
        "the rules ask for more people than there are. An admin can add staff or change the rules.",
      condition_error: "a rule cannot be evaluated. An admin can mend it.",
      policy_forged:
        "something other than Countersign has changed the rules in the database. An admin has to set them anew.",
      schema_changed:
        "its tool has changed, and this process still has the old one. Restart it, and press again.",
      outcome_unknown: "the outcome of the same action is not known yet.",
    },
    other: (reason) => `the rules refuse it now (${reason}).`,
    waits: "The request waits on, and nothing was changed.",
  },
  ru: {
    why: {
      tool_inactive: "инструмент выключен. Включает администратор: /tool on ИМЯ.",
      role_not_allowed: "правила сейчас этого не разрешают. Их меняет администратор.",
      stage_not_allowed: "сделка сейчас на другом этапе.",
      resource_access: "это относится не к этому клиенту.",
      too_few_approvers:
        "правила требуют больше людей, чем есть. Администратор может добавить людей или изменить правила.",
      condition_error: "правило нельзя вычислить. Исправляет администратор.",
      policy_forged:
        "правила в базе изменил не Countersign. Администратор должен задать их заново.",
      schema_changed:
        "инструмент изменился, а этот процесс работает со старым. Перезапустите его и нажмите снова.",
      outcome_unknown: "исход такого же действия ещё не известен.",
    },
    other: (reason) => `правила сейчас отказывают (${reason}).`,
    waits: "Запрос ждёт дальше, ничего не изменено.",
  },
};
