// The query of a list of instances: as it stands in the page's address, as the
// API takes it, and as words. Pure, but for the time zone.
import { setting } from "./settings.js";

export const spans = { "15m": "the last 15 minutes", "1h": "the last hour", "24h": "the last 24 hours", yesterday: "yesterday", "7d": "the last 7 days", "30d": "the last 30 days" };
const unit = { m: 60_000, h: 3_600_000, d: 86_400_000 };

// pageSize is how many instances a page has.
export const pageSize = 50;

// apiQuery makes the API's query of the address's: status, name, prefix, where, words, version, parent, schedule, queue, since
// (a key of spans) or from and to (RFC 3339), ended or ended_from and ended_to alike, page (a token). now is in ms.
export function apiQuery(query, now) {
  const { status, name, prefix, where, words, version, parent, schedule, queue, since, ended, page } = query;
  const [from, to] = times(since, query.from, query.to, now), [ended_from, ended_to] = times(ended, query.ended_from, query.ended_to, now);
  return { status, name, prefix, where, words, version, parent, schedule, queue, from, to, ended_from, ended_to, page_size: pageSize, page_token: page };
}

// asOf is the now with which a query is asked that has a span, so that the span moves on: it changes each
// sixtieth of the span, and is the same for the rows and their counts meanwhile. 0 without a span. Pure, but for the time zone.
export function asOf(query, now) {
  const steps = [query.since, query.ended].map((s) => /^(\d+)([mhd])$/.exec(s ?? "")).filter(Boolean).map((m) => (m[1] * unit[m[2]]) / 60);
  if (steps.length > 0) return Math.floor(now / Math.min(...steps)) * Math.min(...steps);
  return query.since === "yesterday" || query.ended === "yesterday" ? Date.parse(midnight(now, 0)) : 0;
}

// times are those between which a span lies, or the two that are given.
function times(span, from, to, now) {
  const m = /^(\d+)([mhd])$/.exec(span ?? "");
  if (m) from = new Date(now - m[1] * unit[m[2]]).toISOString();
  return span === "yesterday" ? [midnight(now, 1), midnight(now, 0)] : [from, to];
}

// midnight is when a day of the reader began, so many days ago.
function midnight(now, ago) {
  const d = new Date(now);
  return (setting("utc") === "yes" ? new Date(Date.UTC(d.getUTCFullYear(), d.getUTCMonth(), d.getUTCDate() - ago)) : new Date(d.getFullYear(), d.getMonth(), d.getDate() - ago)).toISOString();
}

// begun says a span behind a verb: "started yesterday", "failed in the last hour".
export function begun(verb, since) {
  return verb + (since === "yesterday" ? " yesterday" : " in " + (spans[since] ?? "the last " + since));
}

// narrowing are the fields of the address that narrow the list, the status apart, with their words.
const narrowing = {
  name: (v) => "orchestration " + v,
  prefix: (v) => "ids with prefix " + v,
  where: (v) => v,
  words: (v) => "with the words " + v,
  version: (v) => "version " + v,
  parent: (v) => "children of " + v,
  schedule: (v) => "started by schedule " + v,
  queue: (v) => "with an attempt in queue " + v,
  since: (v) => begun("started", v),
  from: (v) => `started at ${v} or later`,
  to: (v) => "started before " + v,
  ended: (v) => begun("ended", v),
  ended_from: (v) => `ended at ${v} or later`,
  ended_to: (v) => "ended before " + v,
};

// fields are those of the address on which it depends which instances the list has.
export const fields = ["status", ...Object.keys(narrowing)];

// counted are those by which instances can be counted, besides the status.
export const counted = ["name", "prefix", "where", "since", "from", "to"];

// selects is the key of which instances a query selects: it changes with each of its fields.
export function selects(query) { return JSON.stringify(fields.map((key) => query[key] ?? "")); }

// scans reports whether no index finds what the query asks for.
export function scans(q) { return ["words", "version", "parent", "ended", "ended_from", "ended_to"].some((key) => q[key]); }

// countable reports whether all that the query asks for can be counted.
export function countable(q) { return fields.every((key) => !q[key] || key === "status" || counted.includes(key)); }

// filters names what narrows the list, the status apart: [[field, words]].
export function filters(query) { return Object.entries(narrowing).filter(([key]) => query[key]).map(([key, words]) => [key, words(query[key])]); }

// condition writes a condition on a search attribute: text in quotes, as the API
// reads it.
export function condition(name, value) {
  return `${name} = ${typeof value === "number" ? value : JSON.stringify(String(value))}`;
}

// and joins conditions; one that stands there already is not repeated.
export function and(where, more) {
  if (!where) return more;
  return where.split(" and ").includes(more) ? where : where + " and " + more;
}

