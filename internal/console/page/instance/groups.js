// Groups of rows that are looked at as one: fan-outs, and calls that took no time.
// What a group is, the API says; here its members are put in order and drawn.
import { html, useMemo } from "../ui.js";
import { Button, Facts, IconButton, Moment, Text } from "../components.js";
import { count, failureKind, plural, span } from "../format.js";
import { kindWords, opWord, stateWord, tookOf } from "./model.js";

// groupTitle names a group. Pure.
export function groupTitle(line) {
  if (line.group.kind !== "call") return [line.group.label, line.group.name || kindWords[line.group.kind]].filter(Boolean).join(", ");
  const of = new Map();
  for (const r of line.members) of.set(opWord(r.raw.op), (of.get(opWord(r.raw.op)) ?? 0) + 1);
  return [...of].map(([word, n]) => (n > 1 ? word + " ×" + n : word)).join(", ");
}

// groupShort says in a few signs how a group stands: what failed before what is open
// before how long they took.
export function groupShort(g) {
  if (g.states.failed) return count(g.states.failed) + " failed";
  const over = g.rows - (g.states.open ?? 0);
  if (g.states.open) return `${count(over)} of ${count(g.rows)}`;
  return g.took ? (span(g.took.min_ms) === span(g.took.max_ms) ? span(g.took.max_ms) : `${span(g.took.min_ms)} – ${span(g.took.max_ms)}`) : "";
}

const states = ["failed", "open", "cancelled", "closed", "done"];

// groupStates says how many are in which state.
export function groupStates(g) {
  const word = { closed: "still open at the end" };
  return states.filter((s) => g.states[s]).map((s) => `${count(g.states[s])} ${word[s] ?? s}`).join(", ");
}

const spreadText = (s) => `${span(s.min_ms)} to ${span(s.max_ms)}; median ${span(s.median_ms)}, p90 ${span(s.p90_ms)}`;

// Density draws how many of a group were under way at each moment, as an area, and the
// moments at which some failed. Props: line, timeAt(pixel), x(ms), width, height.
export function Density({ line, timeAt, x, width, height }) {
  const { starts, ends, failed, most } = useMemo(() => density(line.members), [line.members]);
  const middle = Math.floor(height / 2) + (height > 30 ? 10 : 0), tall = 9, step = 2;
  if (line.group.kind === "call") {
    const at = [...new Set(line.members.map((r) => Math.round(x(r.at))))].filter((px) => px >= 0 && px <= width);
    return html`<path class="group-calls" d=${at.map((px) => `M${Math.min(px, width - 1) + 0.5} ${middle - 4}v8`).join("")} />`;
  }
  const from = Math.max(0, Math.floor(x(starts[0]))), to = Math.min(width, Math.ceil(ends.length === starts.length ? x(ends.at(-1)) : width));
  if (to < 0 || from > width) return null;
  let path = `M${from} ${middle + tall}`;
  for (let px = from; px <= Math.max(to, from + 2); px += step) {
    // Of what happened within this column, the most: whatever began before its end and had not ended at its beginning.
    const n = upTo(starts, timeAt(px + step)) - upTo(ends, timeAt(px) - 1);
    const h = n <= 0 ? 0 : Math.max(1.5, (n / most) * 2 * tall);
    path += `V${(middle + tall - h).toFixed(1)}H${px + step}`;
  }
  const bad = [...new Set(failed.map((ms) => Math.round(x(ms))))].filter((px) => px >= 0 && px <= width);
  return html`<path class="group-density" d=${path + `V${middle + tall}z`} /><path class="group-failed" d=${bad.map((px) => `M${Math.min(Math.max(px, 4), width - 4) - 3} ${middle - 3}l6 6m0 -6l-6 6`).join("")} />`;
}

function density(rows) {
  const starts = Float64Array.from(rows, (r) => r.at).sort(), ends = Float64Array.from(rows.filter((r) => r.end !== null), (r) => r.end).sort();
  let most = 1;
  for (let i = 0, j = 0; i < starts.length; i++) {
    while (j < ends.length && ends[j] <= starts[i]) j++;
    most = Math.max(most, i + 1 - j);
  }
  return { starts, ends, most, failed: rows.filter((r) => r.state === "failed").map((r) => r.end ?? r.at) };
}

