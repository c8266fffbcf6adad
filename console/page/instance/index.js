// The view of one instance. Instance and Inspect are what the shell draws.
import { html } from "../ui.js";
import { Empty, Id } from "../components.js";

// Instance shows an instance. Props: id, rest (the segments of the address
// behind the id: a tab, …), query (of the address).
export function Instance({ id }) {
  return html`<div class="view-head"><h1><${Id} id=${id} /></h1></div><${Empty} title="This view is still to come" />`;
}

// Inspect shows an exported history that the reader opens. Props: query.
export function Inspect() {
  return html`<div class="view-head"><h1>Inspect a history</h1></div><${Empty} title="This view is still to come" />`;
}
