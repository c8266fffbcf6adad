// Whether the server can be reached, for the sign in the page's head and the
// bar that says so. Many calls report, one state results:
//
//	"idle"     nothing is live here
//	"live"     changes come in
//	"waiting"  connecting
//	"off"      the server answers, but changes do not come in
//	"lost"     the last call was not answered
//	"hidden"   the tab is hidden: nothing is asked for
import { useEffect, useState } from "./ui.js";

const listeners = new Set();
let state = "idle";

export const connection = {
  get state() { return state; },
  set(next) {
    if (next === state) return;
    state = next;
    for (const f of listeners) f(next);
  },
  lost() { this.set("lost"); },
  // reached ends "lost"; the live connection, where there is one, says more.
  reached() { if (state === "lost") this.set("idle"); },
};

// onConnection calls f with each new state; it returns what ends that.
export function onConnection(f) {
  listeners.add(f);
  return () => listeners.delete(f);
}

// useConnection returns the state.
export function useConnection() {
  const [now, set] = useState(state);
  useEffect(() => {
    set(state);
    return onConnection(set);
  }, []);
  return now;
}
