// The timeline as the page keeps it: what GET instances/{id}/timeline says, with
// times in ms, and what changes put over it. Pure.

import { span } from "../format.js";

// read makes a model of an answer.
export function read(answer) {
  const m = { instance: answer.instance, executions: [], rows: [], ticks: [], marks: [], groups: new Map(), earlier: 0, last: "", now: 0, bill: null, index: new Map() };
  return merge(m, answer);
}

// merge returns a model with an answer put over it, which may hold only what has
// changed since an event. The model before stays as it is.
export function merge(before, answer) {
  const m = { ...before, last: answer.last, now: ms(answer.now), bill: answer.bill ?? before.bill, earlier: answer.earlier ?? 0, first: answer.first_execution };
  m.executions = answer.executions.map((x) => ({ ...x, id: x.execution_id, from: ms(x.from), to: ms(x.to) }));
  const shown = new Set(m.executions.map((x) => x.id));
  const whole = !answer.since;
  m.rows = whole ? [] : before.rows.filter((r) => shown.has(r.x));
  m.index = new Map(m.rows.map((r, i) => [r.key, i]));
  for (const raw of answer.rows) {
    const r = row(raw), at = m.index.get(r.key);
    if (at === undefined) {
      m.index.set(r.key, m.rows.length);
      m.rows.push(r);
    } else m.rows[at] = r;
  }
  const ticks = answer.ticks.map((k) => ({ x: k.execution_id, at: ms(k.at), first: k.first, last: k.last, arrival: k.arrival ?? "", parked: k.parked === true }));
  m.ticks = whole ? ticks : before.ticks.filter((k) => shown.has(k.x)).concat(ticks);
  // An arrival that was parked and answered by a later turn waits no more.
  m.ticks = m.ticks.map((k, n) => (k.parked && n < m.ticks.length - 1 ? { ...k, parked: false } : k));
  m.marks = answer.marks.map((k) => ({ x: k.execution_id, event: k.event_id, kind: k.kind, at: ms(k.at), name: k.name ?? "", rejectedBy: k.rejected_by ?? 0, reason: k.reason ?? "" }));
  m.groups = new Map((answer.groups ?? []).map((g) => [g.execution_id + "." + g.event_id, g]));
  m.from = Infinity;
  m.to = 0;
  for (const x of m.executions) {
    m.from = Math.min(m.from, x.from);
    m.to = Math.max(m.to, x.to ?? 0);
  }
  for (const k of m.ticks) {
    m.from = Math.min(m.from, k.at);
    m.to = Math.max(m.to, k.at);
  }
  for (const r of m.rows) m.to = Math.max(m.to, r.end ?? r.at);
  if (!Number.isFinite(m.from)) m.from = m.to = m.now;
  m.turns = m.executions.reduce((n, x) => n + x.turns, 0);
  m.events = m.executions.reduce((n, x) => n + x.events, 0);
  m.running = m.executions.length > 0 && m.executions.at(-1).to === null;
  return m;
}

function ms(text) {
  return text ? Date.parse(text) : null;
}

function row(raw) {
  const at = ms(raw.scheduled_at);
  let from = at;
  const spans = (raw.spans ?? []).map((s) => {
    const span = { doing: s.doing, from, to: ms(s.to), attempt: s.attempt ?? 0 };
    from = span.to ?? from;
    return span;
  });
  return { key: raw.execution_id + "." + raw.event_id, x: raw.execution_id, event: raw.event_id, kind: raw.kind, state: raw.state, at, end: ms(raw.ended_at), spans, raw, label: label(raw) };
}

const ops = { now: "the time", guid: "a UUID", side_effect: "side effect", trace: "annotation", raise_event: "raise", cancel_instance: "cancel", patch: "patch" };

// kinds of rows in words.
export const kindWords = { activity: "activity", inline: "inline activity", timer: "timer", wait: "event", child: "child", detached: "detached start", update: "update", call: "call" };

// opWord is what a call asks for.
export const opWord = (op) => ops[op] ?? op;

// label is what the code calls it, and what it is.
function label(raw) {
  return raw.label ? raw.label + ", " + named(raw) : named(raw);
}

