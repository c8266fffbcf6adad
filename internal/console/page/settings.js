// What the reader has chosen for this browser: theme, times in UTC, keys,
// where logs and traces are. Where
// the browser keeps nothing, a choice holds until the page is closed.
import { useEffect, useState } from "./ui.js";

const prefix = "turnstile.", listeners = new Set(), chosen = new Map();
const defaults = { theme: "system", utc: "no", keys: "yes", logs: "", traces: "" };

function stored(name) {
  try {
    return localStorage.getItem(prefix + name);
  } catch {
    return null;
  }
}

// setting returns the choice, or its default.
export function setting(name) {
  return chosen.get(name) ?? stored(name) ?? defaults[name];
}

// choose makes a choice.
export function choose(name, value) {
  chosen.set(name, value);
  try {
    localStorage.setItem(prefix + name, value);
  } catch {
    // The choice holds in this page.
  }
  if (name === "theme") applyTheme();
  for (const f of listeners) f({});
}

// useSetting returns the choice, renewed when it changes.
export function useSetting(name) {
  const [, renew] = useState({});
  useEffect(() => {
    listeners.add(renew);
    return () => listeners.delete(renew);
  }, []);
  return setting(name);
}

// applyTheme puts the theme on the document. early.js does the same before the
// first picture.
export function applyTheme() {
  const theme = setting("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}
