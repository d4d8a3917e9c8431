const TRY_AGAIN_MS = 1500;

/**
 * Hears what happens, from the event numbered `after` on. The browser connects again by itself and
 * then says what it heard last; only when it has given up, a new connection is opened here.
 * @param {number} after
 * @param {{ world(event: { seq: number, at: number, kind: string, data: any }): void,
 *           product(): void, state(state: "live" | "away"): void }} heard
 */
export function listen(after, heard) {
  let last = after;
  const open = () => {
    const source = new EventSource(`/sandbox/api/events?after=${last}`);
    source.addEventListener("open", () => {
      heard.state("live");
      heard.product(); // changes of the product carry no number: none is told again
    });
    source.addEventListener("world", (message) => {
      const event = JSON.parse(message.data);
      last = Math.max(last, event.seq);
      heard.world(event);
    });
    source.addEventListener("product", () => heard.product());
    source.addEventListener("error", () => {
      heard.state("away");
      if (source.readyState !== EventSource.CLOSED) return;
      source.close();
      setTimeout(open, TRY_AGAIN_MS);
    });
  };
  open();
}

/**
 * Runs a piece of work after a burst of calls, never twice at a time; called while it runs, it runs
 * once more.
 * @param {() => Promise<unknown>} work
 * @param {number} [quietMs]
 */
export function coalesced(work, quietMs = 30) {
  let timer;
  let isRunning = false;
  let isWanted = false;
  const run = async () => {
    timer = undefined;
    isRunning = true;
    isWanted = false;
    try {
      await work();
    } finally {
      isRunning = false;
      if (isWanted) call();
    }
  };
  function call() {
    isWanted = true;
    if (!isRunning && timer === undefined) timer = setTimeout(run, quietMs);
  }
  return call;
}
