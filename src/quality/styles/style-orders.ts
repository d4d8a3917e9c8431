import { injectionIn } from "../../tools/prompt-injection.ts";

/**
 * What in a text is an order about tools or checks, in words for a person; null: nothing. It keeps
 * a style honest; what may be done is decided by the backend, whatever a style says.
 */
export function orderIn(text: string): string | null {
  const injected = injectionIn(text, "words");
  if (injected) return INJECTED[injected];
  const shown = text.normalize("NFKC");
  const named = TOOL_WORDS.exec(shown)?.[0];
  if (named) return `speaks of "${named.slice(0, 60)}"`;
  const words = shown.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ");
  const order = ORDERS.map((pattern) => pattern.exec(words)?.[0]).find(Boolean);
  return order ? `orders "${order.slice(0, 60)}"` : null;
}

const INJECTED = {
  hidden_text: "holds hidden characters",
  role_tag: "holds marks of a conversation's roles",
  tool_call: "holds a call of a tool",
  order_to_the_machine: "gives orders to the system",
};

/** Names in snake_case, and words for what a model calls. */
const TOOL_WORDS =
  /(?<![\p{L}\p{N}_])(?:\p{L}{2,20}(?:_\p{L}{2,20}){1,5}|tools?|function[ -]calls?|tool[ -]calls?|api|инструмент\p{L}{0,4}|вызов\p{L}{0,3} функци\p{L}{1,3})(?![\p{L}\p{N}_])/iu;

const CHECKS_EN =
  "(?:approvals?|confirmations?|verifications?|kyc|checks?|operators?|policy|policies|rules?|limits?)";
const CHECKS_RU =
  "(?:подтверждени|одобрени|проверк|проверок|верификац|оператор|правил|лимит)\\p{L}{0,4}";
const DEEDS_EN = "(?:payouts?|payments?|transfers?|refunds?|orders?|requests?|exchanges?)";
const DEEDS_RU = "(?:выплат|платеж|платёж|перевод|заявк|заказ|обмен|возврат)\\p{L}{0,4}";
const START = "(?<![\\p{L}\\p{N}])";
const NOT_EN = "(?<!(?:never|not|cannot|don t|won t|can t) )";
const NOT_RU = "(?<!(?:не|нельзя) )";
const SOME = "(?:\\p{L}{1,20} ){0,3}?";
const order = (source: string) => new RegExp(`${START}${source}(?![\\p{L}\\p{N}])`, "iu");

/** For lower-case words with single spaces. "Never skip a check" is none. */
const ORDERS: RegExp[] = [
  order(`${NOT_EN}(?:skip|bypass|disable|turn off|switch off|omit|get around) ${SOME}${CHECKS_EN}`),
  order(
    `(?:do not|don t|never|no need to) (?:ask|wait|require|request|involve|call) ${SOME}${CHECKS_EN}`,
  ),
  order(
    `${NOT_EN}(?:approve|authori[sz]e|execute|release|issue|make|cancel) ${SOME}${DEEDS_EN} (?:now|at once|immediately|automatically|anyway|yourself)`,
  ),
  order(
    `(?:you may|you can|you are allowed to|you have permission to|always) (?:approve|authori[sz]e|execute|release|issue|pay out|refund|cancel|verify|confirm) ${SOME}(?:${DEEDS_EN}|clients?|identity)`,
  ),
  order(
    `${NOT_RU}(?:пропусти|пропускай|обойди|обходи|отключи|отключай)(?:те)? ${SOME}${CHECKS_RU}`,
  ),
  order(
    `(?:не спрашивай|не жди|не дожидайся|не проси|не требуй|не зови)(?:те)? ${SOME}${CHECKS_RU}`,
  ),
  order(
    `${NOT_RU}(?:одобряй|одобри|выплачивай|выплати|проводи|проведи|выполняй|выполни|отменяй|отмени)(?:те)? ${SOME}${DEEDS_RU}`,
  ),
  order(
    `(?:можешь|можете|вправе|разрешено|имеешь право|имеете право) (?:сам |сами |самостоятельно )?(?:одобр|выплат|выплач|провод|провест|выполн|отмен|подтвержд|верифиц)\\p{L}{1,6}`,
  ),
];
