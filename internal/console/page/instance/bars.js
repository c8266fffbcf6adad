// The bars of the timeline, drawn as SVG. What a bar means is told by its form as
// well as by its colour: waiting is a thin line, running a full bar, what nobody
// has recorded a hollow one, a pause before the next attempt a dashed line; the end
// has the shape of its status.
import { html } from "../ui.js";

export const forms = [
  ["waiting", "waiting"], ["running", "running"], ["unknown", "waiting or running (not recorded)"], ["retrying", "waiting to retry"],
  ["late", "due"], ["stopping", "cancelled, stopping"],
];

// Bars draws one row. Props: row, x(ms) in pixels, begin (where it begins, if no
// time lies between that and its end), width, now, y (of its middle).
export function Bars({ row: r, x, begin: instant = null, width, now, y }) {
  const parts = [];
  if (instant !== null && r.spans.length > 0) {
    const to = x(r.end), doing = (r.spans.find((s) => s.doing === "running") ?? r.spans[0]).doing;
    return to < -8 || instant > width + 8 ? null : html`<g class=${"bar " + r.state}>${form(doing, Math.max(instant, -20), Math.min(to, width + 20), y, false, r.state)}${
      to <= width + 8 && html`<${End} state=${r.state} x=${Math.min(Math.max(to, 6), width - 6)} y=${y} />`}</g>`;
  }
  for (const s of r.spans) {
    const from = x(s.from), to = x(s.to ?? now);
    if (to < 0 || from > width) continue;
    parts.push(form(s.doing, Math.max(from, -20), Math.min(to, width + 20), y, s.to === null, r.state));
  }
  const at = x(r.end ?? r.at), begin = x(r.at);
  return html`<g class=${"bar " + r.state}>${parts}
    ${begin >= -2 && begin <= width + 2 && html`<path class="begin" d=${`M${begin} ${y - 5}v10`} />`}
    ${beat(r, x, width, y)}
    ${r.end !== null && at >= -8 && at <= width + 8 && html`<${End} state=${r.state} x=${Math.min(Math.max(at, 6), width - 6)} y=${y} />`}</g>`;
}

function form(doing, from, to, y, open, state) {
  const w = Math.max(to - from, 1.5);
  switch (doing) {
    case "running": return html`<rect class="run" x=${from} y=${y - 5} width=${w} height="10" rx="2" />${open && html`<path class="goes-on" d=${`M${to} ${y - 5}l5 5l-5 5z`} />`}`;
    case "unknown": return html`<rect class="unknown" x=${from + 0.5} y=${y - 3.5} width=${Math.max(w - 1, 1)} height="7" rx="2" />`;
    case "retrying": return html`<path class="retry" d=${`M${from} ${y}H${to}`} />`;
    case "late": return html`<path class="late" d=${`M${from} ${y}H${to}`} />`;
    case "stopping": return html`<path class="stop" d=${`M${from} ${y}H${to}`} />`;
  }
  return html`<path class=${"wait " + state} d=${`M${from} ${y}H${Math.max(to, from + 1.5)}`} />`;
}

function beat(r, x, width, y) {
  const at = r.raw.live?.heartbeat?.at;
  if (!at) return null;
  const px = x(Date.parse(at));
  return px < 0 || px > width ? null : html`<path class="beat" d=${`M${px - 4} ${y}l2.5 -6l3 10l2.5 -6`} />`;
}

const ends = {
  done: "M-5 0.5l3.4 3.4 6.4-7.2", failed: "M-4.2-4.2l8.4 8.4M4.2-4.2l-8.4 8.4", cancelled: "M-4.6 0a4.6 4.6 0 1 0 9.2 0a4.6 4.6 0 1 0-9.2 0M-3.2 3.2l6.4-6.4", closed: "M-3.6-3.6h7.2v7.2h-7.2z",
};

function End({ state, x, y }) {
  return html`<g class=${"end " + state} transform=${`translate(${x} ${y})`}><circle class="end-ground" r="7" /><path d=${ends[state] ?? ends.closed} /></g>`;
}
