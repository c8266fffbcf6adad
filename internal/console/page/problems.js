// What is to be done about stuck and corrupt instances, and how they are
// grouped. Pure.

const known = {
  nondeterminism: "Deploy code that agrees with the history: roll back, or give the change a version of its own. The instance then goes on by itself, or at once when it is woken.",
  panic: "Fix the code where the stack says, and deploy it. The instance then goes on by itself, or at once when it is woken.",
  not_registered: "Deploy a build that has this name and version. The instance then goes on by itself, or at once when it is woken.",
  blocked: "Move the blocking call (see the stack) into an activity, or use a durable call. Deploy, then wake it.",
  deadlock: "Fix the branches that wait for each other and deploy, then wake it; or terminate it.",
  limit: "Look for a loop that schedules and never waits; wait in between, or continue as new. Deploy, then wake it.",
  killed: "Look in the orchestrator's log for memory or timeout, raise the limit or fix the code and deploy, then wake it. Messages do not make it try again.",
  corrupt: "Keep the history (export it), restore the table's items from a backup, then wake it; or give it up with a forced purge.",
};

// advice says what to do about a problem of that kind.
export function advice(kind) {
  return known[kind] ?? "See the documentation on troubleshooting.";
}

// isProblem reports whether the instance is stuck or corrupt.
export function isProblem(i) {
  return i.status === "stuck" || i.status === "corrupt";
}

// reason is a message without what differs between instances that have the same
// problem: the instance's own id, numbers, and ids of digits and letters.
export function reason(i) {
  let text = (i.problem?.message ?? "").slice(0, 600);
  if (i.instance) text = text.replaceAll(i.instance, "…");
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/gi, "…")
    .replace(/\b0x[0-9a-f]+\b/gi, "…")
    .replace(/(?<![\w.:])\d+(?![\w.])/g, "#")
    .trim();
}

// group puts instances with the same problem together: status, orchestration,
// version, kind and reason are equal. The largest group comes first; the
// instances of a group keep their order.
export function group(instances) {
  const groups = new Map();
  for (const i of instances) {
    const of = [i.status, i.name, i.version ?? "", i.problem?.kind ?? "", reason(i)];
    const key = JSON.stringify(of);
    let g = groups.get(key);
    if (!g) groups.set(key, g = { key, status: i.status, name: i.name, version: i.version ?? "", kind: i.problem?.kind ?? "unknown", reason: of[4], instances: [], since: Infinity });
    g.instances.push(i);
    g.since = Math.min(g.since, i.problem?.since_ms || Infinity);
  }
  return [...groups.values()].sort((a, b) => b.instances.length - a.instances.length || (a.key < b.key ? -1 : 1));
}
