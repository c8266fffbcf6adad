// The timeline: rows of operations over a scale of time, of which only those in
// sight are drawn.
import { Component, html, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../ui.js";
import { Button, Icon, IconButton, StatusShape, Text } from "../components.js";
import { useNow } from "../clock.js";
import { count, plural, span } from "../format.js";
import { Bars, forms } from "./bars.js";
import { Density, groupShort, groupStates, groupTitle, kinds as kindsOf } from "./groups.js";
import { kindWords, lines, stateWord } from "./model.js";
import { axis, clampView, columns, pan, scale, whole, zoom } from "./scale.js";
import { Tip } from "./tip.js";
import { TimelineTable } from "./table.js";
import { useGestures } from "./gestures.js";

const wideRow = 26, narrowRow = 42, narrow = 620, labels = 250, overscan = 8;

// Timeline. Props: model, children (instance → { model, error }), unfold(instance),
// selected (key of a row), onSelect(line), live (it may go on).
export function Timeline({ model, children, unfold, selected, onSelect, live }) {
  const [kind, setKind] = useState(!model.running && model.ticks.length >= 2 && model.to - model.from < model.ticks.length ? "turns" : "time"), [view, setView] = useState(whole);
  const [open, setOpen] = useState(() => new Set()), [hide, setHide] = useState(() => new Set());
  const [asTable, setTable] = useState(false), [tip, setTip] = useState(null), [active, setActive] = useState(0);
  const [size, setSize] = useState({ width: 0, height: 0 }), [top, setTop] = useState(0);
  const scroller = useRef(null), frame = useRef(null), focus = useRef(false);
  const clock = useNow();
  const now = live && model.running ? Math.max(clock, model.to) : Math.max(model.now, model.to);

  const all = useMemo(() => lines(model, open, children, hide), [model, open, children, hide]);
  const shownModels = useMemo(() => [...new Set([model, ...all.map((l) => l.model).filter(Boolean)])], [model, all]);
  const from = Math.min(...shownModels.map((m) => m.from));
  const to = model.running ? now : Math.max(...shownModels.map((m) => m.to));
  const s = useMemo(() => scale(kind, from, to, model), [kind, from, to, model]);

  const small = size.width < narrow;
  const rowHeight = small ? narrowRow : wideRow;
  const chart = Math.max(80, small ? size.width - 16 : size.width - labels - 12);
  const v = clampView(view, s), px = chart / (v.b - v.a);
  const x = useCallback((ms) => (s.position(ms) - v.a) * px, [s, v.a, px]);
  const measure = useCallback(() => setSize((before) => {
    const width = frame.current?.clientWidth ?? 0, height = scroller.current?.clientHeight ?? 0;
    return before.width === width && before.height === height ? before : { width, height };
  }), []);
  // Rows that unfold make the chart higher, and its lines longer in the same picture.
  useLayoutEffect(() => {
    scroller.current?.style.setProperty("--tl-height", all.length * rowHeight + 2 + "px");
    measure();
  }, [all.length, rowHeight, asTable]);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(measure);
    if (frame.current) observer.observe(frame.current);
    if (scroller.current) observer.observe(scroller.current);
    return () => observer.disconnect();
  }, [asTable]);

  const first = Math.max(0, Math.floor(top / rowHeight) - overscan);
  const slots = Math.ceil(Math.max(size.height, 200) / rowHeight) + 2 * overscan;
  const shown = all.slice(first, first + slots);

  // What is drawn moves in steps, so that most scrolling draws nothing.
  const onScroll = () => {
    if (!scroller.current) return;
    const to = scroller.current.scrollTop;
    if (Math.abs(to - top) >= (overscan / 2) * rowHeight || (to < rowHeight && top !== 0)) setTop(to);
    setTip(null);
  };

  const zoomBy = (factor, share = 0.5) => setView((w) => zoom(w, factor, share, s));
  const panBy = (by) => setView((w) => pan(w, by, s));
  const chartElement = useRef(null), left = small ? 4 : labels;
  useGestures(chartElement, { zoom: zoomBy, pan: panBy, asTable, box: () => ({ left: chartElement.current.getBoundingClientRect().left + left, width: chart }) });

  const acts = useRef({});
  acts.current.toggle = (line) => {
    if (!open.has(line.id) && line.type === "row") unfold(line.row.raw.instance);
    setOpen((before) => {
      const after = new Set(before);
      after.delete(line.id) || after.add(line.id);
      return after;
    });
  };
  acts.current.select = (line, n) => {
    setActive(n);
    onSelect(line);
  };
  // The same functions all the time, so that rows which stay need no drawing.
  const toggle = useCallback((line) => acts.current.toggle(line), []), select = useCallback((line, n) => acts.current.select(line, n), []);

  const goTo = (n) => {
    const at = Math.min(Math.max(n, 0), all.length - 1);
    setActive(at);
    focus.current = true;
    const el = scroller.current, y = at * rowHeight;
    if (y < el.scrollTop) el.scrollTop = y;
    else if (y + rowHeight > el.scrollTop + el.clientHeight) el.scrollTop = y + rowHeight - el.clientHeight;
    setTop(el.scrollTop);
  };
  useLayoutEffect(() => {
    if (!focus.current) return;
    focus.current = false;
    scroller.current?.querySelector(`[data-line="${active}"]`)?.focus({ preventScroll: true });
  });
  // A row that the address names is brought into sight once.
  const sought = useRef("");
  useEffect(() => {
    if (!selected || sought.current === selected || size.height === 0) return;
    const n = all.findIndex((l) => l.id === selected);
    if (n < 0) {
      // It stands in a group that is folded.
      const at = model.index.get(selected), r = model.rows[at], id = r?.raw.group && "g" + r.x + "." + r.raw.group;
      if (id && !open.has(id) && !hide.has(r.kind)) return setOpen((before) => new Set(before).add(id));
    }
    sought.current = selected;
    if (n >= 0) {
      setActive(n);
      scroller.current.scrollTop = Math.max(0, n * rowHeight - scroller.current.clientHeight / 2);
      setTop(scroller.current.scrollTop);
    }
  }, [selected, all, size.height]);

  const onKey = (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const line = all[active], page = Math.max(1, Math.floor(size.height / rowHeight) - 1);
    const keys = {
      ArrowDown: () => goTo(active + 1), ArrowUp: () => goTo(active - 1), j: () => goTo(active + 1), k: () => goTo(active - 1),
      PageDown: () => goTo(active + page), PageUp: () => goTo(active - page), Home: () => goTo(0), End: () => goTo(all.length - 1),
      ArrowRight: () => (line?.foldable && !line.unfolded ? toggle(line) : panBy(0.15)),
      ArrowLeft: () => (line?.unfolded ? toggle(line) : panBy(-0.15)),
      "+": () => zoomBy(0.6), "=": () => zoomBy(0.6), "-": () => zoomBy(1.6), 0: () => setView(whole),
    };
    if (!keys[e.key]) return;
    e.preventDefault();
    e.stopPropagation();
    keys[e.key]();
  };

  const lineAt = (e) => all[Math.floor((e.clientY - chartElement.current.getBoundingClientRect().top) / rowHeight)];
  const over = (e) => {
    const line = lineAt(e), at = e.clientX - chartElement.current.getBoundingClientRect().left - left;
    setTip((line?.type === "row" || line?.type === "group") && at >= 0 && e.buttons === 0 && e.pointerType === "mouse" ? { line, left: e.clientX, top: e.clientY, at: s.time(v.a + at / px) } : null);
  };
  const pick = (e) => {
    const line = lineAt(e);
    if ((line?.type === "row" || line?.type === "group") && !chartElement.current.dragged && !e.target.closest("button")) select(line, all.indexOf(line));
  };

  const kinds = useMemo(() => {
    const found = new Map();
    for (const r of model.rows) found.set(r.kind, (found.get(r.kind) ?? 0) + 1);
    return found;
  }, [model]);

  return html`<section class="tl" aria-label="Timeline">
    <div class="tl-tools" role="group" aria-label="Timeline">
      <span class="tl-group"><${IconButton} icon="minus" label="Zoom out (-)" onClick=${() => zoomBy(1.6)} /><${IconButton} icon="plus" label="Zoom in (+)" onClick=${() => zoomBy(0.6)} />
      <${Button} kind="quiet" onClick=${() => setView(whole)} aria-disabled=${v.fit ? "true" : null} title="Show everything (0)">Fit<//></span>
      <label class="tl-scale">Scale <select value=${kind} onChange=${(e) => { setKind(e.target.value); setView(whole); }}><option value="time">time</option><option value="turns">turns</option></select></label>
      <span class="tl-kinds">${[...kinds].filter(() => kinds.size > 1).map(([k, n]) => html`<label key=${k} class="check inline small"><input type="checkbox" checked=${!hide.has(k)} onChange=${() => setHide((h) => { const a = new Set(h); a.delete(k) || a.add(k); return a; })} /><span>${plural(n, kindWords[k] ?? k, kindsOf(k))}</span></label>`)}</span>
      <span class="grow"></span>
      <${Button} kind="quiet" aria-pressed=${asTable ? "true" : "false"} onClick=${() => setTable(!asTable)}>${asTable ? "Show as a chart" : "Show as a table"}<//>
    </div>
    ${asTable ? html`<${TimelineTable} lines=${all} onSelect=${onSelect} toggle=${toggle} now=${now} />` : html`
    <div class=${"tl-frame" + (small ? " narrow" : "")} ref=${frame}>
      <${Head} model=${model} s=${s} v=${v} x=${x} width=${chart} now=${now} small=${small} />
      <div class="tl-body"><svg class="tl-under" width=${chart} height=${Math.min(all.length * rowHeight, size.height)} aria-hidden="true"><${Grid} model=${model} s=${s} v=${v} x=${x} width=${chart} height=${Math.min(all.length * rowHeight, size.height)} now=${now} /></svg>
      <div class="tl-scroll" ref=${scroller} onScroll=${onScroll} data-drawn=${all.length}>
        <div class="tl-chart" role="list" aria-label="Operations" ref=${chartElement} style=${{ height: all.length * rowHeight + "px" }} onKeyDown=${onKey} onPointerMove=${over} onPointerLeave=${() => setTip(null)} onClick=${pick}>
          ${shown.map((l, i) => html`<${Line} key=${(first + i) % slots} line=${l} n=${first + i} height=${rowHeight} active=${active === first + i} selected=${l.id === selected} toggle=${toggle} select=${select} setTip=${setTip}
            s=${s} a=${v.a} px=${px} width=${chart} own=${l.model === model} small=${small} now=${l.type === "row" && l.row.end === null ? now : 0} />`)}
        </div>
      </div></div>
    </div>
    <${Legend} />`}
    ${tip && html`<${Tip} ...${tip} now=${now} />`}
  </section>`;
}

