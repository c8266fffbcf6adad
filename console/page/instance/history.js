// The history of an execution: events in pages, compact, full, or as JSON.
import { html, useEffect, useMemo, useRef } from "../ui.js";
import { get, path } from "../api.js";
import { Button, Copy, Empty, Facts, Id, InstanceLink, Json, Moment, Payload, Resource, Text, useRowKeys } from "../components.js";
import { clock, count, moment, span } from "../format.js";
import { format } from "../json.js";
import { instance as address } from "../location.js";
import { useResource } from "../resource.js";
import { go, setQuery } from "../router.js";
import { completions, detail, family, names } from "./event-words.js";

const size = 200; // events a page

// History. Props: id, instance, lastEvent, query: execution, from (the first
// event of the page), event (the one that is marked), view.
export function History({ id, instance, lastEvent, query }) {
  const execution = query.execution && Number(query.execution) !== instance.execution_id ? query.execution : "current";
  const event = Number(query.event) || 0;
  const from = Number(query.from) || (event ? Math.floor((event - 1) / size) * size + 1 : 1);
  const page = useResource(JSON.stringify([id, execution, instance.execution_id, from]), (signal) => get(path("instances", id, "executions", execution, "events"), { from, limit: size }, { signal }));
  const last = page.data?.last_event_id ?? 0;
  useEffect(() => {
    if (execution === "current" && lastEvent > last && last > 0) page.reload();
  }, [lastEvent]);
  const view = ["compact", "full", "json"].includes(query.view) ? query.view : "compact";
  return html`<div class="history-bar"><${Executions} id=${id} instance=${instance} query=${query} />
      <div class="segments" role="group" aria-label="Shown as">${["compact", "full", "json"].map((v) => html`<button key=${v} type="button" aria-pressed=${v === view ? "true" : "false"} onClick=${() => setQuery({ view: v === "compact" ? "" : v }, { replace: true })}>${v === "json" ? "JSON" : v}</button>`)}</div>
      <${Pages} from=${from} last=${Math.max(last, execution === "current" ? lastEvent : 0)} /></div>
    <${Resource} of=${page} rows=${10} title="The history could not be read">${(data) => (data.events.length === 0
      ? html`<${Empty} title="No events here" />` : view === "json" ? html`<${Raw} events=${data.events} />`
      : html`<${Events} key=${from + execution} id=${id} execution=${data.execution_id} events=${data.events} event=${event} full=${view === "full"} />`)}<//>`;
}

function Executions({ id, instance: i, query }) {
  const first = i.first_execution ?? 1;
  if (i.execution_id === first) return html`<span class="muted">Execution ${i.execution_id}</span>`;
  const all = Array.from({ length: Math.min(100, i.execution_id - first + 1) }, (_, n) => i.execution_id - n);
  return html`<label class="inline-field">Execution <select value=${query.execution ?? String(i.execution_id)} onChange=${(e) => go(address(id, "history", { execution: e.target.value }))}>
    ${all.map((n) => html`<option key=${n} value=${String(n)}>${n}${n === i.execution_id ? " (current)" : ""}</option>`)}</select></label>`;
}

function Pages({ from, last }) {
  if (last <= size) return html`<span class="muted num grow-right">${count(last)} events</span>`;
  const to = (f) => () => setQuery({ from: f, event: "" });
  const newest = Math.floor((last - 1) / size) * size + 1;
  return html`<span class="pages grow-right"><span class="muted num">${count(from)} to ${count(Math.min(last, from + size - 1))} of ${count(last)} events</span>
    <${Button} disabled=${from <= 1} onClick=${to(1)}>First<//><${Button} disabled=${from <= 1} icon="left" onClick=${to(Math.max(1, from - size))}>Before<//>
    <${Button} disabled=${from + size > last} icon="right" onClick=${to(from + size)}>Next<//><${Button} disabled=${from >= newest} onClick=${to(newest)}>Newest<//></span>`;
}

