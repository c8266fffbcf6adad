// How many instances there are of each status. The server keeps the counts for a
// while; where counting costs something, they are read when the page is opened,
// again half a minute after a change at the soonest, and every five minutes.
import { createContext, useContext, useEffect, useRef } from "./ui.js";
import { get } from "./api.js";
import { now, useTimeOf } from "./clock.js";
import { apiQuery, asOf, counted } from "./listquery.js";
import { useResource } from "./resource.js";

const changed = "turnstile:changed"; // an event of window: a list has changed

// listChanged says that a live message has changed what is shown.
export function listChanged() {
  window.dispatchEvent(new Event(changed));
}

// useCounts reads the counts of what a query selects (counted of the address), of all if it
// is empty. about is the answer of about; without it nothing is read.
export function useCounts(query, about) {
  const push = about?.capabilities?.live === "push";
  const key = about ? "counts " + JSON.stringify(counted.map((k) => query[k] || "")) : null;
  const at = useTimeOf((now) => asOf(query, now));
  const last = useRef(0);
  const counts = useResource(key, (signal) => { last.current = Date.now(); const { name, prefix, where, from, to } = apiQuery(query, at || now()); return get("counts", { name, prefix, where, from, to }, { signal }); }, { poll: push ? 20_000 : 300_000, version: String(at) });
  useEffect(() => {
    if (!about) return;
    let timer = 0;
    // The server keeps the counts for as long after a look.
    const pause = push ? 2300 : 30_500;
    const soon = () => {
      if (timer) return;
      timer = setTimeout(() => {
        timer = 0;
        if (!document.hidden) counts.reload();
      }, Math.max(300, last.current + pause - Date.now()));
    };
    window.addEventListener(changed, soon);
    return () => {
      clearTimeout(timer);
      window.removeEventListener(changed, soon);
    };
  }, [push, key]);
  return counts;
}

// Counts are those of all instances, which the shell reads.
export const Counts = createContext(null);

// useAllCounts returns them as useResource does.
export function useAllCounts() {
  return useContext(Counts);
}
