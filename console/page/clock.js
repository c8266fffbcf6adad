// The time of day, for what shows how long ago something was. One timer serves
// all of them; it stands still while the tab is hidden.
import { useEffect, useState } from "./ui.js";

const listeners = new Set();
let timer = 0;

function tick() {
  const now = Date.now();
  for (const f of listeners) f(now);
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

// useNow returns the time in ms, renewed each second.
export function useNow() {
  const [now, set] = useState(Date.now);
  useEffect(() => {
    listeners.add(set);
    run();
    return () => {
      listeners.delete(set);
      run();
    };
  }, []);
  return now;
}
