// Where the page stands, as the text behind # in its address. Pure.
//
//	#/instances?status=stuck&name=Fulfil      a view and its query
//	#/instances/order%2F17/history?event=12   an instance, a tab of it

// parse reads the text behind # into the segments of its path, decoded, and
// its query as an object of texts. What can't be decoded stays as it is.
export function parse(hash) {
  const text = hash.replace(/^#/, "");
  const cut = text.indexOf("?");
  const path = cut < 0 ? text : text.slice(0, cut);
  const query = {};
  if (cut >= 0) for (const [k, v] of new URLSearchParams(text.slice(cut + 1))) query[k] = v;
  return { segments: path.split("/").filter((s) => s !== "").map(decode), query };
}

function decode(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

// format writes an address: the inverse of parse. Fields of the query that are
// empty, null or undefined are left out.
export function format(segments, query = {}) {
  const q = new URLSearchParams();
  for (const [k, v] of Object.entries(query)) if (v !== undefined && v !== null && v !== "") q.set(k, String(v));
  const text = q.toString();
  return "#/" + segments.map(encode).join("/") + (text ? "?" + text : "");
}

// An unpaired surrogate can't be written in an address; it is replaced.
function encode(segment) {
  return encodeURIComponent(String(segment).toWellFormed());
}

// instance is the address of an instance, or of a place in it: instance("a",
// "history", { event: 3 }).
export function instance(id, ...rest) {
  const query = typeof rest.at(-1) === "object" ? rest.pop() : {};
  return format(["instances", id, ...rest], query);
}
