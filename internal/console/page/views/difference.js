// Two executions beside each other: what they have not done alike.
import { html } from "../ui.js";
import { get, path } from "../api.js";
import { Chip, Facts, InstanceLink, Moment, Payload, Resource, Text } from "../components.js";
import { plural, span } from "../format.js";
import { instance as address } from "../location.js";
import { useResource } from "../resource.js";
import { setQuery } from "../router.js";
import { kindWords, opWord } from "../instance/model.js";

// Difference. Props: query { a, ax, b, bx, all } of the address: instances and executions.
export function Difference({ query: q }) {
  const of = useResource(["difference", q.a, q.ax, q.b, q.bx, q.all].join(" "), (signal) => get("difference", { a: q.a, a_execution: q.ax, b: q.b, b_execution: q.bx, all: q.all }, { signal }));
  return html`<div class="view-head"><h1>Comparison</h1><label class="check"><input type="checkbox" checked=${q.all === "true"} onChange=${(e) => setQuery({ all: e.target.checked ? "true" : "" }, { replace: true })} /> Show equal operations</label></div>
    <${Resource} of=${of} title="The executions could not be compared">${(d) => html`<div class="two-events difference-sides"><${Side} of=${d.a} /><${Side} of=${d.b} /></div>
    <p>${plural(d.equal, "operation is", "operations are")} equal, ${d.differ} differ, ${d.only_a} only in the first, ${d.only_b} only in the second. <span class="muted">Times and generated values, such as ids, are not compared.</span></p>
    <ul class="difference">${d.rows.map((r, i) => html`<${Row} key=${i} row=${r} of=${d} />`)}${d.more > 0 && html`<li class="muted">and ${plural(d.more, "row")} more</li>`}</ul>`}<//>`;
}

function Side({ of: s }) {
  return html`<section class="card"><h2><${InstanceLink} id=${s.instance} /></h2><p><${Text} value=${s.name + (s.version ? " " + s.version : "")} max=${120} /> <span class="muted">execution ${s.execution_id}, ${plural(s.events, "event")}, started <${Moment} at=${s.from} />, ${s.to ? `${s.end} after ${span(new Date(s.to) - new Date(s.from))}` : "still running"}</span></p></section>`;
}

function Row({ row: r, of }) {
  if (r.equal && !r.kind) return html`<li class="muted difference-equal">${plural(r.equal, "equal operation")}</li>`;
  return html`<li class="card" data-differs=${r.equal ? "equal" : r.a && r.b ? "both" : r.a ? "a" : "b"}><h3>${kindWords[r.kind] ?? r.kind} ${r.kind === "call" && opWord(r.op)} <${Text} value=${[r.label, r.name].filter(Boolean).join(", ")} max=${160} /> ${r.equal ? html`<${Chip}>equal<//>` : (r.differs ?? [r.a ? "only in the first" : "only in the second"]).map((w) => html`<${Chip} kind="suspended">${w}<//> `)}</h3>
    ${!r.equal && html`<div class="two-events">${["a", "b"].map((k) => html`<div key=${k}>${r[k] ? html`<${Operation} o=${r[k]} side=${of[k]} />` : html`<p class="muted">missing</p>`}</div>`)}</div>`}</li>`;
}

function Operation({ o, side }) {
  return html`<${Facts} list=${true} of=${[
    ["event", html`<a href=${address(side.instance, "history", { execution: side.execution_id, event: o.event_id })}>${o.event_id}</a> <span class="muted">of <${Text} value=${side.instance} max=${80} />, execution ${side.execution_id}</span>`],
    ["state", o.state], ["version", o.version && html`<${Text} value=${o.version} />`], ["elapsed", o.took_ms ? span(o.took_ms) : null], ["attempt", o.attempt > 1 ? o.attempt : null], ["duration", o.duration_ms ? span(o.duration_ms) : null],
    ["input", o.input && html`<${Payload} payload=${o.input} label="input" load=${() => whole(side, o.event_id)} />`], ["result", o.result && html`<${Payload} payload=${o.result} label="result" load=${() => whole(side, o.completed_by || o.event_id)} />`],
    ["failure", o.failure && html`<strong>${o.failure.kind}</strong> <${Text} value=${o.failure.message ?? ""} max=${500} />`],
  ]} />`;
}

const whole = async (side, event) => (await get(path("instances", side.instance, "executions", side.execution_id, "events", event))).payload;
