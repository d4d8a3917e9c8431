import type { Language } from "../../domain/language.ts";
import type { DestinationPurpose } from "../../store/destinations.ts";
import type { SetupItem, SetupNeed } from "../setup-checklist.ts";

/** What a chat lacks for its purpose; each text says the next step. */
export type Lack = "slackInvite" | "telegramMember" | "forum" | "topics" | "deleting";

interface SetupTexts {
  lacks: Record<Lack, string>;
  /** What stands once it is done, and the next step until then. */
  needs: Record<SetupNeed, { done: string; next(missing: string[], tenantId: string): string }>;
  notYet(purpose: DestinationPurpose): string;
  done(purpose: DestinationPurpose): string;
  already(purpose: DestinationPurpose): string;
  givenUp(purpose: DestinationPurpose): string;
  servesNothing: string;
  onlyInGroup(purpose: DestinationPurpose): string;
  unsure: string;
  groupHelp: string;
  isOpen: string;
  keptClosed(count: number): string;
  optional: string;
}

/** What keeps the desk closed comes first, then what is done, then what may be left out. */
export function checklistText(
  items: readonly SetupItem[],
  tenantId: string,
  texts: SetupTexts,
): string {
  const needed = items.filter((item) => !item.isOptional);
  const open = needed.filter((item) => !item.isDone);
  const line = ({ need, isDone, missing }: SetupItem) =>
    isDone ? `✓ ${texts.needs[need].done}` : `– ${texts.needs[need].next(missing, tenantId)}`;
  return [
    open.length === 0 ? texts.isOpen : texts.keptClosed(open.length),
    ...open.map(line),
    ...needed.filter((item) => item.isDone).map(line),
    ...items.filter((item) => item.isOptional).map((item) => `${line(item)} (${texts.optional})`),
  ].join("\n");
}

