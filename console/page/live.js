// Live changes by server-sent events. One connection serves everyone who wants
// the same changes. It is closed while the tab is hidden and opened again when
// it is shown; a lost one is tried again with growing delay.
import { url } from "./api.js";
import { connection } from "./connection.js";

const shortest = 1000, longest = 30_000;
const open = new Map(); // from address to Stream

// subscribe calls change with the data of every event, and with null when
// something may have been missed (after each connection but the first, and
// when the tab is shown again): read anew then. It returns what ends it.
export function subscribe(query, change) {
  const address = url("live", query).href;
  let stream = open.get(address);
  if (!stream) open.set(address, stream = new Stream(address));
  stream.listeners.add(change);
  return () => {
    stream.listeners.delete(change);
    if (stream.listeners.size > 0) return;
    stream.end();
    open.delete(address);
    if (open.size === 0 && connection.state !== "lost") connection.set("idle");
  };
}

class Stream {
  listeners = new Set();
  source = null;
  timer = 0;
  delay = shortest;
  missed = false;

  constructor(address) {
    this.address = address;
    this.onVisibility = () => (document.hidden ? this.pause() : this.resume());
    document.addEventListener("visibilitychange", this.onVisibility);
    if (document.hidden) connection.set("hidden");
    else this.connect();
  }

  connect() {
    clearTimeout(this.timer);
    if (connection.state !== "lost") connection.set("waiting");
    const source = this.source = new EventSource(this.address);
    source.onopen = () => {
      this.delay = shortest;
      connection.set("live");
      if (this.missed) this.tell(null);
      this.missed = true;
    };
    const take = (e) => this.tell(read(e.data));
    source.onmessage = take;
    source.addEventListener("changed", take);
    // The server ends a stream that nobody may look at any more, and one whose
    // program stops: say which, rather than "lost".
    source.onerror = () => {
      if (this.source !== source) return;
      this.close();
      connection.set("lost");
      this.timer = setTimeout(() => this.connect(), this.delay * (0.75 + Math.random() / 2));
      this.delay = Math.min(this.delay * 2, longest);
    };
  }

  pause() {
    clearTimeout(this.timer);
    this.close();
    connection.set("hidden");
  }

  resume() {
    if (this.source) return;
    this.missed = true;
    this.delay = shortest;
    this.connect();
  }

  close() {
    this.source?.close();
    this.source = null;
  }

  end() {
    clearTimeout(this.timer);
    this.close();
    document.removeEventListener("visibilitychange", this.onVisibility);
  }

  tell(data) {
    for (const change of [...this.listeners]) change(data);
  }
}

function read(data) {
  try {
    return JSON.parse(data);
  } catch {
    return {};
  }
}
