// One event of a history: in a line, and in full.
import { html, useEffect, useState } from "../ui.js";
import { Copy, Facts, Failure, InstanceLink, Json, Loading, Moment, Payload, Text } from "../components.js";
import { bytes, clip, failureKind, plural, span } from "../format.js";
import { oneLine } from "../json.js";

// family is what an event's kind belongs to, for its colour and form.
export function family(kind) {
  if (/^Orchestration(Started|Completed|Failed|ContinuedAsNew|CancelRequested)$|^ParentAttached$/.test(kind)) return /Failed|Cancel/.test(kind) ? "life bad" : "life";
  if (/(Completed|Fired)$|^ExternalEvent$/.test(kind)) return "done";
  if (/Failed$|^ExternalRejected$/.test(kind)) return "bad";
  return "asked";
}

// nameOf names what an event is about. Pure.
export function nameOf(e) { return (e.name ?? "").replace(/^turnstile\.update\./, "update ").replace(/^turnstile\.answer\..*/s, "answer to update"); }

// ofUpdate says what an event says of an update; "" for any other event.
function ofUpdate(e) {
  if (!nameOf(e).startsWith("update ") || nameOf(e) === e.name || e.op === "raise_event") return "";
  return { ExternalEvent: "requested", ExternalRejected: "rejected" }[e.kind] ?? (e.op === "accept_update" ? "accepted" : "answered");
}

// brief says in a line what an event holds besides its name. Pure but for clip.
export function brief(e, most = 160) {
  const parts = [];
  if (e.label) parts.push(e.label);
  if (ofUpdate(e) || e.op) parts.push(ofUpdate(e) || e.op);
  if (e.instance) parts.push("as " + e.instance);
  if (e.inline) parts.push("inline");
  if (e.retry?.max_attempts > 1) parts.push(`up to ${e.retry.max_attempts} attempts`);
  if (e.duration_ms) parts.push(span(e.duration_ms));
  if (e.actor) parts.push("by " + e.actor);
  if (e.reason) parts.push(e.reason);
  if (e.forced) parts.push("forced termination: " + e.forced);
  if (e.attempt > 1) parts.push("attempt " + e.attempt);
  if (e.failure) parts.push(failureKind(e.failure.kind) + ": " + (e.failure.message ?? ""));
  const p = e.payload;
  if (p?.codec) parts.push(`encoded by ${p.codec}, ${bytes(p.bytes)}`);
  else if (p?.folded) parts.push(`${e.payload_name}, ${bytes(p.bytes)}`);
  else if (p?.value !== undefined) parts.push(oneLine(JSON.stringify(p.value), most));
  else if (p?.base64) parts.push(bytes(p.bytes) + " of data that is not JSON");
  return clip(parts.join("  "), most * 2);
}

// useEvent reads one event in full. It returns { event, error, again }.
export function useEvent(source, execution, id) {
  const [state, set] = useState({ key: "", event: null, error: null });
  const [n, again] = useState(0), key = `${source.id} ${execution} ${id}`;
  useEffect(() => {
    if (!id) return;
    let here = true;
    source.event(execution, id).then((event) => here && set({ key, event, error: null }), (error) => here && set({ key, event: null, error }));
    return () => { here = false; };
  }, [source, key, n]);
  return { ...(state.key === key ? state : { event: null, error: null }), again: () => again(n + 1) };
}

