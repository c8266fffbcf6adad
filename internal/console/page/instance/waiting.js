// What an instance waits for, down to the leaf.
import { html } from "../ui.js";
import { get, path } from "../api.js";
import { Ago, Empty, InstanceLink, Moment, PausedQueues, Resource, Status, Text } from "../components.js";
import { useAllCounts } from "../counts.js";
import { useNow } from "../clock.js";
import { plural, span } from "../format.js";
import { instance as address } from "../location.js";
import { useResource } from "../resource.js";
import { RowActions } from "../actions/row.js";
import { At, Lines } from "./code.js";
import { kindWords } from "./model.js";

// useWaiting reads what an instance waits for; version changes when it has moved.
export function useWaiting(id, running, version) {
  return useResource(running ? `waiting ${id}` : null, (signal) => get(path("instances", id, "waiting-for"), {}, { signal }), { version });
}

// In says when something is due.
export function In({ at }) {
  const now = useNow(), ms = new Date(at).getTime() - now;
  return html`<time class="num" datetime=${at}>${ms > 0 ? "in " + span(Math.max(1000, ms)) : "due " + span(-ms) + " ago"}</time>`;
}

// Leaf is the end of a path in a sentence.
export function Leaf({ leaf: l }) {
  const below = l.path.slice(1), last = l.path.at(-1);
  return html`<span class="leaf">${below.length > 0 && html`<span class="muted">${below.length === 1 ? "child" : plural(below.length, "level") + " down,"} </span><${InstanceLink} id=${last} copy=${false} /><span class="muted">: </span>`}<a href=${address(last, { row: "" })} class="plain"><${Text} value=${l.text} max=${200} /></a>${
    l.status && html` <${Status} status=${l.status} />`}${l.next_at && html`, <strong><${In} at=${l.next_at} /></strong>`}${l.not_read && html` <span class="muted">(<${Text} value=${l.not_read} max=${160} />)</span>`} <span class="muted small">since <${Ago} at=${l.since} /></span></span>`;
}

// queuesOf are the queues of the activities among operations that are open, and of their children.
function queuesOf(operations) {
  return operations.flatMap((o) => [...(o.kind === "activity" && o.state === "open" ? [o.queue || "default"] : []), ...queuesOf(o.child?.operations ?? [])]);
}

// Paused says which of the queues that are paused it waits for. Props: model, waiting (what it waits for, or undefined).
export function Paused({ model, waiting }) {
  const all = useAllCounts()?.data?.paused_queues;
  if (!all) return null;
  const queues = new Set([...queuesOf(model?.rows.map((r) => r.raw) ?? []), ...queuesOf(waiting?.operations ?? [])]);
  return html`<${PausedQueues} of=${all.filter((p) => !p.queue || queues.has(p.queue))} />`;
}

// PendingOperations. Props: of (useWaiting), code (useCode), instance (record), model, link(execution, event),
// onDone.
export function PendingOperations({ of, code, instance, model, link, onDone }) {
  return html`<${Open} of=${of} code=${code} instance=${instance} onDone=${onDone} /><${Updates} model=${model} link=${link} /><${Untaken} model=${model} link=${link} />`;
}

// untaken are the events of the last execution that no wait has taken, as the marks
// of its timeline tell. Pure.
export function untaken(model) {
  const last = model?.executions.at(-1)?.id;
  return model ? model.marks.filter((k) => k.kind === "ExternalEvent" && k.x === last) : [];
}

function Updates({ model, link }) {
  const open = model?.running ? model.rows.filter((r) => r.kind === "update" && r.state === "open" && !r.raw.instance) : [];
  return html`<${Received} title="Open updates" of=${open.map((r) => ({ ...r, name: r.label }))} link=${link} says=${(r) => r.raw.text} />`;
}

function Untaken({ model, link }) {
  return html`<${Received} title="Unconsumed events" of=${untaken(model)} link=${link} says=${() => (model.running ? "kept until the code waits for it" : "not consumed before the execution ended")} />`;
}

