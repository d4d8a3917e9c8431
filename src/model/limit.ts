/** The time of one call and the caller's own signal, as one signal that holds to the last byte. */
export interface Limit {
  signal: AbortSignal;
  /** The time was over, and nobody had given the call up before. */
  isTimeOver(): boolean;
  /** Drops a connection that has said all there is to say. */
  leave(): void;
  close(): void;
}

/** `AbortSignal.any` and `AbortSignal.timeout` cost more, and outlive the call. */
export function openLimit(request: { timeoutMs: number; signal: AbortSignal }): Limit {
  const controller = new AbortController();
  let isTimeOver = false;
  const give = () => controller.abort(request.signal.reason);
  const timer = setTimeout(() => {
    isTimeOver = !controller.signal.aborted;
    controller.abort(new DOMException("the time is over", "TimeoutError"));
  }, request.timeoutMs);
  if (request.signal.aborted) give();
  else request.signal.addEventListener("abort", give, { once: true });
  return {
    signal: controller.signal,
    isTimeOver: () => isTimeOver,
    leave: () => controller.abort(),
    close() {
      clearTimeout(timer);
      request.signal.removeEventListener("abort", give);
    },
  };
}
