import { phrases } from "./phrase.ts";

/** Currency words as they stand beside an amount; the first entry that fits wins. */
const CURRENCIES: [string, RegExp][] = [
  ["USDT", phrases("usdt", "usd-t", "юсдт", "усдт", "юздт", "тезер*", "тэзер*", "tethers?")],
  ["USDC", phrases("usdc", "юсдс", "юсдц")],
  ["BTC", phrases("btc", "бтц", "биток", "битк(а|ов|и)", "биткоин*", "биткойн*", "bitcoins?")],
  ["ETH", phrases("eth", "этх", "эфир(а|ов|ы|ом)?", "эфириум*", "ether", "ethers", "ethereum")],
  ["LTC", phrases("ltc", "лайткоин*", "litecoins?")],
  ["TRX", phrases("trx", "трх", "tronix")],
  ["TON", phrases("ton", "тон", "тонкоин*", "toncoins?")],
  ["RUB", phrases("rub", "rur", "р", "руб", "рубл*", "рублик*", "rubles?", "roubles?")],
  ["EUR", phrases("eur", "евро", "euros?")],
  ["USD", phrases("usd", "доллар*", "бакс*", "dollars?", "bucks?")],
];
const QUOTE = phrases("thb", "baht", "bahts", "бат(а|ы|ов|ах|ами)?", "php", "pesos?", "песо");
const SYMBOLS = new Map([
  ["$", "USD"],
  ["€", "EUR"],
  ["₽", "RUB"],
]);

/** A currency word: an asset that the lead pays with, or the currency that is paid out. */
export type Unit = { kind: "asset"; asset: string } | { kind: "quote" };

/** What the word beside a number says of it; undefined: nothing. */
export function unitOf(word: string): Unit | undefined {
  if (word === "") return undefined;
  if (word === "฿" || word === "₱" || QUOTE.test(word)) return { kind: "quote" };
  const symbol = SYMBOLS.get(word);
  if (symbol) return { kind: "asset", asset: symbol };
  const found = CURRENCIES.find(([, pattern]) => pattern.test(word));
  return found && { kind: "asset", asset: found[0] };
}

const NETWORKS: [string, RegExp][] = [
  ["TRC20", phrases("trc", "трс", "трц", "tron", "трон*", "(сет*|network|через) (trx|tron)")],
  ["ERC20", phrases("erc", "ерс", "(сет*|network|через) (eth|ethereum|эфир*)", "eth network")],
  ["BEP20", phrases("bep", "bsc", "бсц", "бинанс смарт*")],
  ["TON", phrases("(сет*|через|network|on|по) (ton|тон*)", "ton network")],
  ["SOL", phrases("sol", "solana", "солан*")],
];

/** `text` without the "20" of token standards. */
export function networkIn(text: string): string | undefined {
  return NETWORKS.find(([, pattern]) => pattern.test(text))?.[0];
}

const THAI_BANKS: [string, RegExp][] = [
  ["Kasikornbank", phrases("kasikorn*", "k-?bank", "касикорн*", "кбанк*")],
  ["SCB", phrases("scb", "siam commercial( bank)?", "сиам коммер*")],
  ["Bangkok Bank", phrases("bangkok bank", "bbl", "бангкок банк*")],
  ["Krungthai Bank", phrases("krung ?thai( bank)?", "ktb", "крунг ?тай*")],
  ["Krungsri", phrases("krungsri*", "bank of ayudhya", "крунгсри")],
  ["ttb", phrases("ttb", "tmb ?thanachart", "ттб")],
  ["GSB", phrases("gsb", "government savings bank")],
];

/** A bank of the country that is paid out in. */
export function payoutBankIn(text: string): string | undefined {
  return THAI_BANKS.find(([, pattern]) => pattern.test(text))?.[0];
}

const PAYOUT_METHODS: [string, RegExp][] = [
  ["cardless_atm", phrases("банкомат*", "atm", "без карты", "cardless", "without (a )?card")],
  [
    "thai_bank_transfer",
    phrases(
      "тайск* (банк*|счет*|карт*)",
      "(на )?(счет|карту) (в )?(тайск*|таиланд*)",
      "на (мой |банковск* |местн* )?(счет|банк)",
      "thai (bank|card|account|bank account)",
      "my thai*",
      "bank account",
      "(to|into|on) (my|a|the)( local)? (bank|account)",
    ),
  ],
  [
    "courier_cash",
    phrases(
      "курьер*",
      "доставк*",
      "достав(ь|ьте|ите|ить)",
      "(привез|подвез)*",
      "отел*",
      "courier*",
      "deliver*",
      "bring*",
      "hotel*",
    ),
  ],
  ["office_cash", phrases("офис*", "самовывоз*", "office", "pick (it )?up", "in person")],
];
/** "не курьером", "instead of the office": a way that is named to be left. */
const LEFT_WAY =
  /(?<![a-zа-я])(?:не|вместо|not|instead of|rather than)\s+(?:(?:в|на|по|через|the|a|to|by|at|from)\s+){0,2}[a-zа-я-]+/g;

/** The tools' own name of the method; undefined: none is named. */
export function payoutMethodIn(text: string): string | undefined {
  const wanted = text.replace(LEFT_WAY, " ");
  if (payoutBankIn(wanted)) return "thai_bank_transfer";
  return PAYOUT_METHODS.find(([, pattern]) => pattern.test(wanted))?.[0];
}

const PAYMENT_METHODS: [string, RegExp][] = [
  ["sbp_qr", phrases("сбп", "sbp", "qr", "куар*", "по куар*", "быстр* платеж*")],
  ["cash", phrases("(плачу|заплачу|оплачу|платить) налич*", "pay (in |with )?cash")],
  [
    "bank_transfer",
    phrases("банковск* перевод*", "(bank|wire) transfer", "перевод* (со )?счет*", "by wire"),
  ],
  [
    "card_transfer",
    phrases(
      "(с|на|по) карт(ы|у|е)",
      "картой",
      "(скинь*|дай*|пришл*) (сразу )?карту",
      "номер карты",
      "(by|with|from) (my )?card",
      "card (transfer|number)",
    ),
  ],
];

/** How the lead pays; a Thai card is one that money is paid out to. */
export function paymentMethodIn(text: string): string | undefined {
  const own = text.replace(phrases("без карты", "without (a )?card", "тайск* карт*"), " ");
  return PAYMENT_METHODS.find(([, pattern]) => pattern.test(own))?.[0];
}

const BANKS: [string, RegExp][] = [
  ["Сбер", phrases("сбер*", "sber*")],
  ["Т-Банк", phrases("т-банк*", "тинь*", "tinkoff", "t-bank")],
  ["Альфа-Банк", phrases("альф*", "alfa*")],
  ["ВТБ", phrases("втб", "vtb")],
  ["Райффайзен", phrases("райф*", "raif*")],
  ["Газпромбанк", phrases("газпром*", "gazprom*")],
];

/** A Russian bank: money that comes from it is in roubles. */
export function sourceBankIn(text: string): string | undefined {
  return BANKS.find(([, pattern]) => pattern.test(text))?.[0];
}

const RAILS: [string, RegExp][] = [
  ["binance", phrases("binance", "бинанс*")],
  ["bybit", phrases("bybit", "байбит*")],
  ["htx", phrases("htx", "huobi")],
];

/** An exchange that both have accounts with; its chain of the same name is none. */
export function railIn(text: string): string | undefined {
  if (phrases("бинанс смарт*", "binance smart").test(text)) return undefined;
  return RAILS.find(([, pattern]) => pattern.test(text))?.[0];
}
