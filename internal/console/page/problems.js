// What is to be done about stuck and corrupt instances, and how they are
// grouped. Pure.

const known = {
  nondeterminism: "Deploy code that agrees with the history: roll back, or put the change behind a new version. The instance then continues automatically, or immediately when you wake it.",
  panic: "Fix the code that the stack points to, and deploy it. The instance then continues automatically, or immediately when you wake it.",
  not_registered: "Deploy a build that has this name and version. The instance then continues automatically, or immediately when you wake it.",
  blocked: "Move the blocking call (see the stack) into an activity, or use a durable call. Deploy, then wake the instance.",
  deadlock: "Fix the branches that wait for each other. Deploy, then wake the instance; or terminate it.",
  limit: "Look for a loop that schedules operations and never waits. Wait inside it, or continue as new. Deploy, then wake the instance.",
  killed: "Check the orchestrator's log for an out-of-memory error or a timeout. Raise the limit or fix the code, and deploy. Then wake the instance: new messages do not make it retry.",
  corrupt: "Export the history to keep it. Restore the table's items from a backup, then wake the instance; or discard it with a forced purge.",
};

// advice says what to do about a problem of that kind.
export function advice(kind) {
  return known[kind] ?? "See the documentation on troubleshooting.";
}

// isProblem reports whether the instance is stuck or corrupt.
export function isProblem(i) {
  return i.status === "stuck" || i.status === "corrupt";
}

// group puts instances with the same problem together: those of an orchestration and a status whose
// cause has the same key. The largest group comes first; the instances of a group keep their order.
export function group(instances) {
  const groups = new Map();
  for (const i of instances) {
    const key = JSON.stringify([i.status, i.name, i.cause_key ?? ""]);
    let g = groups.get(key);
    if (!g) groups.set(key, g = { key, status: i.status, name: i.name, versions: [], kind: i.problem?.kind ?? "unknown", instances: [], since: Infinity });
    g.instances.push(i);
    if (i.version && !g.versions.includes(i.version)) g.versions.push(i.version);
    g.since = Math.min(g.since, i.problem?.since_ms || Infinity);
  }
  return [...groups.values()].sort((a, b) => b.instances.length - a.instances.length || (a.key < b.key ? -1 : 1));
}