// EventFacts shows all of an event. Props: event, source, execution, link(event)
// the address of an event, completedBy, open (payloads not folded), load (the whole payload of a folded one).
export function EventFacts({ event: e, link, completedBy, open = false, load }) {
  const f = e.failure, s = e.start;
  return html`<div class="event-facts"><${Facts} list=${true} of=${[
    ["recorded", html`<${Moment} both at=${e.at} />`],
    [e.kind === "ExternalRejected" ? "rejects" : "completes", e.source_event_id ? html`<a href=${link(e.source_event_id)}>event ${e.source_event_id}</a>` : null],
    ["completed by", completedBy ? html`<a href=${link(completedBy)}>event ${completedBy}</a>` : null],
    ["name", e.name ? html`<${Text} value=${nameOf(e)} />` : null],
    ["label", e.label ? html`<${Text} value=${e.label} />` : null],
    ["version", e.version ? html`<${Text} value=${e.version} />` : null],
    ["instance", e.instance ? html`<${InstanceLink} id=${e.instance} />` : null],
    ["call", e.op],
    ["due", e.fire_at ? html`<${Moment} both at=${e.fire_at} />` : null],
    ["duration", e.duration_ms ? span(e.duration_ms) : null],
    ["runs", e.inline ? "inside the turn" : null],
    ["retry", e.retry ? html`<${Json} value=${e.retry} />` : null],
    ["batch", e.with_previous ? html`recorded together with <a href=${link(e.event_id - 1)}>event ${e.event_id - 1}</a>, before the code ran for that event` : null],
    ["when the parent ends", e.on_parent_end],
    ["attempt", e.attempt || null],
    ["attempt started", e.started_at ? html`<${Moment} both at=${e.started_at} /> <span class="muted">by the worker's clock; it took ${span(new Date(e.at) - new Date(e.started_at))}</span>` : null],
    ["request", e.request_id ? html`<span class="mono"><${Text} value=${e.request_id} /></span> <${Copy} text=${e.request_id} label="request id" />` : null],
    ["on behalf of", e.actor ? html`<${Text} value=${e.actor} />` : null],
    ["sender id", e.sender_id ? html`<span class="mono"><${Text} value=${e.sender_id} /></span>` : null],
    ["reason", e.reason ? html`<${Text} value=${e.reason} lines=${true} />` : null],
    ["forced termination", e.forced],
    ["start id", s?.start_id ? html`<span class="mono"><${Text} value=${s.start_id} /></span>` : null],
    ["parent", s?.parent ? html`<${InstanceLink} id=${s.parent.instance} /> event ${s.parent.event_id}` : null],
    ["continues from", s?.origin ? html`<${InstanceLink} id=${s.origin.instance} /> execution ${s.origin.execution_id} event ${s.origin.event_id}` : null],
    ["headers", s?.headers ? html`<${Json} value=${s.headers} />` : null],
    ["search attributes", s?.search_attributes ? html`<${Json} value=${s.search_attributes} />` : null],
    ["carried over", s?.sender_ids ? plural(s.sender_ids, "sender id", "sender ids") : null],
    ["failure", f ? html`<strong>${failureKind(f.kind)}</strong> <${Text} value=${f.message ?? ""} lines=${true} />${f.code && html` <code><${Text} value=${f.code} /></code>`}` : null],
    ["failed in", f?.source ? html`<${Text} value=${f.source} />${f.attempt ? `, attempt ${f.attempt}` : ""}` : null],
    ["details", f?.details !== undefined ? html`<${Payload} value=${f.details} label="details" open=${open} />` : null],
    [e.payload_name ?? "payload", e.payload ? html`<${Payload} payload=${e.payload} label=${e.payload_name} open=${open} load=${load} />` : null],
  ]} />${f?.stack && html`<details class="stack"><summary>Stack</summary><${Copy} text=${f.stack} label="stack" word="copy" /><pre dir="ltr" tabindex="0"><${Text} value=${f.stack} lines=${true} max=${40000} /></pre></details>`}</div>`;
}

// LoadedEvent reads an event and shows it. Props: source, execution, id, link,
// completedBy, title.
export function LoadedEvent({ source, execution, id, link, completedBy, title }) {
  const { event, error, again } = useEvent(source, execution, id);
  if (error) return html`<${Failure} error=${error} retry=${again} title="This event could not be read" />`;
  if (!event) return html`<${Loading} rows=${2} />`;
  return html`<h3>${title ?? html`${event.event_id} ${event.kind}`} <a class="small" href=${link(id)}>event ${id}</a></h3><${EventFacts} event=${event} link=${link} completedBy=${completedBy} open=${true} />`;
}
