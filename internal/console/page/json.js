// JSON as it was written. Pure.

// A number of more than 15 digits, or with an exponent of three, may not survive
// being read as a number of JavaScript: 9007199254740993 would be shown as
// 9007199254740992, 1e400 as null.
const long = /\d[\d.]{15}|\d[eE][+-]?\d{3}/;

// parse reads JSON and keeps numbers that JavaScript can't hold as they were
// written: format writes them back. A browser without JSON.rawJSON rounds them.
export function parse(text) {
  if (typeof JSON.rawJSON !== "function" || !long.test(text)) return JSON.parse(text);
  return JSON.parse(text, (key, value, context) => {
    if (typeof value !== "number" || !long.test(context.source) || String(value) === context.source) return value;
    return JSON.rawJSON(context.source);
  });
}

// format writes a value in lines, to be read.
export function format(value) {
  return JSON.stringify(value, null, 2) ?? "";
}

// oneLine writes a value in one line of at most max characters.
export function oneLine(value, max = 200) {
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? "";
  return text.length > max ? text.slice(0, max - 1) + "…" : text;
}

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g;

// tokens cuts formatted JSON into [kind, text] pairs: "key", "string",
// "number", "word" and "" for what stands between them.
export function tokens(text) {
  const out = [];
  let from = 0;
  for (const m of text.matchAll(token)) {
    if (m.index > from) out.push(["", text.slice(from, m.index)]);
    if (m[1] !== undefined) {
      out.push([m[2] ? "key" : "string", m[1]]);
      if (m[2]) out.push(["", m[2]]);
    } else {
      out.push([/^[tfn]/.test(m[0]) ? "word" : "number", m[0]]);
    }
    from = m.index + m[0].length;
  }
  if (from < text.length) out.push(["", text.slice(from)]);
  return out;
}

// customFields are the first fields of a state that is an object, with their values in a line: [[name, text]]; null for
// one that is none, or is empty. Pure.
export function customFields(value, most = 8) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const all = Object.entries(value).filter(([, v]) => v !== null && v !== "");
  return all.length === 0 ? null : all.slice(0, most).map(([name, v]) => [name, typeof v === "string" ? v.slice(0, 121) : oneLine(v, 120)]);
}
