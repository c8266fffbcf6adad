// The names of orchestrations and of search attributes that this page has met, for
// suggestions: there is no list of them to be asked for.
const names = new Set(), attributes = new Map();

// meet remembers the names that instances have.
export function meet(instances) {
  for (const i of instances) {
    names.add(i.name);
    for (const [name, value] of Object.entries(i.search_attributes ?? {})) if (typeof value !== "object") attributes.set(name, typeof value);
  }
}

// knownAttributes returns the names of search attributes in order, with what their values
// are: [[name, "string" | "number"]].
export function knownAttributes() {
  return [...attributes].sort();
}

// knownNames returns them in order.
export function knownNames() {
  return [...names].sort();
}
