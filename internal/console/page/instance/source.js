// Where the view of an instance takes its data from: the API, or a file that
// somebody has opened. Both have the same methods.
import { get, path } from "../api.js";
import { merge, read } from "./model.js";

const size = 1000; // events a request

// Pages keeps the events of one execution, as far as they were read.
class Pages {
  events = []; // by event id - 1
  reading = new Map();

  constructor(load) {
    this.load = load;
  }

  has(from, to) {
    for (let n = from; n <= to; n++) if (!this.events[n - 1]) return false;
    return true;
  }

  // need reads what is missing of the events from one to another.
  async need(from, to, signal) {
    const all = [];
    for (let at = Math.floor((from - 1) / size) * size + 1; at <= to; at += size) {
      let first = at;
      while (this.events[first - 1] && first < at + size) first++;
      if (first >= at + size || first > to) continue;
      if (!this.reading.has(at)) {
        this.reading.set(at, this.load(first, at + size - first, signal).then((events) => {
          for (const e of events) this.events[e.event_id - 1] = e;
        }).finally(() => this.reading.delete(at)));
      }
      all.push(this.reading.get(at));
    }
    await Promise.all(all);
  }
}

// apiSource reads an instance from the API.
export function apiSource(id) {
  const pages = new Map();
  return {
    id, offline: false,
    timeline: async (since, signal) => get(path("instances", id, "timeline"), { since }, { signal }),
    pages(execution) {
      if (!pages.has(execution)) {
        pages.set(execution, new Pages(async (from, limit, signal) =>
          (await get(path("instances", id, "executions", execution, "events"), { from, limit }, { signal })).events));
      }
      return pages.get(execution);
    },
    event: (execution, event) => get(path("instances", id, "executions", execution, "events", event)),
    // peek reads an event without a payload that is large.
    peek: async (execution, event, signal) => (await get(path("instances", id, "executions", execution, "events"), { from: event, limit: 1 }, { signal })).events[0],
    attempts: (execution, event) => get(path("instances", id, "executions", execution, "events", event, "attempts")),
    child: async (instance) => read(await get(path("instances", instance, "timeline"))),
  };
}

// fileSource reads an instance of a file: an answer of POST inspect.
export function fileSource(file, instance) {
  const of = file.instances.find((i) => i.instance === instance);
  const pages = new Map();
  const find = async (execution, event) => {
    const e = of.histories.find((h) => h.execution_id === execution)?.events[event - 1];
    if (!e) throw new Error("The file has no such event.");
    return e;
  };
  return {
    id: instance, offline: true, event: find, peek: find,
    pages(execution) {
      if (!pages.has(execution)) {
        const p = new Pages(async () => []);
        p.events = of.histories.find((h) => h.execution_id === execution)?.events ?? [];
        pages.set(execution, p);
      }
      return pages.get(execution);
    },
    child: async (id) => {
      const found = file.instances.find((i) => i.instance === id);
      if (!found) throw new Error("This instance is not in the file.");
      return read(found.timeline);
    },
  };
}

export { merge, read };
