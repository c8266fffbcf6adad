// The history: every event, in one of three densities, of which only those in
// sight are drawn.
import { Component, html, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../ui.js";
import { Button, Copy, Empty, Failure, IconButton, Json, Loading, Text } from "../components.js";
import { count, plural, span } from "../format.js";
import { setQuery } from "../router.js";
import { EventFacts, LoadedEvent, brief, family, nameOf } from "./event.js";

const rowHeight = 27, overscan = 12, page = 100;

// History. Props: source, model, execution (number or null), event (to be shown),
// link(execution, event) the address of an event, go(address).
export function History({ source, model, execution, event, mode: asked, link, go, exportHref }) {
  const mode = ["full", "json"].includes(asked) ? asked : "compact";
  const x = model.executions.find((e) => e.id === execution) ?? model.executions.at(-1);
  if (!x) return html`<${Empty} title="No history" />`;
  const to = (id) => link(x.id, id);
  const modes = [["compact", "compact"], ["full", "full"], ["json", "JSON"]];
  return html`<section class="history" aria-label="History">
    <div class="tl-tools">
      <span class="tl-group segments" role="group" aria-label="Density">${modes.map(([key, word]) => html`<${Button} key=${key} kind="quiet" aria-pressed=${mode === key ? "true" : "false"} onClick=${() => setQuery({ view: key === "compact" ? "" : key }, { replace: true })}>${word}<//>`)}</span>
      ${model.executions.length > 1 && html`<label class="tl-scale">Execution <select value=${x.id} onChange=${(e) => go(link(Number(e.target.value)))}>${model.executions.map((e) => html`<option key=${e.id} value=${e.id} selected=${e.id === x.id}>${e.id}</option>`)}</select></label>`}
      <${JumpTo} most=${x.events} go=${(id) => go(to(id))} />
      <span class="grow"></span><span class="muted num">${plural(x.events, "event")}, ${plural(x.turns, "turn")}</span>
      ${exportHref && html`<a class="button quiet" href=${exportHref(x.id)} download>Export</a>`}</div>
    ${mode === "compact" ? html`<${Compact} key=${source.id + x.id} source=${source} model=${model} x=${x} event=${event} to=${to} go=${go} />`
      : html`<${Paged} key=${source.id + x.id + mode} source=${source} model=${model} x=${x} event=${event} to=${to} json=${mode === "json"} />`}</section>`;
}

function JumpTo({ most, go }) {
  const [text, setText] = useState("");
  const submit = (e) => {
    e.preventDefault();
    const n = Number(text);
    if (Number.isInteger(n) && n >= 1 && n <= most) go(n);
  };
  return html`<form class="tl-jump" onSubmit=${submit}><label>Event <input inputmode="numeric" size="6" value=${text} onInput=${(e) => setText(e.target.value)} placeholder=${"1 – " + count(most)} aria-label="Go to event" /></label></form>`;
}

// completions are the events that complete others, by their source.
function useCompletions(model, x) {
  return useMemo(() => {
    const of = new Map();
    for (const r of model.rows) if (r.x === x.id && r.raw.completed_by) of.set(r.event, r.raw.completed_by);
    return of;
  }, [model, x.id]);
}

// sources of external events: the wait that took each.
function useTakers(model, x) {
  return useMemo(() => {
    const of = new Map();
    for (const r of model.rows) if (r.x === x.id && r.kind === "wait" && r.raw.completed_by) of.set(r.raw.completed_by, r.event);
    return of;
  }, [model, x.id]);
}

function useEvents(source, x, from, to) {
  const pages = source.pages(x.id), [state, set] = useState({ error: null, n: 0 });
  const last = Math.min(to, x.events), ready = pages.has(from, last);
  const again = () => set((s) => ({ error: null, n: s.n + 1 }));
  useEffect(() => {
    if (ready || last < from) return;
    let here = true;
    pages.need(from, last).then(() => here && set((s) => ({ error: null, n: s.n + 1 })), (error) => here && set((s) => ({ ...s, error })));
    return () => { here = false; };
  }, [pages, from, last, ready, state.n]);
  return { pages, ready, error: state.error, again };
}

function Compact({ source, model, x, event, to, go }) {
  const scroller = useRef(null), space = useRef(null), focus = useRef(false);
  const [top, setTop] = useState(0), [height, setHeight] = useState(500), [active, setActive] = useState(event || 1);
  const first = Math.max(1, Math.floor(top / rowHeight) + 1 - overscan), last = Math.min(x.events, first + Math.ceil(height / rowHeight) + 2 * overscan);
  const { pages, error, again } = useEvents(source, x, first, last);
  const completions = useCompletions(model, x), takers = useTakers(model, x);
  useLayoutEffect(() => {
    space.current.style.height = x.events * rowHeight + "px";
    scroller.current.style.setProperty("--tl-height", x.events * rowHeight + 2 + "px");
    setHeight(scroller.current.clientHeight);
  }, [x.events]);
  const show = (id) => {
    const el = scroller.current, y = (id - 1) * rowHeight;
    if (y < el.scrollTop || y + rowHeight > el.scrollTop + el.clientHeight) el.scrollTop = Math.max(0, y - el.clientHeight / 2);
    setTop(el.scrollTop);
  };
  useEffect(() => {
    if (!event) return;
    setActive(event);
    show(event);
  }, [event]);
  useLayoutEffect(() => {
    if (!focus.current) return;
    // What has not been read yet cannot take the focus: it does when it is there.
    const line = scroller.current?.querySelector(`[data-line="${active}"]`);
    line?.focus({ preventScroll: true });
    focus.current = !line;
  });
  const step = (n) => {
    const at = Math.min(Math.max(n, 1), x.events);
    focus.current = true;
    setActive(at);
    show(at);
  };
  const onKey = (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const size = Math.max(1, Math.floor(height / rowHeight) - 1);
    const keys = { ArrowDown: active + 1, j: active + 1, ArrowUp: active - 1, k: active - 1, PageDown: active + size, PageUp: active - size, Home: 1, End: x.events };
    if (keys[e.key] === undefined) return;
    e.preventDefault();
    e.stopPropagation();
    step(keys[e.key]);
  };
  const onScroll = () => {
    if (!scroller.current) return;
    const at = scroller.current.scrollTop;
    if (Math.abs(at - top) >= (overscan / 2) * rowHeight || (at === 0 && top !== 0)) setTop(at);
  };
  const rows = [], slots = Math.ceil(height / rowHeight) + 2 * overscan + 1;
  const links = useRef(to);
  links.current = to;
  const toEvent = useCallback((id) => links.current(id), [x.id]);
  for (let id = first; id <= last; id++) rows.push(html`<${EventLine} key=${id % slots} id=${id} event=${pages.events[id - 1]} before=${pages.events[id - 2]} completedBy=${completions.get(id)} taker=${takers.get(id)} source=${sourceOf(pages, pages.events[id - 1])} to=${toEvent} selected=${id === event} active=${id === active} />`);
  return html`<div class=${"history-split" + (event ? " with-event" : "")}><div class="history-scroll" ref=${scroller} onScroll=${onScroll} onKeyDown=${onKey}>
      ${error && html`<${Failure} error=${error} retry=${again} title="A part of the history could not be read" />`}
      <div class="tl-space events" ref=${space} role="list" aria-label="Events">${rows}</div></div>
    ${event > 0 && event <= x.events && html`<section class="card event-details" aria-label="Event"><header><span></span><${IconButton} icon="cross" label="Close" onClick=${() => go(to(0))} /></header><${LoadedEvent} source=${source} execution=${x.id} id=${event} link=${to} completedBy=${completions.get(event)} /></section>`}
    ${event > x.events && html`<${Empty} title=${`No event ${event}`}>This execution has ${plural(x.events, "event")}.<//>`}</div>`;
}

// jump is the link from an event to the other half of its operation.
function jump(arrow, words, id, to) {
  return html`<a class="event-link" tabindex="-1" href=${to(id)} title=${words + id}><span aria-hidden="true">${arrow}</span><span class="sr">${words}</span>${id}</a>`;
}

function sourceOf(pages, e) {
  return e?.source_event_id ? pages.events[e.source_event_id - 1] : undefined;
}

// EventLine is an event in a line. Like the lines of the timeline it takes the
// place of one that has gone out of sight.
class EventLine extends Component {
  shouldComponentUpdate(next) {
    for (const k in next) if (next[k] !== this.props[k]) return true;
    return false;
  }

  render({ id, event: e, before, completedBy, taker, source, to, selected, active }) {
    const place = { transform: `translateY(${(id - 1) * rowHeight}px)` };
    if (!e) return html`<div role="listitem" class="event-line" style=${place}><span class="num muted event-id">${id}</span><span class="bone w1"></span></div>`;
    const after = before ? new Date(e.at) - new Date(before.at) : 0;
    return html`<div role="listitem" data-event=${id} style=${place} class=${"event-line " + family(e.kind) + (selected ? " marked" : "")}><a class="num event-id" data-line=${id} tabindex=${active ? "0" : "-1"} href=${to(id)} aria-current=${selected ? "true" : null}><span class="sr">event </span>${id}</a>
    <span class="num muted event-after">${after > 0 ? "+" + span(after) : ""}</span><span class="event-kind">${e.kind}</span>
    <span class="event-links num">${e.source_event_id ? jump("←", "of ", e.source_event_id, to) : taker ? jump("←", "consumed by ", taker, to) : completedBy ? jump("→", "completed by ", completedBy, to) : ""}</span>
    <span class="event-name"><${Text} value=${nameOf(e) || source?.name || ""} max=${80} /></span><span class="event-brief muted"><${Text} value=${brief(e)} max=${260} /></span></div>`;
  }
}

function Paged({ source, model, x, event, to, json }) {
  const [at, setAt] = useState(event ? Math.floor((event - 1) / page) : 0);
  const first = at * page + 1, last = Math.min(x.events, first + page - 1);
  const { pages, ready, error, again } = useEvents(source, x, first, last);
  const completions = useCompletions(model, x);
  useEffect(() => { if (event) setAt(Math.floor((event - 1) / page)); }, [event]);
  const shown = useRef(null);
  useEffect(() => { if (event && ready) document.getElementById("event-" + event)?.scrollIntoView({ block: "center" }); }, [event, ready]);
  const pager = x.events > page && html`<div class="pager"><${Button} aria-disabled=${at === 0 ? "true" : null} onClick=${() => at > 0 && setAt(at - 1)}>Previous<//><${Button} aria-disabled=${last >= x.events ? "true" : null} onClick=${() => last < x.events && setAt(at + 1)}>Next<//><span class="muted num">events ${count(first)} to ${count(last)} of ${count(x.events)}</span></div>`;
  if (error) return html`<${Failure} error=${error} retry=${again} title="A part of the history could not be read" />`;
  if (!ready) return html`<${Loading} rows=${8} />`;
  const events = pages.events.slice(first - 1, last);
  return html`<div ref=${shown}>${pager}${json ? html`<div class="card"><${Copy} text=${() => JSON.stringify(events, null, 2)} label="events" word="copy" /><${Json} value=${events} /></div>`
    : events.map((e) => html`<section key=${e.event_id} id=${"event-" + e.event_id} class=${"card full-event " + family(e.kind) + (e.event_id === event ? " marked" : "")} data-event=${e.event_id}><h3><a class="num" href=${to(e.event_id)}>${e.event_id}</a> ${e.kind} ${e.name && html`<span class="muted"><${Text} value=${nameOf(e)} max=${120} /></span>`}</h3><${EventFacts} event=${e} link=${to} completedBy=${completions.get(e.event_id)} load=${async () => (await source.event(x.id, e.event_id)).payload} /></section>`)}${pager}</div>`;
}
