/** `retry_after` in seconds. */
export interface ResponseParameters {
  retry_after?: number;
  migrate_to_chat_id?: number;
}

/** The Bot API said no: HTTP status and `error_code` are the same number. */
export class TelegramError extends Error {
  readonly code: number;
  readonly parameters: ResponseParameters | undefined;

  constructor(code: number, description: string, parameters?: ResponseParameters) {
    super(description);
    this.name = "TelegramError";
    this.code = code;
    this.parameters = parameters;
  }

  toBody() {
    const { code, message, parameters } = this;
    const body = { ok: false, error_code: code, description: message };
    return parameters ? { ...body, parameters } : body;
  }
}

/** 400 with the platform's prefix; the first letter is lowered as the real server does. */
export function badRequest(message: string): TelegramError {
  const lowered = /^.([A-Z_]|$)/.test(message)
    ? message
    : message.charAt(0).toLowerCase() + message.slice(1);
  return new TelegramError(400, `Bad Request: ${lowered}`);
}

export function forbidden(message: string): TelegramError {
  return new TelegramError(403, `Forbidden: ${message}`);
}

/** The body of a played status fault. */
export function faultBody(status: number, retryAfter: number | undefined): unknown {
  if (status === 429) {
    const seconds = retryAfter ?? 1;
    return new TelegramError(429, `Too Many Requests: retry after ${seconds}`, {
      retry_after: seconds,
    }).toBody();
  }
  const parameters = retryAfter === undefined ? undefined : { retry_after: retryAfter };
  const description = FAULT_TEXTS[status] ?? (status >= 500 ? "Internal Server Error" : "Error");
  return new TelegramError(status, description, parameters).toBody();
}

const FAULT_TEXTS: Record<number, string> = {
  400: "Bad Request: chat not found",
  401: "Unauthorized",
  403: "Forbidden: bot was blocked by the user",
  404: "Not Found",
  409: "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
  413: "Request Entity Too Large",
  500: "Internal Server Error: restart",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};