// Line is a line of the timeline, with what is drawn of it. It is drawn anew only
// if something about it has changed, and takes the place of one that has gone out
// of sight: scrolling makes no new elements.
class Line extends Component {
  shouldComponentUpdate(next) {
    for (const k in next) if (next[k] !== this.props[k]) return true;
    return false;
  }

  render({ line, n, height, active, selected, toggle, select, setTip, s, a, px, width, own, small, now }) {
    const place = { transform: `translateY(${n * height}px)` }, depth = Math.min(line.depth, 6), y = small ? 31 : height / 2;
    const x = (ms) => (s.position(ms) - a) * px;
    const fold = line.foldable ? html`<button type="button" class="tl-fold" tabindex="-1" aria-label=${line.unfolded ? "Collapse" : "Expand"} aria-expanded=${line.unfolded ? "true" : "false"} onClick=${() => toggle(line)}><${Icon} name=${line.unfolded ? "down" : "right"} size=${11} /></button>` : html`<span class="tl-fold"></span>`;
    const tell = { onFocus: (e) => { if (e.target.matches(":focus-visible")) { const b = e.target.getBoundingClientRect(); setTip({ line, left: b.right, top: b.bottom }); } }, onBlur: () => setTip(null) };
    if (line.type === "group") {
      const g = line.group;
      return html`<div role="listitem" class=${"tl-line group" + (g.states.failed ? " failed" : "") + (selected ? " selected" : "")} data-depth=${depth} style=${place}><div class="tl-label">${fold}
        <button type="button" class="tl-name" data-line=${n} tabindex=${active ? "0" : "-1"} aria-current=${selected ? "true" : null} onClick=${() => select(line, n)} ...${tell}>
        <svg class="kind-mark" width="13" height="13" viewBox="0 0 16 16" aria-hidden="true"><path d=${marks[g.kind] ?? marks.call} /></svg><span class="sr">${plural(g.rows, kindWords[g.kind], kindsOf(g.kind))}, </span><span class="tl-text"><${Text} value=${groupTitle(line)} max=${120} /></span>${g.kind !== "call" && html`<span class="tl-many num" aria-hidden="true">×${count(g.rows)}</span>
        <span class=${"tl-took num " + (g.states.failed ? "bad" : "muted")}><span class="sr">, ${groupStates(g)}</span><span aria-hidden="true">${groupShort(g)}</span></span>`}</button></div>
        <svg class="tl-lane" width=${width} height=${height} aria-hidden="true"><${Density} line=${line} timeAt=${(at) => s.time(a + at / px)} x=${x} width=${width} height=${height} /></svg></div>`;
    }
    if (line.type !== "row") {
      return html`<div role="listitem" class=${"tl-line " + line.type} data-depth=${depth} style=${place}><div class="tl-label"><span class="tl-name muted" data-line=${n} tabindex=${active ? "0" : "-1"}>${line.type === "band"
        ? html`execution ${line.execution.id} <span class="small">${plural(line.execution.turns, "turn")}</span>` : html`<${Text} value=${line.text} max=${200} />`}</span></div>
        ${line.type === "band" && html`<svg class="tl-lane" width=${width} height=${height} aria-hidden="true"><${BandLine} execution=${line.execution} x=${x} width=${width} y=${y} /></svg>`}</div>`;
    }
    // A child's rows have turns of their own: they stand by their times.
    const r = line.row, xr = own ? (ms) => (s.inRow(r, ms) - a) * px : x, begin = own && s.begin && r.at === r.end ? (s.begin(r) - a) * px : null;
    return html`<div role="listitem" class=${"tl-line row " + r.state + (selected ? " selected" : "")} data-depth=${depth} style=${place}><div class="tl-label">
      ${fold}
      <button type="button" class="tl-name" data-line=${n} tabindex=${active ? "0" : "-1"} aria-current=${selected ? "true" : null} onClick=${() => select(line, n)} ...${tell}>
        <svg class="kind-mark" width="13" height="13" viewBox="0 0 16 16" aria-hidden="true"><path d=${marks[r.kind] ?? marks.call} /></svg><span class="sr">${kindWords[r.kind]} </span><span class="tl-text"><${Text} value=${line.grouped && r.raw.member ? r.raw.member : r.label} max=${120} /></span>${r.raw.attempt > 1 && html`<span class="tl-attempt num" title="attempts"><span class="sr">, attempt </span><span aria-hidden="true">×</span>${r.raw.attempt}</span>`}<span class="tl-took num muted"><span class="sr">, </span>${r.end === null ? stateWord(r) : html`<span class="sr">${stateWord(r)} after </span>${span(r.end - r.at)}`}</span></button></div>
      <svg class="tl-lane" width=${width} height=${height} aria-hidden="true"><${Bars} row=${r} x=${xr} begin=${begin} width=${width} now=${now} y=${y} /></svg></div>`;
  }
}

