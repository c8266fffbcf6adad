// The attempts of an activity, as far as they are kept.
import { html, useEffect, useState } from "../ui.js";
import { Chip, Copy, Failure, Loading, Moment, PausedBy, Span, Text } from "../components.js";
import { useNow } from "../clock.js";
import { failureKind, span } from "../format.js";

// tried reports whether a row may have more than one attempt, or one that tells more than
// the row does. Pure.
export function tried(raw) {
  return (raw.kind === "activity" || raw.kind === "inline") && (raw.attempt > 1 || raw.max_attempts > 1 && raw.state !== "done" || raw.first_event_id > 0);
}

const chips = { done: "completed", running: "running", failed: "failed", cancelled: "cancelled" };
const words = { done: "completed", unknown: "unknown" };

// gaps puts between attempts the numbers of those that were not kept. Pure.
export function gaps(attempts) {
  const out = [];
  let next = 1;
  for (const a of attempts) {
    if (a.attempt > next) out.push({ from: next, to: a.attempt - 1 });
    out.push(a);
    next = a.attempt + 1;
  }
  return out;
}

// Attempts reads those of a row and shows them. Props: source, row.
export function Attempts({ source, row }) {
  const [state, set] = useState({ data: null, error: null }), [n, again] = useState(0), clock = useNow(), raw = row.raw;
  // What is known changes with the row.
  const version = [row.x, row.event, raw.state, raw.attempt, raw.text, raw.live?.next?.noted_at, raw.completed_by].join(" ");
  useEffect(() => {
    let here = true;
    source.attempts(row.x, row.event).then((data) => here && set({ data, error: null }), (error) => here && set((s) => ({ ...s, error })));
    return () => { here = false; };
  }, [source, version, n]);
  const { data, error } = state, some = (field) => data.attempts.some((a) => a[field]);
  return html`<section class="attempts" aria-label="Attempts"><h3>Attempts</h3>${
    error ? html`<${Failure} error=${error} retry=${() => again(n + 1)} title="The attempts could not be read" />` : !data || data.event_id !== row.event || data.execution_id !== row.x ? html`<${Loading} rows=${2} />` : html`<div class="table-wrap" tabindex="0" role="region" aria-label="Table of attempts"><table><thead><tr><th scope="col" class="number">Attempt</th><th scope="col">State</th><th scope="col">Started</th><th scope="col" class="number">Duration</th>${some("actor") && html`<th scope="col">Requested by</th>`}${some("request_id") && html`<th scope="col">Worker</th>`}<th scope="col">Error</th></tr></thead>
      <tbody>${gaps(data.attempts).map((a) => a.from ? html`<tr key=${a.from}><td class="number">${a.from === a.to ? a.from : a.from + "–" + a.to}</td><td class="muted" colspan="6">not kept</td></tr>` : html`<${Line} key=${a.attempt} a=${a} now=${clock} actor=${some("actor")} worker=${some("request_id")} />`)}</tbody></table></div>
      ${data.paused && html`<p><strong>The queue <code><${Text} value=${data.paused.queue} /></code> is paused<${PausedBy} pause=${data.paused} />; the next attempt waits.</strong></p>`}
      <p class="muted small">${data.kept}${data.not_read ? " " + data.not_read : ""}</p>`}</section>`;
}

function Line({ a, now, actor, worker }) {
  return html`<tr data-attempt=${a.attempt}><td class="number">${a.attempt}</td><td class="nowrap"><${Chip} kind=${chips[a.state] ?? ""}>${words[a.state] ?? a.state}<//></td>
    <td>${a.started_at ? html`<${Moment} at=${a.started_at} />` : a.due_at && new Date(a.due_at) > now ? html`due <${Moment} at=${a.due_at} />` : html`<span class="muted">unknown</span>`}</td>
    <td class="number">${a.started_at && a.ended_at ? span(new Date(a.ended_at) - new Date(a.started_at)) : a.state === "running" && a.started_at ? html`<${Span} from=${a.started_at} />` : ""}</td>
    ${actor && html`<td>${a.actor && html`<${Text} value=${a.actor} max=${60} />`}</td>`}
    ${worker && html`<td>${a.request_id && html`<span class="mono"><${Text} value=${a.request_id} max=${36} /></span> <${Copy} text=${a.request_id} label=${"request of attempt " + a.attempt} />`}</td>`}
    <td>${a.failure && html`<strong>${failureKind(a.failure.kind)}</strong> <${Text} value=${a.failure.message ?? ""} max=${500} />`}</td></tr>`;
}
