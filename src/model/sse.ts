/** One server-sent event; `data` holds its lines apart, for servers that send no blank lines. */
export interface ServerEvent {
  event: string;
  data: string[];
}

export interface EventReader {
  push(bytes: Uint8Array): ServerEvent[];
  /** What stood there without a closing blank line. */
  end(): ServerEvent[];
}

/** Reads an event stream in pieces of any size: characters and lines may be split anywhere. */
export function createEventReader(): EventReader {
  const decoder = new TextDecoder();
  let rest = "";
  let searchedTo = 0;
  let open: ServerEvent = { event: "", data: [] };

  const takeLine = (line: string): ServerEvent[] => {
    if (line !== "") {
      addLine(open, line);
      return [];
    }
    const closed = open;
    open = { event: "", data: [] };
    return closed.data.length > 0 ? [closed] : [];
  };

  const takeLines = (isEnd: boolean): ServerEvent[] => {
    const events: ServerEvent[] = [];
    let start = 0;
    const ends = /\r\n|\n|\r/g;
    ends.lastIndex = searchedTo;
    for (let found = ends.exec(rest); found; found = ends.exec(rest)) {
      // a line feed may follow in the next piece
      if (found[0] === "\r" && ends.lastIndex === rest.length && !isEnd) break;
      events.push(...takeLine(rest.slice(start, found.index)));
      start = ends.lastIndex;
    }
    rest = rest.slice(start);
    searchedTo = Math.max(0, rest.length - 1);
    return events;
  };

  return {
    push(bytes) {
      rest += decoder.decode(bytes, { stream: true });
      return takeLines(false);
    },
    end() {
      rest += decoder.decode();
      return [...takeLines(true), ...takeLine(rest), ...takeLine("")];
    },
  };
}

function addLine(event: ServerEvent, line: string): void {
  const [, field = "", value = ""] = /^(\w*): ?(.*)$/s.exec(line) ?? [];
  if (field === "data") event.data.push(value);
  else if (field === "event") event.event = value;
  else if (/^\s*\{/.test(line)) event.data.push(line); // bare JSON between events
}