function named(raw) {
  if (raw.kind === "call") return [opWord(raw.op), raw.name].filter(Boolean).join(" ");
  if (raw.kind === "timer") return raw.due_at ? "timer " + span(ms(raw.due_at) - ms(raw.scheduled_at)) : "timer";
  return raw.name || kindWords[raw.kind] || raw.kind;
}

// actedBy says who had an operation end as it did: [words, actor]; null where nobody is
// known. Pure.
export function actedBy(raw) {
  if (!raw.actor) return null;
  if (raw.kind === "timer") return ["fired early by", raw.actor];
  if (raw.kind === "wait") return ["raised by", raw.actor];
  if (raw.kind === "update") return ["sent by", raw.actor];
  return [raw.started_at ? "retried by" : "completed by", raw.actor];
}

// stateWords says in words how a row stands.
export function stateWord(r) {
  if (r.state !== "open") return { done: "done", failed: "failed", cancelled: r.end === null ? "cancelled, stopping" : "cancelled", closed: "still open at the end" }[r.state] ?? r.state;
  const doing = r.spans.at(-1)?.doing;
  return { waiting: "waiting", running: "running", unknown: "in progress", retrying: "waiting to retry", late: "due", stopping: "stopping" }[doing] ?? "open";
}

// membersOf returns, of each group of a model by its key, its rows: those that failed
// first, then those that go on, the longest first. Pure.
const known = new WeakMap();
export function membersOf(model) {
  if (known.has(model)) return known.get(model);
  const of = new Map(), weight = { failed: 0, open: 1 };
  for (const r of model.rows) {
    if (!r.raw.group) continue;
    const key = r.x + "." + r.raw.group;
    if (!of.has(key)) of.set(key, []);
    of.get(key).push(r);
  }
  for (const [key, rows] of of) {
    if (!model.groups.get(key)) of.delete(key);
    else if (rows[0].kind !== "call") rows.sort((a, b) => (weight[a.state] ?? 2) - (weight[b.state] ?? 2) || tookOf(b, model.now) - tookOf(a, model.now) || a.event - b.event);
  }
  known.set(model, of);
  return of;
}

// tookOf is how long the last attempt of a row ran, where that is known, else how long the
// row took. Of thousands that wait for a worker the last one would be the slowest.
export function tookOf(r, now) {
  if (r.end === null) return now - r.at;
  const ran = r.spans.findLast((s) => s.doing === "running");
  return ran ? ran.to - ran.from : r.end - r.at;
}

// lines are what is drawn below each other: rows, bands where there are several
// executions, and below a child that is unfolded its own. folded: model → set of
// the keys that are open; children: instance → { model, error, loading }.
// hide: set of kinds that are left out.
export function lines(model, open, children, hide, depth = 0, path = "", above = new Set([model.instance])) {
  const out = [];
  const several = model.executions.length > 1, groups = membersOf(model), met = new Set();
  let current = null;
  const add = (r, deep, grouped) => {
    const id = path + r.key, foldable = (r.kind === "child" || r.kind === "detached") && !!r.raw.instance;
    const unfolded = foldable && open.has(id);
    out.push({ type: "row", id, depth: deep, row: r, model, foldable, unfolded, grouped });
    if (!unfolded) return;
    const child = children.get(r.raw.instance);
    if (above.has(r.raw.instance)) out.push({ type: "note", id: id + "/again", depth: deep + 1, text: "shown above" });
    else if (child?.model) for (const l of lines(child.model, open, children, hide, deep + 1, id + "/", new Set([...above, r.raw.instance]))) out.push(l);
    else out.push({ type: "note", id: id + "/note", depth: deep + 1, text: child?.error ? child.error.message : "reading…" });
  };
  for (const r of model.rows) {
    if (several && r.x !== current) {
      current = r.x;
      out.push({ type: "band", id: path + "band" + r.x, depth, execution: model.executions.find((x) => x.id === r.x), model });
    }
    if (hide.has(r.kind)) continue;
    const key = r.x + "." + r.raw.group, members = groups.get(key);
    if (!members) {
      add(r, depth, false);
      continue;
    }
    if (met.has(key)) continue;
    met.add(key);
    const id = path + "g" + key, unfolded = open.has(id);
    out.push({ type: "group", id, depth, group: model.groups.get(key), members, model, foldable: true, unfolded });
    if (unfolded) for (const member of members) add(member, depth + 1, true);
  }
  return out;
}
