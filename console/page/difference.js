// What a nondeterminism message says, taken apart. Pure.
//
// The engine writes: nondeterminism in instance "a" execution 1 at event 2:
// history has X, the code at FILE:LINE started Y (name differs); deploy code …

// difference returns { event, have, did, place, differs } of a message; null for
// one that is written otherwise. place is file and line, where they are known;
// differs names what differs, where the engine says it.
export function difference(message) {
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
  const differs = / \(([a-z ,]+) differs?\)$/.exec(rest);
  if (differs) rest = rest.slice(0, differs.index);
  return {
    event: event ? Number(event[1]) : 0, have, did: rest.replace(/^started /, ""),
    place: place?.[1] ?? "", differs: differs?.[1] ?? "",
  };
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
