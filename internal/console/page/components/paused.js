// Queues that are paused.
import { html } from "../ui.js";
import { Moment } from "./time.js";
import { Text } from "./text.js";

// PausedBy says who paused a queue, as far as that is known, and since when. Props: pause ({ by, at }).
export function PausedBy({ pause: { by, at } }) {
  return html`${by && html` by <${Text} value=${by} max=${120} />`}${at && html` since <${Moment} at=${at} />`}`;
}

// PausedQueues is a notice for each queue. Props: of (paused_queues of the API).
export function PausedQueues({ of }) {
  return of.map((p) => html`<div key=${p.name} class="notice slim suspended" role="status"><p class="grow">${p.queue ? html`<strong>The queue <code><${Text} value=${p.queue} max=${60} /></code> is paused</strong>` : html`<strong>The queue <code><${Text} value=${p.name} max=${60} /></code> is paused: no instance continues</strong>`}<${PausedBy} pause=${p} />. <a href="#/queues">Queues</a></p></div>`);
}
