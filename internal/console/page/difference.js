// Where code and history part, taken from a problem. Pure.

// difference returns { event, have, did, place, differs } of a problem as the
// API has it; null where it says nothing of it. place is file and line, where
// they are known; differs names what differs, where the engine says it. A record
// of an older build has the message alone, which says the same in a sentence.
export function difference(problem) {
  const { diff, event_id: event = 0, message = "" } = problem;
  if (diff) return { event, have: diff.have, ...did(diff.did), place: diff.at ?? "" };
  return fromMessage(message);
}

// fromMessage takes apart: nondeterminism in instance "a" execution 1 at event
// 2: history has X, the code at FILE:LINE started Y (name differs); deploy code …
export function fromMessage(message) {
  const has = outside(message, ": history has ");
  if (!message.startsWith("nondeterminism ") || has < 0) return null;
  const event = /at event (\d+)$/.exec(message.slice(0, has));
  let rest = message.slice(has + ": history has ".length);
  const code = outside(rest, ", the code ");
  if (code < 0) return null;
  const have = rest.slice(0, code);
  rest = rest.slice(code + ", the code ".length);
  const end = outside(rest, "; deploy code");
  if (end >= 0) rest = rest.slice(0, end);
  const place = /^at (\S+:\d+) /.exec(rest);
  if (place) rest = rest.slice(place[0].length);
  return { event: event ? Number(event[1]) : 0, have, ...did(rest), place: place?.[1] ?? "" };
}

// did is what the code did, and what of it differs, from "started Y (name
// differs)".
function did(text) {
  const differs = / \(([a-z ,]+) differs?\)$/.exec(text);
  if (differs) text = text.slice(0, differs.index);
  return { did: text.replace(/^started /, ""), differs: differs?.[1] ?? "" };
}

// outside finds a text outside of quoted strings; -1 if it is not there.
function outside(text, part) {
  for (let i = 0, quoted = false; i < text.length; i++) {
    if (!quoted && text.startsWith(part, i)) return i;
    if (quoted && text[i] === "\\") i++;
    else if (text[i] === '"') quoted = !quoted;
  }
  return -1;
}
