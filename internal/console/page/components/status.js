// Statuses and small labels.
import { html } from "../ui.js";
import { StatusShape } from "../icons.js";
import { Text } from "./text.js";

// statuses in the order in which they are shown, with what each means.
export const statuses = [
  ["running", "It waits or works."],
  ["stuck", "Its code cannot go on. It tries again by itself, and at once after a new build or a wake."],
  ["suspended", "Its code does not run until it is resumed; incoming messages are recorded."],
  ["scheduled", "It begins at its time."],
  ["queued", "It waits for its turn under a limit."],
  ["corrupt", "Its history is damaged, and nothing is written to it."],
  ["completed", "It returned a result."],
  ["failed", "Its code returned an error."],
  ["cancelled", "It was cancelled, and its code ended."],
  ["terminated", "It was ended from outside; its code did not run."],
];

const known = new Set(statuses.map(([s]) => s));

// Status shows a status by shape and word. Props: status.
export function Status({ status }) {
  return html`<span class=${"status " + (known.has(status) ? status : "other")}><${StatusShape} status=${status} />${status}</span>`;
}

// Chip is a small label. Props: children, kind ("", a status, "accent"), title.
export function Chip({ children, kind = "", title }) {
  return html`<span class=${"chip " + kind} title=${title}>${children}</span>`;
}

// Attributes shows search attributes as chips; with onPick, as buttons.
// Props: of ({name: value}), onPick(name, value), max.
export function Attributes({ of, onPick, max = 20 }) {
  const all = Object.entries(of ?? {});
  if (all.length === 0) return null;
  const text = ([name, value]) => html`<span class="muted"><${Text} value=${name} max=${60} /></span> <${Text} value=${typeof value === "string" ? value : JSON.stringify(value)} max=${120} />`;
  return html`<ul class="attributes">${all.slice(0, max).map((a) => html`<li key=${a[0]}>${
    onPick ? html`<button type="button" class="chip" title="Show only those with this value" onClick=${() => onPick(...a)}>${text(a)}</button>`
      : html`<span class="chip">${text(a)}</span>`}</li>`)}${all.length > max && html`<li class="muted small">+${all.length - max}</li>`}</ul>`;
}