// Received lists what has arrived. Props: title, of (x, event, name, at), link, says (what became of one).
function Received({ title, of, link, says }) {
  const most = 50;
  if (of.length === 0) return null;
  return html`<section class="card"><h2>${title}</h2><ul class="operations untaken">${of.slice(-most).map((k) => html`<li key=${k.event}><p><a href=${link(k.x, k.event)}><strong><${Text} value=${k.name} max=${120} /></strong></a> <span class="muted small">received <${Moment} at=${new Date(k.at).toISOString()} /></span></p>
      ${k.rejectedBy ? html`<p class="bad">rejected: <${Text} value=${k.reason} max=${300} /></p>` : html`<p class="muted">${says(k)}</p>`}</li>`)}${
    of.length > most && html`<li class="muted">and ${of.length - most} earlier</li>`}</ul></section>`;
}

function Open({ of, code, instance, onDone }) {
  if (!["running", "stuck", "suspended", "scheduled", "queued"].includes(instance.status)) {
    return html`<${Empty} title="Waits for nothing">${instance.status === "corrupt" ? "Its history is damaged, so the page cannot show what it waits for." : `The instance is ${instance.status}.`}<//>`;
  }
  return html`<${Resource} of=${of} title="The pending operations could not be read">${(data) => html`
    ${data.operations.length === 0 ? html`<${Empty} title="No open operations">${instance.status === "stuck" ? "The code cannot continue." : instance.suspension ? "The code does not run until the instance is resumed." : "A turn is running, or no deployed code can continue."}<//>` : html`
    <section class="card"><h2>Ultimately waits for</h2><ul class="leaves">${data.leaves.map((l, i) => html`<li key=${i}><${Leaf} leaf=${l} /></li>`)}</ul></section>
    <section class="card"><h2>All open operations</h2><${Operations} of=${data.operations} more=${data.more} code=${code} instance=${data.instance} status=${instance.status} onDone=${onDone} /></section>`}<${Lines} code=${code} />`}<//>`;
}

function Operations({ of, more, code, instance, status, onDone }) {
  return html`<ul class="operations">${of.map((o) => html`<li key=${o.execution_id + "." + o.event_id}><p><span class="muted">${kindWords[o.kind] ?? o.kind}</span> <a href=${address(instance, { row: o.execution_id + "." + o.event_id })}><strong><${Text} value=${[o.label, o.name || (o.kind === "timer" ? "timer" : "event " + o.event_id)].filter(Boolean).join(", ")} max=${120} /></strong></a>${o.text && html` <span>${o.text}</span>`}<${At} code=${code} event=${o.event_id} /> ${o.next_at && html`<strong><${In} at=${o.next_at} /></strong>`} ${o.live?.next && html`<span class="muted">after <${Text} value=${o.live.next.kind + ": " + o.live.next.message} max=${160} /></span>`}
      ${o.live?.heartbeat && html`<span class="muted">heartbeat <${Ago} at=${o.live.heartbeat.at} /></span>`} <span class="muted small">since <${Moment} at=${o.scheduled_at} /></span></p>
      ${o.instance && html`<p><${InstanceLink} id=${o.instance} />${o.child ? html` <${Status} status=${o.child.status} />` : o.not_read || o.kind !== "child" ? "" : html` <span class="muted">not started</span>`}</p>`}
      ${o.not_read && html`<p class="muted"><${Text} value=${o.not_read} max=${300} /></p>`}
      ${o.child?.problem && html`<p class="bad"><strong>${o.child.problem.kind}</strong> <${Text} value=${o.child.problem.message} max=${300} /></p>`}
      ${o.child?.operations?.length > 0 && html`<${Operations} of=${o.child.operations} more=${o.child.more} instance=${o.child.instance} status=${o.child.status} onDone=${onDone} />`}
      <${RowActions} instance=${{ instance, status }} row=${o} onDone=${onDone} /></li>`)}${more > 0 && html`<li class="muted">and ${more} more</li>`}</ul>`;
}
