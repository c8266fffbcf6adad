// What is known of one operation of the timeline.
import { html } from "../ui.js";
import { Chip, Copy, Facts, IconButton, InstanceLink, Moment, Payload, Span, Text } from "../components.js";
import { useNow } from "../clock.js";
import { failureKind, span } from "../format.js";
import { Attempts, tried } from "./attempts.js";
import { At, awaits } from "./code.js";
import { LoadedEvent } from "./event.js";
import { useElsewhere } from "./logs.js";
import { RowActions } from "../actions/row.js";
import { actedBy, kindWords, stateWord } from "./model.js";
import { words } from "./tip.js";

// RowDetails. Props: code (where the code waits, if known), instance (the record, where its actions are offered), onDone, line, source (of its instance), link(execution, event), close.
export function RowDetails({ line, source, link, close, code, instance, onDone }) {
  const r = line.row, raw = r.raw, live = raw.live, clock = useNow();
  const now = r.end === null ? Math.max(clock, r.at) : r.end;
  const elsewhere = useElsewhere({ instance: line.model.instance, from: r.at, to: r.end, request: raw.request_id });
  const of = (event) => link(r.x, event);
  return html`<section class="card row-details" aria-label="Operation"><header><h2><${Text} value=${r.label} max=${200} /> <span class="muted">${kindWords[r.kind]}</span> <${Chip} kind=${{ done: "completed", failed: "failed", cancelled: "cancelled", open: "running" }[r.state] ?? ""}>${stateWord(r)}<//></h2><${IconButton} icon="cross" label="Close" onClick=${close} /></header>
    ${instance && html`<${RowActions} instance=${instance} row=${r.raw} onDone=${onDone} />`}
    <${Facts} of=${[
      ["scheduled", html`<${Moment} both at=${r.at} /> <a href=${of(r.event)}>event ${r.event}</a>`],
      ["ended", r.end !== null ? html`<${Moment} both at=${r.end} />` : null],
      ["duration", html`<${Span} from=${r.at} to=${r.end} />`],
      ...r.spans.filter(() => r.spans.length > 1).map((s) => [words[s.doing] ?? s.doing, html`<span class="num">${span((s.to ?? now) - s.from)}</span>${s.attempt ? html` <span class="muted">attempt ${s.attempt}</span>` : ""}`]),
      ["attempts", raw.attempt ? `${raw.attempt}${raw.max_attempts ? " of " + raw.max_attempts : ""}` : raw.max_attempts ? `up to ${raw.max_attempts}` : null],
      ["progress", r.state === "open" ? raw.text : null],
      ["queue", raw.queue ? html`<code><${Text} value=${raw.queue} /></code>` : null],
      ["code waits", r.state === "open" && awaits(code, r.event) ? html`<${At} code=${code} event=${r.event} />` : null],
      ["next attempt", live?.next && r.end === null ? html`attempt ${live.next.attempt}, due <${Moment} both at=${live.next.due_at} />` : null],
      ["last failure", live?.next && !source.attempts ? html`<strong>${failureKind(live.next.kind)}</strong> <${Text} value=${live.next.message} />` : null],
      ["last heartbeat", live?.heartbeat ? html`<${Moment} both at=${live.heartbeat.at} />, attempt ${live.heartbeat.attempt}${live.heartbeat.details && html` <${Payload} payload=${live.heartbeat.details} label="details" />`}` : null],
      ["stop requested", live?.stop ? html`<${Text} value=${live.stop_reason || "yes"} />` : null],
      ["at most once", live?.claim ? html`attempt ${live.claim.attempt} ${live.claim.until ? html`is claimed and may run until <${Moment} both at=${live.claim.until} />; it is not started again` : "has ended"}` : null],
      ["suspected crash", live?.suspect_attempt ? `attempt ${live.suspect_attempt} may have crashed its process${live.deaths ? `, as ${live.deaths} attempts did before` : ""}` : null],
      ["due", raw.due_at ? html`<${Moment} both at=${raw.due_at} />` : null],
      ["attempt started", raw.started_at ? html`<${Moment} both at=${raw.started_at} /> <span class="muted">by the worker's clock</span>` : null],
      ["request", raw.request_id ? html`<span class="mono"><${Text} value=${raw.request_id} /></span> <${Copy} text=${raw.request_id} label="request id" />` : null],
      actedBy(raw) ? [actedBy(raw)[0], html`<${Text} value=${raw.actor} max=${256} />`] : ["", null],
      ["links", source.offline ? null : elsewhere],
      ["instance", raw.instance ? html`<${InstanceLink} id=${raw.instance} />` : null],
      ["version", raw.version ? html`<${Text} value=${raw.version} />` : null],
      ["first scheduled", raw.first_event_id ? html`<a href=${of(raw.first_event_id)}>event ${raw.first_event_id}</a>, after ${raw.attempts_made} attempts` : null],
      ["cancelled", raw.cancelled_by ? html`${raw.text && html`<${Text} value=${raw.text} />, `}by the turn that ends with <a href=${of(raw.cancelled_by)}>event ${raw.cancelled_by}</a>` : null],
      ["assumed", raw.assumed ? "the history does not record which of several waits consumed this event; the page assumes the oldest" : null],
    ]} />
    ${source.attempts && tried(raw) && html`<${Attempts} source=${source} row=${r} />`}
    <div class="two-events"><div><${LoadedEvent} source=${source} execution=${r.x} id=${r.event} link=${of} completedBy=${raw.completed_by} title="Scheduled" /></div>
    ${raw.completed_by && html`<div><${LoadedEvent} source=${source} execution=${r.x} id=${raw.completed_by} link=${of} title="Outcome" /></div>`}</div></section>`;
}
