// The time of day as the server has it, for what shows how long ago something
// was: the reader's clock may be another. One timer serves all; it stands still
// while the tab is hidden.
import { useEffect, useRef, useState } from "./ui.js";

const listeners = new Set();
let timer = 0, ahead = 0; // by how many ms the server's clock is ahead of this one

// now is the server's time in ms.
export function now() {
  return Date.now() + ahead;
}

// setServerTime takes the time that the server has just said (RFC 3339).
export function setServerTime(at) {
  const ms = new Date(at).getTime();
  // Below that it is the way of the answer, not a difference.
  if (!Number.isNaN(ms)) ahead = Math.abs(ms - Date.now()) < 2000 ? 0 : ms - Date.now();
  tick();
}

function tick() {
  const at = now();
  for (const f of listeners) f(at);
}

function run() {
  clearInterval(timer);
  timer = 0;
  if (listeners.size > 0 && !document.hidden) timer = setInterval(tick, 1000);
}

document.addEventListener("visibilitychange", () => {
  run();
  if (!document.hidden) tick();
});

// useTimeOf returns of(the server's time in ms). The time is looked at each second, and the view drawn again when the value changes.
export function useTimeOf(of) {
  const [, set] = useState(), last = useRef();
  last.current = of;
  useEffect(() => {
    const look = (at) => set(last.current(at));
    listeners.add(look);
    run();
    return () => {
      listeners.delete(look);
      run();
    };
  }, []);
  return of(now());
}

// useNow returns the server's time in ms, renewed each second.
export function useNow() {
  const [at, set] = useState(now);
  useEffect(() => {
    listeners.add(set);
    run();
    return () => {
      listeners.delete(set);
      run();
    };
  }, []);
  return at;
}
