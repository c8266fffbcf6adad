// Statuses and small labels.
import { html } from "../ui.js";
import { StatusShape } from "../icons.js";
import { plainText } from "../visible.js";
import { Text } from "./text.js";

// statuses in the order in which they are shown, with what each means.
export const statuses = [
  ["running", "It is working or waiting."],
  ["stuck", "Its code cannot continue. It retries automatically, and immediately after a new build or a wake."],
  ["suspended", "Its code does not run until it is resumed; incoming messages are recorded."],
  ["scheduled", "It starts at a set time."],
  ["queued", "It is waiting for a permit of a limit."],
  ["forking", "It has not started: its copy is not complete."],
  ["corrupt", "Its history is damaged, and nothing is written to it."],
  ["completed", "It returned a result."],
  ["failed", "Its code returned an error."],
  ["cancelled", "It was cancelled, and its code ended after that."],
  ["terminated", "It was ended without running its code."],
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
  const written = (value) => (typeof value === "string" ? value : JSON.stringify(value));
  const text = ([name, value]) => html`<span class="muted"><${Text} value=${name} max=${60} /></span> <span class="value"><${Text} value=${written(value)} max=${120} /></span>`;
  const whole = ([name, value]) => plainText(`${name} ${written(value)}`);
  return html`<ul class="attributes">${all.slice(0, max).map((a) => html`<li key=${a[0]}>${
    onPick ? html`<button type="button" class="chip" title=${whole(a) + "\nShow only instances with this value"} onClick=${() => onPick(...a)}>${text(a)}</button>`
      : html`<span class="chip" title=${whole(a)}>${text(a)}</span>`}</li>`)}${all.length > max && html`<li class="muted small">+${all.length - max}</li>`}</ul>`;
}