/** For the owner while a desk is set up; each missing thing names the step that brings it. */
export const SETUP_TEXTS: Record<Language, SetupTexts> = {
  en: {
    lacks: {
      slackInvite: "I am not in this channel: type /invite and my name, then say it again.",
      telegramMember: "I may not write here: let me write, then say it again.",
      forum: "The group has no topics: switch Topics on in its settings, then say it again.",
      topics:
        "I am no administrator who may manage topics: make me one (that right also shows me reactions), then say it again.",
      deleting:
        "I may not delete messages here, so a payout code that is typed would stay: make me an administrator who may.",
    },
    needs: {
      admin: {
        done: "staff with an admin",
        next: () =>
          "No admin yet: TELEGRAM_ADMIN_IDS or SLACK_ADMIN_IDS, or POST /api/admin/staff.",
      },
      operators: {
        done: "operators' chat",
        next: () => "No operators' chat: add me to the group and type /setup operators there.",
      },
      rates: {
        done: "rates",
        next: () => "No active rate: PUT /api/admin/exchange/rates.",
      },
      requisites: {
        done: "payment details",
        next: (missing) =>
          missing.length > 0
            ? `No payment details: POST /api/admin/exchange/requisites with ${missing.join(", ")}.`
            : "No payment details: set the rates first.",
      },
      documents: {
        done: "knowledge base",
        next: () => "No documents: npm run kb -- import PATH, or POST /api/admin/kb/documents.",
      },
      model: {
        done: "model",
        next: () => "No key of a model: OPENAI_API_KEY in the environment, then a restart.",
      },
      opened: {
        done: "opened",
        next: (_, tenantId) =>
          `Not opened: give an admin a token, then POST /api/admin/tenants/${tenantId}/open.`,
      },
      review: {
        done: "review chat",
        next: () =>
          "No review chat: /setup review in a channel, or in a Telegram group with topics.",
      },
      booking: {
        done: "booking link",
        next: () => "No booking link: /booking set https://calendly.com/name/call.",
      },
    },
    notYet: (purpose) => `This chat cannot serve ${purpose} yet. Nothing was changed.`,
    done: (purpose) => `From now on this chat serves ${purpose}. A test card comes here.`,
    already: (purpose) => `This chat serves ${purpose} already.`,
    givenUp: (purpose) => `This chat serves ${purpose} no longer.`,
    servesNothing: "This chat serves nothing here. Nothing was changed.",
    onlyInGroup: (purpose) => `Type /setup ${purpose} in the group or channel that it is for.`,
    unsure:
      "I could not check my rights here. If no test card comes, let me write here and say it again.",
    groupHelp:
      "Type what this chat is for:\n/setup operators: cards that ask for a decision come here\n/setup review: conversations are shown here (Telegram: a group with topics, where I am an administrator)\n/setup kyc: kept for identity documents; for now they go to the operators' chats",
    isOpen: "Nothing keeps the desk closed.",
    keptClosed: (count) => `What still keeps the desk closed: ${count}`,
    optional: "may be left out",
  },
  ru: {
    lacks: {
      slackInvite: "Меня нет в этом канале: наберите /invite и моё имя, потом повторите команду.",
      telegramMember: "Я не могу сюда писать: разрешите мне писать и повторите команду.",
      forum: "В группе нет тем: включите «Темы» в её настройках и повторите команду.",
      topics:
        "У меня нет права управлять темами: сделайте меня администратором с этим правом (так я вижу и реакции) и повторите команду.",
      deleting:
        "Я не могу удалять здесь сообщения, и набранный код выдачи останется в чате: сделайте меня администратором с этим правом.",
    },
    needs: {
      admin: {
        done: "сотрудники и администратор",
        next: () =>
          "Нет администратора: TELEGRAM_ADMIN_IDS или SLACK_ADMIN_IDS, или POST /api/admin/staff.",
      },
      operators: {
        done: "чат операторов",
        next: () => "Нет чата операторов: добавьте меня в группу и наберите там /setup operators.",
      },
      rates: {
        done: "курсы",
        next: () => "Нет активного курса: PUT /api/admin/exchange/rates.",
      },
      requisites: {
        done: "реквизиты",
        next: (missing) =>
          missing.length > 0
            ? `Нет реквизитов: POST /api/admin/exchange/requisites, имена: ${missing.join(", ")}.`
            : "Нет реквизитов: сначала задайте курсы.",
      },
      documents: {
        done: "база знаний",
        next: () => "Нет документов: npm run kb -- import PATH или POST /api/admin/kb/documents.",
      },
      model: {
        done: "модель",
        next: () => "Нет ключа модели: OPENAI_API_KEY в окружении и перезапуск.",
      },
      opened: {
        done: "открыто",
        next: (_, tenantId) =>
          `Не открыто: выдайте администратору токен, потом POST /api/admin/tenants/${tenantId}/open.`,
      },
      review: {
        done: "чат для просмотра разговоров",
        next: () =>
          "Нет чата для разговоров: /setup review в канале или в группе Telegram с темами.",
      },
      booking: {
        done: "ссылка для записи",
        next: () => "Нет ссылки для записи: /booking set https://calendly.com/name/call.",
      },
    },
    notYet: (purpose) => `Этот чат пока не может быть ${purpose}. Ничего не изменено.`,
    done: (purpose) => `Теперь этот чат: ${purpose}. Сюда придёт пробная карточка.`,
    already: (purpose) => `Этот чат уже ${purpose}.`,
    givenUp: (purpose) => `Этот чат больше не ${purpose}.`,
    servesNothing: "Этот чат здесь ни для чего не служит. Ничего не изменено.",
    onlyInGroup: (purpose) =>
      `Наберите /setup ${purpose} в той группе или канале, для которых это.`,
    unsure:
      "Не удалось проверить мои права здесь. Если пробная карточка не придёт, разрешите мне писать и повторите команду.",
    groupHelp:
      "Наберите, для чего этот чат:\n/setup operators: сюда приходят карточки, которые ждут решения\n/setup review: здесь видны разговоры (Telegram: группа с темами, я в ней администратор)\n/setup kyc: для документов клиентов; пока они приходят в чаты операторов",
    isOpen: "Ничто не мешает открыть обмен.",
    keptClosed: (count) => `Что ещё не готово: ${count}`,
    optional: "можно без этого",
  },
};
