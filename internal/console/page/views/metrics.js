// How many instances start, how they fare, how long they take, and what that costs.
import { html } from "../ui.js";
import { get } from "../api.js";
import { now } from "../clock.js";
import { Empty, Facts, IconButton, Moment, Resource, Text } from "../components.js";
import { count, dollars, span } from "../format.js";
import { apiQuery } from "../listquery.js";
import { format } from "../location.js";
import { setQuery } from "../router.js";
import { useResource } from "../resource.js";
import { plainText } from "../visible.js";
import { Bars } from "./failure-bars.js";

const spans = { "": "Started in the last hour", "24h": "Started in the last 24 hours", "7d": "Started in the last 7 days", "30d": "Started in the last 30 days" };

// Metrics. Props: query (of the address): since, name.
export function Metrics({ query }) {
  const since = query.since ?? "";
  const of = useResource(`metrics ${since} ${query.name ?? ""}`, (signal) => get("metrics", { from: apiQuery({ since: since || "1h" }, now()).from, name: query.name }, { signal }));
  return html`<div class="view-head"><h1>Metrics</h1><${IconButton} icon="reload" label="Refresh" onClick=${of.reload} /></div>
    <p class="lead">Rates, durations and costs of instances, from their records and some of their histories. See <a href="#/queues">Queues</a> for how long messages wait.</p>
    <div class="filters"><select aria-label="Time range" value=${since} onChange=${(e) => setQuery({ since: e.target.value })}>
        ${Object.entries(spans).map(([value, words]) => html`<option key=${value} value=${value}>${words}</option>`)}
        ${spans[since] === undefined && html`<option value=${since}>Started in the last ${since}</option>`}</select></div>
    ${query.name && html`<p><span class="muted">Only orchestration</span> <strong><${Text} value=${query.name} max=${200} /></strong> <a href=${format(["metrics"], { since })}>All orchestrations</a></p>`}
    <${Resource} of=${of} title="The metrics could not be read">${(data) => html`<${Measured} data=${data} query=${query} />`}<//>
    ${query.name && html`<${StepsOf} name=${query.name} since=${since} />`}`;
}

// rate is how many an hour, in the unit that reads best. Pure.
export function rate(anHour) {
  if (anHour >= 3600) return count(Math.round(anHour / 3600)) + " per second";
  if (anHour >= 60) return count(Math.round(anHour / 60)) + " per minute";
  return (anHour >= 10 || anHour === 0 ? Math.round(anHour) : anHour.toPrecision(2)) + " per hour";
}

function Measured({ data, query }) {
  const { all } = data;
  if (data.read === 0) return html`<${Empty} title="No instances started in this period"><p><a href=${format(["metrics"], { since: "30d", name: query.name })}>Show the last 30 days</a></p><//>`;
  const over = all.completed + all.failed + all.stopped;
  return html`${data.more && html`<p class="muted">Only the newest ${count(data.read)} instances are counted, since <${Moment} at=${data.from} />.</p>`}
    <section class="card" aria-label="All"><${Facts} of=${[
      ["Started", html`<strong>${rate(all.started_an_hour)}</strong> <span class="muted num">${count(all.started)} in total</span>`],
      ["Failed", over ? html`<strong>${share(all.failed, over)}</strong> <span class="muted num">${count(all.failed)} of ${count(over)} that ended</span>` : null],
      ["Duration", all.took && html`<span class="num">median <strong>${span(all.took.p50_ms)}</strong>, p99 <strong>${span(all.took.p99_ms)}</strong></span>${all.redriven > 0 && html` <span class="muted num">excluding ${count(all.redriven)} redriven or forked</span>`}`],
      ["Cost", data.dollars && html`<strong>${dollars(data.dollars.an_hour)} per hour</strong> <span class="muted">${data.dollars.hypothetical ? "on AWS, " : ""}estimated from ${count(data.dollars.of)} ${data.dollars.of === 1 ? "history" : "histories"}</span>`],
    ]} /><${Bars} bars=${data.started} data=${{ from: data.bars_from, width_ms: data.width_ms }} kind="running" caption=${true} word="start" /></section>
    <div class="table-wrap"><table class="metrics"><caption class="sr">By orchestration</caption><thead><tr><th scope="col">Orchestration</th><th scope="col" class="number">Started</th><th scope="col" class="number">Open</th><th scope="col" class="number">Failed</th><th scope="col" class="number">p50</th><th scope="col" class="number">p90</th><th scope="col" class="number">p99</th><th scope="col" class="number">Longest</th></tr></thead>
      <tbody>${data.orchestrations.map((o) => html`<${Line} key=${o.name} of=${o} query=${query} />`)}</tbody></table></div>`;
}

