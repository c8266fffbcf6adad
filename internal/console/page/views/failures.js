// Failed, stuck and corrupt instances, by what failed first.
import { html, useRef, useState } from "../ui.js";
import { get } from "../api.js";
import { now } from "../clock.js";
import { Ago, Button, Chip, Empty, InstanceLink, Resource, StatusShape, Text, useRowKeys } from "../components.js";
import { count, plural } from "../format.js";
import { apiQuery, begun, spans } from "../listquery.js";
import { format } from "../location.js";
import { setQuery } from "../router.js";
import { useResource } from "../resource.js";
import { Bars } from "./failure-bars.js";
import { Rows } from "./instance-rows.js";
import { AllButtons, SelectionBar, useSelection } from "./many.js";

const shownRows = 200; // of one cause

// Failures. Props: query (of the address): since, name, cause (a key).
export function Failures({ query }) {
  const since = query.since ?? "";
  const found = useResource(JSON.stringify([since, query.name ?? "", query.cause ?? ""]), (signal) => {
    const { from, to } = apiQuery({ since: since === "all" ? "" : since || "24h" }, now());
    return get("failures", { from, to, name: query.name, cause: query.cause }, { signal });
  });
  return html`<div class="view-head"><h1>Failures</h1><${Button} icon="reload" busy=${found.loading} onClick=${found.reload}>Refresh<//></div>
    <p class="lead">Failed, stuck and corrupt instances, grouped by root cause.</p>
    <div class="filters"><select aria-label="Time range" value=${since} onChange=${(e) => setQuery({ since: e.target.value })}>
        <option value="">${begun("Failed", "24h")}</option>${[...Object.keys(spans).filter((s) => s !== "24h"), ...(since && since !== "all" && !spans[since] ? [since] : [])].map((value) => html`<option key=${value} value=${value}>${begun("Failed", value)}</option>`)}
        <option value="all">Failed at any time</option></select></div>
    ${(query.name || query.cause) && html`<p>${query.name && html`<span class="muted">Only orchestration</span> <strong><${Text} value=${query.name} /></strong> `}<a href=${format(["failures"], { since })}>All failures</a></p>`}
    <${Resource} of=${found} title="The failures could not be read">${(data) => html`<${Causes} data=${data} query=${query} reload=${found.reload} />`}<//>`;
}

function Causes({ data, query, reload }) {
  const list = useRef(null);
  useRowKeys(list);
  const total = data.causes.reduce((n, c) => n + c.instances, 0);
  const all = data.causes.length > 1 ? data.causes[0].bars.map((_, i) => data.causes.reduce((n, c) => n + c.bars[i], 0)) : null;
  const more = data.more && html`<p class="muted">Only the newest ${count(data.read)} instances were read. Earlier ones are not counted.</p>`;
  if (total === 0) return html`${more}<${Empty} title=${query.cause ? "No instance has this cause" : "No failures"}>${query.cause || query.since !== "all" ? html`<a href=${format(["failures"], { since: "all" })}>Show all failures</a>` : "And no instance is stuck."}<//>`;
  return html`${more}
    ${all && html`<section class="card all-failures" aria-label="All failures"><p><strong>${plural(total, "instance")}</strong> <span class="muted">by ${plural(data.causes.length, "cause")}</span></p><${Bars} bars=${all} data=${data} kind="failed" caption=${true} /></section>`}
    <div class="groups" ref=${list}>${data.causes.map((c) => html`<${Cause} key=${c.key} of=${c} data=${data} query=${query} />`)}</div>
    ${query.cause && html`<${Members} of=${data.causes[0]} reload=${reload} />`}`;
}

function Cause({ of, data, query }) {
  const names = Object.entries(of.orchestrations).sort((a, b) => b[1] - a[1]);
  const children = of.instances - of.roots;
  return html`<section class=${"card group cause " + of.status} data-row data-cause=${of.key}>
    <header><h2><span class="group-count num"><${StatusShape} status=${of.status} size=${13} /> ${count(of.instances)}</span> <${Text} value=${of.source} max=${120} /> ${of.kind !== "application" && html`<${Chip} kind=${of.status}>${of.kind}<//>`}${of.code && html` <code><${Text} value=${of.code} max=${80} /></code>`}</h2>
      <span class="muted small">most recent <${Ago} at=${of.last} /></span>
      ${!query.cause && html`<a class="button" data-row-link href=${format(["failures"], { ...query, cause: of.key })}>Show ${of.instances === 1 ? "it" : `all ${count(of.instances)}`}</a>`}</header>
    <p class="problem-text"><${Text} value=${of.instances === 1 || query.cause ? of.example : of.message} lines=${true} max=${600} /></p>
    <${Bars} bars=${of.bars} data=${data} kind=${of.status} caption=${data.causes.length === 1} />
    <p class="muted small">${names.slice(0, 3).map(([name, n], i) => html`${i > 0 && ", "}<a href=${format(["failures"], { since: query.since, name })}><${Text} value=${name} /></a> ${count(n)}`)}${names.length > 3 && ` and ${names.length - 3} more`}${children > 0 && (of.roots === 0 ? `, ${children === 1 ? "a child instance" : "all of them children"}` : `, ${plural(children, "of them is a child", "of them are children")}`)}</p>
    ${!query.cause && html`<ul class="newest">${of.newest.slice(0, 3).map((id) => html`<li key=${id}><${InstanceLink} id=${id} copy=${false} /></li>`)}</ul>`}</section>`;
}

// Members are the instances of one cause, to look at and to act on.
function Members({ of, reload }) {
  const selection = useSelection({ where: of.key }), table = useRef(null), [all, setAll] = useState(false);
  const rows = all ? of.members : of.members.slice(0, shownRows);
  return html`<div class="view-head"><h2>${plural(of.instances, "instance")}</h2>${!selection.on && html`<${AllButtons} instances=${of.members} of=${["redrive", "wake"]} onActed=${reload} />`}<${Button} aria-pressed=${selection.on ? "true" : "false"} onClick=${selection.turn}>${selection.on ? "Stop selecting" : "Select"}<//></div>
    ${selection.on && html`<${SelectionBar} selection=${selection} rows=${of.members} here="Select all" query=${{}} onActed=${reload} />`}
    <div class="table-wrap" ref=${table}><${Rows} rows=${rows} selection=${selection} query=${{}} /></div>
    ${of.members.length > rows.length && html`<p class="pager"><${Button} onClick=${() => setAll(true)}>Show all ${count(of.members.length)}<//></p>`}`;
}
