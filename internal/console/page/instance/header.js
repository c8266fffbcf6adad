// The head of an instance: how it stands, in a line, and what it has cost.
import { html, useState } from "../ui.js";
import { Ago, Attributes, Button, Dialog, Id, InstanceLink, Moment, Payload, Span, Status, Text } from "../components.js";
import { count, dollars, failureKind, plural } from "../format.js";
import { and, condition } from "../listquery.js";
import { format, instance as address } from "../location.js";
import { go } from "../router.js";
import { plainText } from "../visible.js";
import { loadOf } from "./facts.js";

// Header. Props: instance (record), model (or null), children (buttons).
export function Header({ instance: i, model, children }) {
  const [bill, setBill] = useState(false);
  return html`<header class="instance-head"><div class="view-head"><h1 aria-label=${plainText(i.instance)}><${Id} id=${i.instance} label="instance id" /></h1>${children}</div>
    <p class="instance-line"><${Status} status=${i.status} /> <strong><a class="plain" href=${format(["instances"], { name: i.name })}><${Text} value=${i.name} max=${200} /></a></strong>${i.version && html` <span class="muted"><${Text} value=${i.version} max=${60} /></span>`}
      <span class="sep">${i.ended_at ? html`took <${Span} from=${i.created_at} to=${i.ended_at} />` : html`for <${Span} from=${i.created_at} />`}, <span class="muted">started <${Ago} at=${i.created_at} /></span></span>
      ${model && html`<span class="sep num">${plural(model.turns, model.executions.every((x) => x.turns_known) ? "turn" : "replay step")}, ${plural(model.events, "event")}${model.executions.length > 1 || model.earlier > 0 ? `, ${plural(model.executions.length + model.earlier, "execution")}` : ""}</span>`}
      ${model?.bill && html`<span class="sep"><button type="button" class="link" onClick=${() => setBill(true)} title="Show how the cost is estimated">${cost(model.bill, i.ended_at)}</button></span>`}</p>
    ${i.parent && html`<p class="small muted">Child of <${InstanceLink} id=${i.parent.instance} copy=${false} />, <a href=${address(i.parent.instance, "history", { execution: i.parent.execution_id, event: i.parent.event_id })}>event ${i.parent.event_id}</a></p>`}
    <${GoesOn} instance=${i} of=${model?.executions.at(-1)} />
    ${i.forks && html`<p class="small muted">Forked as ${i.forks.map((id, n) => html`${n > 0 && ", "}<${InstanceLink} id=${id} copy=${false} />`)}${i.forked > i.forks.length && ` (the last ${i.forks.length} of ${i.forked})`}</p>`}
    ${i.folded?.includes("states") && html`<dl class="ends states"><div><dt>States</dt><dd><${Payload} line payload=${{ folded: true }} load=${loadOf(i, "states")} label="states" /></dd></div></dl>`}
    ${i.states && html`<dl class="ends states">${Object.entries(i.states).map(([name, s]) => html`<div><dt>State <${Text} value=${name} max=${120} /></dt><dd><${Payload} line value=${s.value} label=${"state " + name} /></dd></div>`)}</dl>`}
    ${i.suspension && html`<div class="notice slim suspended" role="status"><p class="grow"><strong>${{ scheduled: "Scheduled", queued: "Queued" }[i.status] || "Suspended"}</strong>${i.suspension.limit_key && html` under the <a href=${format(["queues"])}>limit</a> <code><${Text} value=${i.suspension.limit_key} max=${120} /></code>`} <${Ago} at=${new Date(i.suspension.since_ms).toISOString()} />${i.suspension.until_ms > 0 && html`, until <strong><${Moment} at=${i.suspension.until_ms} /></strong>`}${i.suspension.actor && html` by <${Text} value=${i.suspension.actor} max=${120} />`}, <a href=${address(i.instance, "history", { execution: i.execution_id, event: i.suspension.event_id })}>event ${i.suspension.event_id}</a>${i.suspension.reason && html`: <${Text} value=${i.suspension.reason} lines=${true} />`}${i.status === "suspended" && html` <span class="muted">${held(model, i)}</span>`}</p></div>`}
    ${!i.problem && i.failure && html`<div class=${"notice slim " + i.status}><div class="grow"><p><strong><${Text} value=${[failureKind(i.failure.kind), i.failure.code].filter(Boolean).join(", ")} /></strong> ${i.handed_on ? html`<${Text} value=${i.cause} lines=${true} />` : html`<${Text} value=${i.failure.message ?? ""} lines=${true} />${i.failure.source && html` <span class="muted">(from <${Text} value=${i.failure.source} />)</span>`}`}</p>
      ${i.handed_on && html`<p class="small handed-on">Propagated through ${i.handed_on.map((s, n) => html`${n > 0 && html` <span class="muted">→</span> `}${s.instance ? html`<${InstanceLink} id=${s.instance} copy=${false} />` : html`activity <${Text} value=${s.name} max=${120} />`}${s.attempt > 0 && ` (attempt ${s.attempt})`}${s.says && html` <span class="muted">with “<${Text} value=${s.says} max=${200} />”</span>`}`)}</p>`}
      ${i.cause_key && html`<p class="small"><a href=${format(["failures"], { since: "all", cause: i.cause_key })}>All failures with this cause</a></p>`}</div></div>`}
    ${Object.keys(i.search_attributes ?? {}).length > 0 && html`<${Attributes} of=${i.search_attributes} onPick=${(name, value) => go(format(["instances"], { where: and("", condition(name, value)) }))} />`}
    ${bill && html`<${Bill} of=${model.bill} onClose=${() => setBill(false)} />`}</header>`;
}

