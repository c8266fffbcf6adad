// Where times stand on the timeline. Pure. A position is a number that grows with
// time: of the scale "time" the ms since the beginning, of the scale "turns" as
// many units as turns were before, so that a week of waiting is as wide as a
// millisecond.

// scale makes the positions of a timeline from one time to another. kind: "time"
// or "turns"; of "turns" the turns are those of a model.
export function scale(kind, from, to, model) {
  const turns = model.ticks;
  if (kind !== "turns" || turns.length < 2) {
    const length = Math.max(to - from, 1), position = (ms) => ms - from;
    return { kind: "time", from, to, length, position, inRow: (row, ms) => position(ms), time: (p) => from + p };
  }
  const times = turns.map((k) => k.at), goesOn = to > times.at(-1) ? 1 : 0, length = turns.length - 1 + goesOn;
  const position = (ms) => {
    const n = before(times.length, (i) => times[i] <= ms) - 1;
    if (n < 0) return 0;
    const next = times[n + 1] ?? Math.max(to, times[n] + 1);
    return Math.min(n + (ms - times[n]) / Math.max(next - times[n], 1), length);
  };
  const turnOf = (x, event) => Math.min(before(turns.length, (i) => turns[i].x < x || (turns[i].x === x && turns[i].last < event)), turns.length - 1);
  // A row stands at the turns of its events, however short the time between them.
  const inRow = (row, ms) => {
    const begin = turnOf(row.x, row.event);
    if (ms <= row.at && row.at !== row.end) return begin;
    const by = row.raw.completed_by || row.raw.cancelled_by || Infinity, end = row.end === null ? length : turnOf(row.x, by);
    if (row.end !== null && ms >= row.end) return end;
    return begin + ((end - begin) * (ms - row.at)) / Math.max((row.end ?? Math.max(to, row.at + 1)) - row.at, 1);
  };
  const time = (p) => {
    const n = Math.max(0, Math.min(Math.floor(p), times.length - 1)), next = times[n + 1] ?? to;
    return times[n] + Math.min(Math.max(p - n, 0), 1) * (next - times[n]);
  };
  return { kind: "turns", from, to, length, position, inRow, begin: (row) => turnOf(row.x, row.event), time };
}

// before is how many of n things, which come first, have a property.
function before(n, has) {
  let low = 0, high = n;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (has(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

// whole is the view of everything.
export const whole = { fit: true, a: 0, b: 1 };

// clampView keeps a view within a scale, and not narrower than it can be drawn.
export function clampView(view, s) {
  if (view.fit) return { fit: true, a: 0, b: s.length };
  const least = s.kind === "turns" ? 0.05 : 2, most = s.length;
  let width = Math.min(Math.max(view.b - view.a, least), most);
  let a = Math.min(Math.max(view.a, 0), s.length - width);
  return { fit: width >= most * 0.9999, a, b: a + width };
}

// zoom makes a view narrower (factor < 1) or wider around a share of its width.
export function zoom(view, factor, at, s) {
  const now = clampView(view, s), width = now.b - now.a, middle = now.a + width * at;
  return clampView({ a: middle - width * factor * at, b: middle + width * factor * (1 - at) }, s);
}

// pan moves a view by a share of its width.
export function pan(view, by, s) {
  const now = clampView(view, s), width = now.b - now.a;
  if (now.fit) return now;
  return clampView({ a: now.a + width * by, b: now.b + width * by }, s);
}

const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 15e3, 30e3, 60e3, 120e3, 300e3, 600e3, 900e3, 1800e3, 3600e3,
  7200e3, 10800e3, 21600e3, 43200e3, 86400e3, 172800e3, 604800e3, 1209600e3, 2592000e3, 7776000e3, 31536000e3];

// axis returns the marks of an axis of that many pixels: [{ x, label }]. Of the
// scale "time" they stand at round spans from the beginning; of "turns" at turns.
export function axis(s, view, width, label) {
  const v = clampView(view, s), out = [];
  const px = width / (v.b - v.a), most = Math.max(2, Math.floor(width / 90));
  if (s.kind === "time") {
    const span = v.b - v.a;
    const step = steps.find((n) => span / n <= most) ?? steps.at(-1) * Math.ceil(span / steps.at(-1) / most);
    for (let p = Math.ceil(v.a / step) * step; p <= v.b; p += step) out.push({ x: (p - v.a) * px, label: label(p, step) });
    return out;
  }
  const step = Math.max(1, Math.ceil((v.b - v.a) / most));
  for (let p = Math.ceil(v.a / step) * step; p <= v.b; p += step) out.push({ x: (p - v.a) * px, label: "turn " + (p + 1) });
  return out;
}

// columns merges turns into the pixel columns that they fall into, so that ten
// thousand turns are no more than there are pixels. has: which of them.
export function columns(ticks, has, s, view, width) {
  const v = clampView(view, s), px = width / (v.b - v.a), out = [];
  let last = -1;
  for (let i = 0; i < ticks.length; i++) {
    if (!has(ticks[i])) continue;
    const x = Math.round(((s.kind === "turns" ? i : s.position(ticks[i].at)) - v.a) * px);
    if (x < 0 || x > width || x === last) continue;
    out.push(last = x);
  }
  return out;
}
