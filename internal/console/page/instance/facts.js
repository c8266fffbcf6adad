// What an instance was given, what it says of itself, and what came of it.
import { failureKind } from "../format.js";
import { html } from "../ui.js";
import { get, path } from "../api.js";
import { Ago, Copy, Facts, InstanceLink, Moment, Payload, Resource, Text } from "../components.js";
import { traceOf } from "../links.js";
import { useResource } from "../resource.js";
import { useElsewhere } from "./logs.js";

// loadOf loads a value of a record that was left out for its size.
export const loadOf = (i, name) => async () => ({ value: (await get(path("instances", i.instance)))[name] });

// Ends are what an execution was given and what came of it, in a line each, for those who look
// at what lies between. Props: instance (record), source, execution (the last that is shown),
// past (it is shown as it stood before).
export function Ends({ instance: i, source, execution: x, past }) {
  const began = useResource(x ? `began ${source.id} ${x.id}` : null, (signal) => source.peek(x.id, 1, signal));
  const folded = (i.folded ?? []).includes("output"), ended = !past && (i.output !== undefined || folded || i.status === "completed");
  if (!began.data && !began.loading && !ended) return null;
  // The line stands before it is read, so that nothing below it moves.
  return html`<dl class="ends">${(began.data || began.loading) && html`<div><dt>Input</dt><dd>${began.data
    ? html`<${Payload} line payload=${began.data.payload} label="input" load=${async () => (await source.event(x.id, 1)).payload} />`
    : html`<span class="muted" aria-busy="true">…</span>`}</dd></div>`}
    ${ended && html`<div><dt>Result</dt><dd><${Payload} line value=${i.output} payload=${folded ? { folded: true } : undefined} load=${loadOf(i, "output")} label="result" sealed=${i.decode_error} /></dd></div>`}</dl>`;
}

// InstanceFacts. Props: instance (record), source, model, live (it is not of a file).
export function InstanceFacts({ instance: i, source, model, live }) {
  const first = model?.executions[0], started = useResource(first ? `start ${source.id} ${first.id}` : null, () => source.event(first.id, 1));
  const f = i.failure, trace = traceOf(started.data?.start?.headers);
  const elsewhere = useElsewhere({ instance: i.instance, from: i.created_at, to: i.ended_at, trace });
  const folded = (name) => (i.folded ?? []).includes(name);
  return html`<section class="card"><h2>Values</h2>
    <h3>Input</h3><${Resource} of=${started} rows=${1} title="The input could not be read">${(e) => html`<${Payload} payload=${e.payload} label="input" open=${true} />`}<//>
    ${folded("states") && html`<h3>States</h3><${Payload} payload=${{ folded: true }} load=${loadOf(i, "states")} label="states" open=${true} sealed=${i.decode_error} />`}
    ${Object.entries(i.states ?? {}).map(([name, s]) => html`<h3>State <${Text} value=${name} max=${120} /></h3><${Payload} value=${s.value} label=${"state " + name} open=${true} sealed=${i.decode_error} />${s.at && html`<p class="small muted">set <${Ago} at=${s.at} />, event ${s.event_id} of execution ${s.execution_id}</p>`}`)}
    ${(i.output !== undefined || folded("output") || i.status === "completed") && html`<h3>Output</h3><${Payload} value=${i.output} payload=${folded("output") ? { folded: true } : undefined} load=${loadOf(i, "output")} label="output" open=${true} sealed=${i.decode_error} />`}
    ${f && html`<h3>Failure</h3><p class="bad"><strong>${failureKind(f.kind)}</strong> <${Text} value=${f.message ?? ""} lines=${true} /></p>${f.stack && html`<pre dir="ltr" tabindex="0"><${Text} value=${f.stack} lines=${true} max=${40000} /></pre>`}${f.details !== undefined && html`<${Payload} value=${f.details} label="details" />`}`}</section>
    <section class="card"><h2>Details</h2><${Facts} list=${true} of=${[
    ["started", html`<${Moment} both at=${i.created_at} />`],
    ["updated", i.updated_at ? html`<${Moment} both at=${i.updated_at} />` : null],
    ["looping", i.looped_at ? html`slowed down <${Moment} both at=${i.looped_at} /> because it loops without waiting` : null],
    ["ended", i.ended_at ? html`<${Moment} both at=${i.ended_at} />` : null],
    ["execution", i.execution_id + (i.redriven ? `, redriven from ${i.redriven}` : "") + (i.pruned > 0 ? ` (kept from execution ${i.first_execution} on; ${i.pruned} earlier executions were pruned)` : "")],
    ["links", live ? elsewhere : null],
    ["trace", trace ? html`<span class="mono">${trace}</span> <${Copy} text=${trace} label="trace id" />` : null],
    ["start id", i.start_id ? html`<span class="mono"><${Text} value=${i.start_id} /></span>` : null],
    ["parent", i.parent ? html`<${InstanceLink} id=${i.parent.instance} /> event ${i.parent.event_id}` : null],
    ["failed in", f?.source ? html`<${Text} value=${f.source} />` : null],
  ]} /></section>`;
}
