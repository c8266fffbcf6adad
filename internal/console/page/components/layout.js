// Tabs and lists of facts.
import { html } from "../ui.js";
import { count } from "../format.js";

// Tabs are links to the parts of a view, so that each has an address. Props:
// of: [[key, label, href, count?]], current (key), label (of the whole).
export function Tabs({ of, current, label }) {
  return html`<nav class="tabs" aria-label=${label}>${of.map(([key, word, href, n]) => html`<a key=${key} href=${href} aria-current=${key === current ? "page" : null}>${word}${
    n !== undefined && html` <span class="tab-count num">${count(n)}</span>`}</a>`)}</nav>`;
}

// Facts is a list of terms and values, in columns as there is room. Props: of:
// [[term, value]]; those whose value is null, undefined, false or "" are left
// out. list: one below the other, with lines between them.
export function Facts({ of, list = false }) {
  return html`<dl class=${list ? "facts list" : "facts"}>${of.filter(([, v]) => v !== null && v !== undefined && v !== false && v !== "").map(([term, value]) => html`<div key=${term}><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`;
}