// upTo is how many of ordered times are not after a time.
function upTo(times, ms) {
  let low = 0, high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

// GroupTip is what the pointer is told of a group.
export function GroupTip({ line }) {
  const g = line.group;
  return html`<p><strong><${Text} value=${groupTitle(line)} max=${80} /></strong> <span class="muted">${plural(g.rows, kindWords[g.kind], kinds(g.kind))}</span></p>
    ${g.kind !== "call" && html`<p>${groupStates(g)}</p>`}${g.took && html`<p class="muted">duration ${spreadText(g.took)}</p>`}`;
}

// kinds is a kind of rows in the plural.
export function kinds(kind) {
  const word = kindWords[kind] ?? kind;
  return word.replace(/y$/, "ie").replace(/(child)$/, "$1ren").replace(/([^n])$/, "$1s");
}

// GroupDetails is all that is known of a group. Props: line, toggle, select(row), close.
export function GroupDetails({ line, unfolded, toggle, select, close }) {
  const g = line.group, first = line.members.slice(0, 10);
  return html`<section class="card row-details group-details" aria-label="Group"><header><h2><${Text} value=${groupTitle(line)} max=${200} /> <span class="muted num">${plural(g.rows, kindWords[g.kind], kinds(g.kind))}</span></h2>
      ${toggle && html`<${Button} kind="quiet" aria-expanded=${unfolded ? "true" : "false"} onClick=${toggle}>${unfolded ? "Collapse" : "Show all " + count(g.rows)}<//>`}<${IconButton} icon="cross" label="Close" onClick=${close} /></header>
    <${Facts} of=${[
      ["states", g.kind === "call" ? null : groupStates(g)],
      ["first scheduled", html`<${Moment} at=${g.from} />`],
      ["all ended", g.to && g.kind !== "call" ? html`<${Moment} at=${g.to} /> <span class="muted num">after ${span(new Date(g.to) - new Date(g.from))}</span>` : null],
      ["duration", g.took ? html`<span class="num">${spreadText(g.took)}</span>` : null],
      ["run time of the last attempt", g.ran ? html`<span class="num">${spreadText(g.ran)}</span>` : null],
      ["labelled by", g.by ? html`<code><${Text} value=${g.by} /></code> in the input` : null],
    ]} />
    ${g.kind !== "call" && html`<${Durations} rows=${line.members} ran=${!!g.ran} />
    <h3>${g.states.failed ? "Failed and slowest" : "Slowest"}</h3>
    <ul class="group-first">${first.map((r) => html`<li key=${r.key}><button type="button" class="link" onClick=${() => select(r)}><${Text} value=${r.raw.member || "event " + r.event} max=${80} /></button> <span class=${r.state === "failed" ? "bad" : "muted"}>${stateWord(r)}</span> <span class="num muted">${r.end === null ? "" : span(tookOf(r))}${r.raw.attempt > 1 ? `, attempt ${r.raw.attempt}` : ""}</span>
      ${r.raw.failure && html`<span class="bad"><${Text} value=${r.raw.failure.message ?? failureKind(r.raw.failure.kind)} max=${160} /></span>`}</li>`)}</ul>`}</section>`;
}

// Durations draws how many took how long.
function Durations({ rows, ran }) {
  const bars = useMemo(() => histogram(rows.filter((r) => r.end !== null).map((r) => tookOf(r))), [rows]);
  if (bars.length < 2) return null;
  const most = Math.max(...bars.map((b) => b.n)), width = 16, height = 44;
  return html`<figure class="durations"><svg width=${bars.length * width} height=${height + 2} role="img" aria-label=${`Number of operations by ${ran ? "run time" : "duration"}: ` + bars.map((b) => `${span(b.from)} to ${span(b.to)}: ${b.n}`).join("; ")}>${
    bars.map((b, i) => html`<rect key=${i} x=${i * width} y=${height - (b.n / most) * (height - 2) - (b.n ? 1 : 0)} width=${width - 2} height=${(b.n / most) * (height - 2) + 1}><title>${`${span(b.from)} to ${span(b.to)}: ${b.n}`}</title></rect>`)}</svg>
    <figcaption class="muted small num"><span>${span(bars[0].from)}</span><span>${span(bars.at(-1).to)}</span></figcaption></figure>`;
}

// histogram counts durations in at most 24 bars of one width. Pure.
export function histogram(all) {
  if (all.length < 2) return [];
  let low = Infinity, high = -Infinity;
  for (const ms of all) {
    low = Math.min(low, ms);
    high = Math.max(high, ms);
  }
  if (high - low < 2) return [];
  const n = Math.min(24, high - low), width = (high - low) / n, bars = Array.from({ length: n }, (_, i) => ({ from: low + i * width, to: low + (i + 1) * width, n: 0 }));
  for (const ms of all) bars[Math.min(n - 1, Math.floor((ms - low) / width))].n++;
  return bars;
}