function BandLine({ execution: e, x, width, y }) {
  const from = Math.max(x(e.from), 0), to = e.to === null ? width : Math.min(x(e.to), width);
  return to < 0 || from > width ? null : html`<path class="tl-bandline" d=${`M${from} ${y}H${Math.max(to, from + 1)}`} />`;
}

const marks = {
  activity: "M3 4.5h10v7H3z", inline: "M3 4.5h10v7H3zM6 8h4", timer: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 5v3.2l2.2 1.6", wait: "M4 11.5V7a4 4 0 0 1 8 0v4.5zM6.8 14h2.4",
  child: "M4 2v7h8M9.5 6.5L12 9l-2.5 2.5", detached: "M6 3H3v10h10v-3M9 2.5h4.5V7M13.5 2.5L7.5 8.5", update: "M3 5h9l-3-3M13 11H4l3 3", call: "M5 4L2 8l3 4M11 4l3 4-3 4",
};

// Head is the axis with the executions as bands and the turns as ticks.
function Head({ model, s, v, x, width, now, small }) {
  const label = (p) => (p <= 0 ? "0" : "+" + span(p));
  const ticks = useMemo(() => columns(model.ticks, (k) => !k.parked, s, v, width), [model, s, v.a, v.b, width]);
  const parked = useMemo(() => columns(model.ticks, (k) => k.parked, s, v, width), [model, s, v.a, v.b, width]);
  const several = model.executions.length > 1;
  return html`<div class="tl-head">
    ${!small && html`<div class="tl-corner small muted">${plural(model.rows.length, "operation")}</div>`}
    <svg class="tl-axis" width=${width} height="44" aria-hidden="true">
      ${model.executions.map((e, i) => {
        const from = Math.max(x(e.from), 0), to = Math.min(e.to === null ? x(now) : x(e.to), width);
        return to <= from ? null : html`<g key=${e.id}><rect class=${"tl-band b" + (e.id % 2)} x=${from} y="0" width=${to - from} height="18" />${several && to - from > 26 && html`<text class="tl-band-text" x=${from + 5} y="13">${e.id}</text>`}</g>`;
      })}
      <path class="tl-ticks" d=${ticks.map((px) => `M${Math.min(px, width - 1) + 0.5} 3v12`).join("")} />
      <path class="tl-parked" d=${parked.map((px) => `M${Math.min(Math.max(px, 1), width - 2) + 0.5} 1v16`).join("")} />
      ${axis(s, v, width, label).map((m) => html`<g key=${m.label + m.x}><path class="tl-axis-line" d=${`M${Math.min(m.x, width - 1) + 0.5} 20v5`} />${m.x < width - 20 && html`<text class="tl-axis-text" x=${m.x + 2} y="37">${m.label}</text>`}</g>`)}
    </svg></div>`;
}

