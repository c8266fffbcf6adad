// The names of orchestrations and of search attributes that this page has met, for
// suggestions: there is no list of them to be asked for.
const names = new Set(), attributes = new Map(), values = new Map();
const mostValues = 2000; // of each attribute

// meet remembers the names that instances have.
export function meet(instances) {
  for (const i of instances) {
    names.add(i.name);
    for (const [name, value] of Object.entries(i.search_attributes ?? {})) if (typeof value !== "object") {
      attributes.set(name, typeof value);
      if (!values.has(name)) values.set(name, new Set());
      if (values.get(name).size < mostValues) values.get(name).add(value);
    }
  }
}

// knownAttributes returns the names of search attributes in order, with what their values
// are, and whether a text is likely to be one of them: [[name, "string" | "number", likely]].
export function knownAttributes(text = "") {
  const email = (v) => typeof v === "string" && v.includes("@");
  return [...attributes].sort().map(([name, kind]) => [name, kind, text !== "" && (values.get(name).has(text) || email(text) && [...values.get(name)].some(email))]);
}

// knownNames returns them in order.
export function knownNames() {
  return [...names].sort();
}
