// Icons and the shapes of statuses, drawn in a box of 16 by 16. They say
// nothing to a screen reader: a word stands beside them, or in the button's label.
import { html } from "./ui.js";

const line = {
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  check: "M2.5 8.5l3.5 3.5 7.5-8",
  cross: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.6 10.6L14 14",
  right: "M6 3l5 5-5 5",
  down: "M3 6l5 5 5-5",
  left: "M10 3L5 8l5 5",
  plus: "M8 2.5v11M2.5 8h11",
  minus: "M2.5 8h11",
  sun: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1.1 1.1M11.9 11.9L13 13M13 3l-1.1 1.1M4.1 11.9L3 13",
  moon: "M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z",
  screen: "M1.5 2.5h13v8.5h-13zM5.5 14h5M8 11v3",
  reload: "M13 8a5 5 0 1 1-1.5-3.6M13 2v3h-3",
  keyboard: "M1.5 4h13v8.5h-13zM4 6.7h.01M6.7 6.7h.01M9.3 6.7h.01M12 6.7h.01M4.5 9.8h7",
  wake: "M8.8 1.5L3.5 9h4l-.8 5.5L12.5 7h-4z",
  stop: "M3.5 3.5h9v9h-9z",
  bell: "M4 11.5V7a4 4 0 0 1 8 0v4.5l1 1H3zM6.8 14.5h2.4",
  trash: "M2.5 4h11M6 4V2.5h4V4M4 4l.7 9.5h6.6L12 4M6.7 6.5v4.5M9.3 6.5v4.5",
  out: "M6 3H3v10h10v-3M9 2.5h4.5V7M13.5 2.5L7.5 8.5",
  child: "M4 2v7h8M9.5 6.5L12 9l-2.5 2.5",
  file: "M4 1.5h5l3.5 3.5v9.5H4zM9 1.5V5h3.5",
  play: "M4.5 2.5l8 5.5-8 5.5z",
  pause: "M5.5 3v10M10.5 3v10",
};

// Icon draws one of the names above. Props: name, size in px (14).
export function Icon({ name, size = 14 }) {
  return html`<svg class="icon" width=${size} height=${size} viewBox="0 0 16 16" fill="none" stroke="currentColor"
    stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d=${line[name]} /></svg>`;
}

// The shape of each status: they differ in outline, so that they are told apart
// without colour.
const shapes = {
  running: html`<circle cx="8" cy="8" r="5.5" fill="none" stroke="currentColor" stroke-width="2" /><circle cx="8" cy="8" r="2" />`,
  completed: html`<path d="M2 8.5l4 4 8-9" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round" />`,
  failed: html`<path d="M3 3l10 10M13 3L3 13" fill="none" stroke="currentColor" stroke-width="2.6" stroke-linecap="round" />`,
  stuck: html`<path d="M8 1.5L15 14H1z" /><path class="cut" d="M8 6v4M8 12v.2" fill="none" stroke-width="1.7" stroke-linecap="round" />`,
  suspended: html`<path d="M5.5 2.5v11M10.5 2.5v11" fill="none" stroke="currentColor" stroke-width="2.8" stroke-linecap="round" />`,
  queued: html`<path d="M2.5 8h2M7 8h2M11.5 8h2" stroke="currentColor" stroke-width="2.6" stroke-linecap="round" />`,
  scheduled: html`<circle cx="8" cy="8" r="5.8" fill="none" stroke="currentColor" stroke-width="2" /><path d="M8 4.8V8l2.2 1.6" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" />`,
  corrupt: html`<path d="M8 1l7 7-7 7-7-7z" /><path class="cut" d="M8 2l-1.6 4.4 3.2 3L8 14" fill="none" stroke-width="1.5" />`,
  cancelled: html`<circle cx="8" cy="8" r="5.8" fill="none" stroke="currentColor" stroke-width="2" /><path d="M4 12l8-8" stroke="currentColor" stroke-width="2" />`,
  terminated: html`<path d="M3 3h10v10H3z" />`,
};

// StatusShape draws the shape of a status; unknown ones get a ring.
export function StatusShape({ status, size = 11 }) {
  return html`<svg class="shape" width=${size} height=${size} viewBox="0 0 16 16" fill="currentColor" aria-hidden="true">
    ${shapes[status] ?? html`<circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="2" />`}</svg>`;
}

// Mark is Turnstile's sign: three arms around a post.
export function Mark({ size = 18 }) {
  return html`<svg class="mark" width=${size} height=${size} viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="2"
    stroke-linecap="round" aria-hidden="true"><path d="M8 8V1.5M8 8l5.6 3.3M8 8l-5.6 3.3" /><circle cx="8" cy="8" r="2.2" fill="currentColor" stroke="none" /></svg>`;
}