function Grid({ model, s, v, x, width, height, now }) {
  const at = x(now);
  return html`<g aria-hidden="true"><path class="tl-grid" d=${axis(s, v, width, () => "").map((m) => `M${Math.min(Math.round(m.x), width - 1) + 0.5} 0v${height}`).join("")} />
    ${model.executions.slice(1).map((e) => { const px = x(e.from); return px < 0 || px > width ? null : html`<path key=${e.id} class="tl-edge" d=${`M${Math.round(px) + 0.5} 0v${height}`} />`; })}
    ${model.running && at >= 0 && at <= width && html`<path class="tl-now" d=${`M${Math.round(at) - 0.5} 0v${height}`} />`}</g>`;
}

function Legend() {
  return html`<details class="tl-legend small"><summary>Legend</summary><ul>${forms.map(([doing, text]) => html`<li key=${doing}><svg width="40" height="14" aria-hidden="true"><${Bars} row=${{ spans: [{ doing, from: 4, to: 34 }], at: 4, end: null, state: "open", raw: {} }} x=${(n) => n} width=${40} now=${34} y=${7} /></svg> ${text}</li>`)}
    ${[["completed", "done"], ["failed", "failed"], ["cancelled", "cancelled"], ["terminated", "still open when its execution ended"]].map(([shape, text]) => html`<li key=${shape} class=${"end " + { completed: "done", failed: "failed", cancelled: "cancelled", terminated: "closed" }[shape]}><${StatusShape} status=${shape} size=${11} /> ${text}</li>`)}
    <li><svg width="14" height="14" aria-hidden="true"><path class="tl-ticks" d="M7 1v12" /></svg> a turn</li><li><svg width="14" height="14" aria-hidden="true"><path class="tl-parked" d="M7 1v12" /></svg> a turn that recorded events without processing them (parked)</li></ul>
    <p class="muted">Zoom: pinch, Ctrl and wheel, + or -. Move: drag, Shift and wheel, ← or →. Rows: ↑ or ↓, Enter; → expands a child or a group of parallel operations, with failed and slowest operations first.</p></details>`;
}
