// The names of orchestrations that this page has met, for suggestions: there is
// no list of them to be asked for.
const names = new Set();

// meet remembers the names of instances.
export function meet(instances) {
  for (const i of instances) names.add(i.name);
}

// knownNames returns them in order.
export function knownNames() {
  return [...names].sort();
}