// held says what a suspended instance does not hold: its children, and what is started later.
function held(model, i) {
  const n = model?.rows.filter((r) => r.kind === "child" && r.state === "open").length ?? 0;
  return html`This does not suspend ${n > 0 ? html`<a href=${format(["instances"], { parent: i.instance })}>${plural(n, "open child", "open children")}</a>` : "its children"} or children that start later.`;
}

// GoesOn says from where a redrive or a fork goes on. Props: instance (record), of (its last execution).
function GoesOn({ instance: i, of }) {
  const o = of?.origin;
  if (!o) return null;
  const place = html`<a href=${address(o.instance, "history", { execution: o.execution_id, event: o.event_id || "" })}>${o.event_id > 0 ? `event ${o.event_id} of ` : ""}execution ${o.execution_id}</a>`;
  return html`<p class="small muted">${o.instance === i.instance ? "Redriven" : html`A fork of <${InstanceLink} id=${o.instance} copy=${false} />`}, continues from ${place}</p>`;
}

// cost is the estimate in a line. Nobody pays for what runs on one machine.
function cost(bill, ended) {
  const about = "about " + dollars(bill.dollars);
  return bill.hypothetical ? `would cost ${about} on AWS` : ended ? `cost ${about}` : about + " so far";
}

function Bill({ of, onClose }) {
  return html`<${Dialog} title=${of.hypothetical ? "Estimated cost on AWS" : "Estimated cost"} wide=${true} onClose=${onClose} footer=${html`<${Button} onClick=${onClose}>Close<//>`}>
    <p>Estimated from the history at on-demand list prices of us-east-1, without free tiers. Children have their own estimates.${of.hypothetical && " This instance runs on one machine, so nothing is charged."}</p>
    <div class="table-wrap"><table><caption class="sr">Estimated cost by service</caption><thead><tr><th scope="col">Service</th><th scope="col">For</th><th scope="col" class="number">Count</th><th scope="col" class="number">Price per million</th><th scope="col" class="number">Cost</th></tr></thead>
    <tbody>${of.lines.map((l, n) => html`<tr key=${n}><td>${l.service}</td><td>${l.what}</td><td class="number">${l.count >= 100 ? count(Math.round(l.count)) : Number(l.count.toPrecision(3))} ${l.unit}</td><td class="number">${dollars(l.dollars_a_million)}</td><td class="number">${dollars(l.dollars)}</td></tr>`)}
    <tr><th scope="row" colspan="4">Total</th><td class="number"><strong>${dollars(of.dollars)}</strong></td></tr></tbody></table></div>
    <h3>Not included</h3><ul class="plain-list">${of.left_out.map((t) => html`<li key=${t}>${t}</li>`)}</ul><//>`;
}