// suggestions says what a text in the search field may mean, the likeliest
// first: { kind: "where" | "instance" | "prefix" | "name" | "words", text }. names are those of
// orchestrations that are known, ids those of instances, attributes those that are known.
export function suggestions(text, names, ids = [], attributes = []) {
  text = text.trim();
  if (text === "") return names.map((name) => ({ kind: "name", text: name }));
  const where = /^[\p{L}_][\p{L}\p{N}_.-]*\s*(=|<=?|>=?|\^=)/u.test(text);
  const like = names.filter((n) => n !== text && n.toLowerCase().includes(text.toLowerCase())).map((name) => ({ kind: "name", text: name }));
  const begin = ids.filter((id) => id !== text && id.startsWith(text)).map((id) => ({ kind: "instance", text: id }));
  const values = attributes.filter(([, kind]) => kind === "string" || !Number.isNaN(Number(text))).map(([name, kind]) => ({ kind: "where", text: condition(name, kind === "number" ? Number(text) : text) }));
  // What is a value of an attribute is hardly an id, unless an instance has it.
  const likely = attributes.filter(([, , likely]) => likely && !ids.includes(text)).map(([name, kind]) => ({ kind: "where", text: condition(name, kind === "number" ? Number(text) : text) }));
  const out = [...likely, { kind: "instance", text }, ...like];
  if (/^[\p{L}\p{N}_.\-/]+$/u.test(text)) out.push({ kind: "name", text });
  // What comes later, while one types, stands below what one may have chosen.
  out.push(...(where ? [] : [{ kind: "prefix", text }, { kind: "words", text }, ...values.filter((v) => !likely.some((l) => l.text === v.text)).slice(0, 5)]), ...begin);
  return where ? [{ kind: "where", text }, ...out] : out;
}

// merge puts a live message of a list into its rows: changed rows replace those
// of the same id, order says which stand there. Rows that it does not know are
// left out.
export function merge(rows, message) {
  const known = new Map(rows.map((r) => [r.instance, r]));
  for (const r of message.changed ?? []) known.set(r.instance, r);
  return message.order.map((id) => known.get(id)).filter(Boolean);
}

// trees puts the rows of a page under their parents, in the order of the rows: { heads: [{ row, under: [{ row, depth }] }],
// others: [{ row, depth }] }. others are the children whose parents are not on the page, each with what is under it. Pure.
export function trees(rows) {
  const there = new Set(rows.map((r) => r.instance)), kids = new Map(), heads = [], others = [];
  for (const r of rows) if (r.parent) kids.set(r.parent.instance, [...(kids.get(r.parent.instance) ?? []), r]);
  const below = (id, depth, out) => kids.get(id)?.forEach((r) => { out.push({ row: r, depth }); below(r.instance, depth + 1, out); });
  for (const row of rows) {
    if (row.parent && there.has(row.parent.instance)) continue;
    const under = [];
    below(row.instance, 1, under);
    if (row.parent) others.push({ row, depth: 0 }, ...under);
    else heads.push({ row, under });
  }
  return { heads, others };
}

// columns of the list that can be hidden: [key, head].
export const columns = [["name", "Orchestration"], ["text", "State, problem"], ["attributes", "Search attributes"], ["started", "Started"], ["took", "Duration"]];

// hidden are the keys of the columns that the address hides.
export function hidden(query) { return new Set((query.hide ?? "").split(",")); }

// took is how long an instance ran, in ms; one that still runs took longest.
const took = (i) => (i.ended_at ? Date.parse(i.ended_at) - Date.parse(i.created_at) : Infinity);

// orders are by what the rows of a page can be sorted: { key: [words, value, words of up, of down] }.
export const orders = {
  instance: ["id", (i) => i.instance, "A to Z", "Z to A"], status: ["status", (i) => i.status, "A to Z", "Z to A"], name: ["orchestration", (i) => i.name, "A to Z", "Z to A"],
  started: ["start", (i) => Date.parse(i.created_at), "oldest first", "newest first"], ended: ["end", (i) => (i.ended_at ? Date.parse(i.ended_at) : Infinity), "oldest first", "newest first"], took: ["duration", took, "shortest first", "longest first"],
};

// sorted puts the rows of a page in an order of orders, the greatest first with a - before its
// key. Rows alike, and all without an order, stay newest first.
export function sorted(rows, order) {
  const by = orders[(order ?? "").replace(/^-/, "")]?.[1];
  if (!by) return rows;
  const sign = order.startsWith("-") ? -1 : 1;
  return rows.toSorted((a, b) => { const x = by(a), y = by(b); return x < y ? -sign : x > y ? sign : 0; });
}
