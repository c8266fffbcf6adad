// Short messages at the edge of the page: what was done.
import { html, useEffect, useState } from "../ui.js";
import { Icon } from "../icons.js";
import { IconButton } from "./button.js";

let next = 1, list = [];
const listeners = new Set();

function change(to) {
  list = to;
  for (const f of listeners) f(list);
}

// toast shows a message: text, or { text, href, link }. kind: "done" (goes by
// itself after 6 s), "failed" (stays).
export function toast(message, kind = "done") {
  const one = { id: next++, kind, ...(typeof message === "string" ? { text: message } : message) };
  change([...list.slice(-3), one]);
  if (kind !== "failed") setTimeout(() => change(list.filter((t) => t !== one)), 6000);
}

// Toasts is where they are shown; the shell has it.
export function Toasts() {
  const [all, set] = useState(list);
  useEffect(() => {
    listeners.add(set);
    return () => listeners.delete(set);
  }, []);
  return html`<div class="toasts" role="status" aria-live="polite">${all.map((t) => html`<div key=${t.id} class=${"toast " + t.kind}>
    <${Icon} name=${t.kind === "failed" ? "cross" : "check"} /><span class="grow">${t.text}${t.href && html` <a href=${t.href}>${t.link ?? "open"}</a>`}</span>
    <${IconButton} icon="cross" label="Dismiss" onClick=${() => change(list.filter((x) => x !== t))} /></div>`)}</div>`;
}