const kinds = { activity: "activity", inline: "inline activity", child: "child", timer: "timer", wait: "event" };

// StepsOf says where the time went in the instances of an orchestration. Props: name, since.
function StepsOf({ name, since }) {
  const of = useResource(`steps ${since} ${name}`, (signal) => get("steps", { name, from: apiQuery({ since: since || "1h" }, now()).from }, { signal }));
  return html`<${Resource} of=${of} rows=${4} title="The steps could not be read">${(data) => data.steps.length > 0 && html`<section class="below" aria-label="Where the time goes"><h2>Where the time goes</h2>
    <p class="muted small">Steps of the last executions of ${count(data.histories)} ${data.histories < data.started ? `of ${count(data.started)}${data.more ? " and more" : ""} ` : ""}instances. The time of a step includes its retries and the wait for a worker. Steps that a redrive copied are not counted.${data.dollars > 0 && ` Reading them costs about ${dollars(data.dollars)}.`}</p>
    <div class="table-wrap" tabindex="0" role="region" aria-label="Table of steps"><table class="metrics by-step"><caption class="sr">By step</caption><thead><tr><th scope="col">Step</th><th scope="col" class="number">Time</th><th scope="col" class="number">Count</th><th scope="col" class="number">p50</th><th scope="col" class="number">p99</th><th scope="col" class="number">Longest</th><th scope="col" class="number">Failed</th><th scope="col" class="number">Retries</th><th scope="col" class="number">Open</th></tr></thead>
      <tbody>${data.steps.map((s) => html`<tr key=${s.kind + " " + (s.name ?? "")} data-step=${s.name ?? ""}><th scope="row"><span class="muted">${kinds[s.kind] ?? s.kind}</span>${s.name && html` <${Text} value=${s.name} max=${120} />`}</th>
        <td class="number">${share(s.share, 1)}</td><td class="number">${count(s.took?.of ?? 0)}</td>${["p50_ms", "p99_ms", "max_ms"].map((p) => html`<td key=${p} class="number">${s.took ? span(s.took[p]) : ""}</td>`)}
        <td class="number">${s.failed ? html`<span class="bad">${count(s.failed)}</span>` : "0"}</td><td class="number">${count(s.retries)}</td><td class="number">${count(s.open ?? 0)}</td></tr>`)}</tbody></table></div></section>`}<//>`;
}

function Line({ of: o, query }) {
  const over = o.completed + o.failed + o.stopped;
  return html`<tr data-row data-name=${o.name}><th scope="row"><a data-row-link href=${format(["instances"], { name: o.name, since: query.since || "1h" })}><${Text} value=${o.name} max=${120} /></a>${!query.name && html` <a class="small" href=${format(["metrics"], { name: o.name, since: query.since })} aria-label=${"Steps of " + plainText(o.name)}>steps</a>`}</th>
    <td class="number" title=${rate(o.started_an_hour)}>${count(o.started)}</td><td class="number">${count(o.open)}</td><td class="number">${o.failed ? html`<a class="bad" href=${format(["failures"], { name: o.name, since: query.since || "1h" })}>${count(o.failed)}</a> <span class="muted">${share(o.failed, over)}</span>` : "0"}</td>
    ${["p50_ms", "p90_ms", "p99_ms", "max_ms"].map((p) => html`<td key=${p} class="number">${o.took ? span(o.took[p]) : ""}</td>`)}</tr>`;
}

function share(n, of) {
  const percent = (n / of) * 100;
  return (percent === 0 || percent >= 10 ? Math.round(percent) : percent.toPrecision(1)) + " %";
}
