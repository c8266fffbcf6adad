// Live changes by server-sent events. A connection is closed while the tab is
// hidden and opened again when it is shown; a lost one is tried again with
// growing delay.
import { url } from "./api.js";
import { setServerTime } from "./clock.js";
import { connection } from "./connection.js";
import { parse } from "./json.js";

const shortest = 1000, longest = 30_000;
const events = ["list", "instance", "gone", "failed"];
const open = new Set();

// subscribe opens the live connection with a query ({ instance } or that of a
// list) and calls on(event, data) for each message: "list", "instance", "gone",
// "failed", as internal/console/api has them. Each connection begins with the whole
// state, so that nothing is missed. It returns what ends it.
export function subscribe(query, on) {
  const stream = new Stream(url("live", query).href, on);
  open.add(stream);
  return () => {
    stream.end();
    open.delete(stream);
    if (open.size === 0 && connection.state !== "lost") connection.set("idle");
  };
}

class Stream {
  source = null;
  timer = 0;
  delay = shortest;

  constructor(address, on) {
    this.address = address;
    this.on = on;
    this.onVisibility = () => (document.hidden ? this.pause() : this.resume());
    document.addEventListener("visibilitychange", this.onVisibility);
    if (document.hidden) connection.set("hidden");
    else this.connect();
  }

  connect() {
    clearTimeout(this.timer);
    if (connection.state !== "lost" && connection.state !== "off") connection.set("waiting");
    const source = this.source = new EventSource(this.address);
    source.addEventListener("hello", (e) => {
      this.delay = shortest;
      setServerTime(read(e.data)?.now);
      connection.set("live");
    });
    for (const event of events) {
      source.addEventListener(event, (e) => {
        const data = read(e.data);
        if (data && this.source === source) this.on(event, data);
      });
    }
    source.onerror = () => {
      if (this.source !== source) return;
      // The browser gives up where something answered, and no stream.
      const answered = source.readyState === EventSource.CLOSED;
      this.close();
      connection.set(answered ? "off" : "lost");
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
}

function read(data) {
  try {
    return parse(data);
  } catch {
    return null;
  }
}