function Raw({ events }) {
  const text = useMemo(() => format(events), [events]);
  return html`<div class="payload-body"><${Copy} text=${text} label="events" word="copy" /><${Json} text=${text} /></div>`;
}

function Events({ id, execution, events, event, full }) {
  const list = useRef(null);
  useRowKeys(list);
  const done = useMemo(() => completions(events), [events]);
  const named = useMemo(() => names(events), [events]);
  const begin = new Date(events[0].at).getTime();
  useEffect(() => {
    if (!event) return;
    const row = list.current?.querySelector(`[data-event="${event}"]`);
    row?.scrollIntoView({ block: "center" });
  }, [event]);
  return html`<ol class="events" ref=${list}>${events.map((e, n) => html`<${Event} key=${e.event_id} id=${id} execution=${execution} e=${e} marked=${e.event_id === event} full=${full}
    completedBy=${done.get(e.event_id)} source=${named.get(e.source_event_id)} since=${n === 0 ? null : new Date(e.at).getTime() - begin} />`)}</ol>`;
}

function Event({ id, execution, e, marked, full, completedBy, source, since }) {
  const to = (event) => address(id, "history", { execution, event, view: full ? "full" : "" });
  const load = async () => (await get(path("instances", id, "executions", execution, "events", e.event_id))).payload;
  const more = detail(e);
  const payload = e.payload && html`<${Payload} payload=${e.payload} label=${e.payload_name ?? "payload"} load=${load} open=${full} />`;
  const inline = !full && e.payload && !e.payload.folded && e.payload.bytes <= 100;
  const summary = html`<span class="event-id num"><a href=${to(e.event_id)} title="Link to this event">${e.event_id}</a></span>
    <span class=${"event-kind " + family(e.kind)}>${e.kind}</span>
    <span class="event-what">${(e.name || source) && html`<strong class=${e.name ? "" : "of-source"}><${Text} value=${e.name || source} max=${200} /></strong> `}${more && html`<span class=${e.failure ? "bad" : "muted"}><${Text} value=${more} max=${300} /></span>`}
      ${e.source_event_id ? html` <a class="event-link" href=${to(e.source_event_id)}>of ${e.source_event_id}</a>` : ""}${completedBy ? html` <a class="event-link" href=${to(completedBy)}>completed by ${completedBy}</a>` : ""}${inline && html` ${payload}`}</span>
    <span class="event-at num muted" title=${moment(e.at)}>${since === null ? clock(e.at) : "+" + span(since)}</span>`;
  const body = html`<div class="event-body">${!inline && payload}
    ${e.failure?.details !== undefined && html`<${Payload} value=${e.failure.details} label="details" open=${full} />`}
    ${full && html`<${All} e=${e} />`}</div>`;
  return html`<li data-row data-event=${e.event_id} class=${marked ? "marked" : ""} aria-current=${marked ? "true" : null}><div class="event-line" tabindex="-1" data-row-link>${summary}</div>${((e.payload && !inline) || full || e.failure?.details !== undefined) && body}</li>`;
}

// All are the fields of an event that the line does not show.
function All({ e }) {
  return html`<${Facts} of=${[
    ["At", html`<${Moment} at=${e.at} />`], ["Due", e.fire_at && html`<${Moment} at=${e.fire_at} />`], ["Attempt started", e.started_at && html`<${Moment} at=${e.started_at} />`],
    ["Attempt", e.attempt], ["Request", e.request_id && html`<${Id} id=${e.request_id} label="request id" />`], ["Child", e.instance && html`<${InstanceLink} id=${e.instance} />`],
    ["Sender id", e.sender_id && html`<${Id} id=${e.sender_id} label="sender id" />`], ["Retry", e.retry && html`<${Payload} value=${e.retry} label="retry" />`],
    ["Start", e.start && html`<${Payload} value=${e.start} label="start" />`], ["When the parent ends", e.on_parent_end],
  ]} />`;
}
