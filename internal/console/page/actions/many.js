// Acting on many instances: which actions fit whom, and the run of one. Pure, but for
// what each sends.
import { path, post } from "../api.js";
import { actionsOf } from "./index.js";
import { newID } from "./send.js";

// manyActions are what can be done with many: [key, word, what it does to each, danger].
export const manyActions = [
  ["redrive", "Redrive", "Each goes on where it failed, with the deployed code. Completed operations stay completed."],
  ["wake", "Wake", "A stuck instance tries again now. What it has open is sent again; a running activity may run twice."],
  ["suspend", "Suspend", "Their code does not run until they are resumed. Incoming messages are recorded."],
  ["resume", "Resume", "Their code processes what came while they were suspended, and goes on."],
  ["cancel", "Cancel", "Every operation that they wait for returns a CancelledError; their code can still clean up."],
  ["rerun", "Rerun", "Each starts from the beginning, with the input of its last execution. Completed operations run again."],
  ["terminate", "Terminate", "They end at once, and their code does not run: nothing is compensated.", true],
  ["purge", "Purge", "They are hidden at once and their histories are deleted. This cannot be undone.", true],
];

// fits reports whether an action makes sense for an instance. Many are purged only after
// their end: what still runs is terminated first, by somebody who means that.
export function fits(key, instance) {
  if (key === "purge" && !["completed", "failed", "cancelled", "terminated", "corrupt"].includes(instance.status)) return false;
  return actionsOf(instance).some(([k]) => k === key);
}

// targets are those of some instances that an action is sent to. The redrive of a parent redrives
// its failed children: of both only the parent is redriven. Pure.
export function targets(key, instances) {
  const all = instances.filter((i) => fits(key, i)), ids = new Set(all.map((i) => i.instance));
  return key === "redrive" ? all.filter((i) => !ids.has(i.parent?.instance)) : all;
}

// bodies are the requests' bodies. An id that each instance keeps until it was sent makes a
// repeat of its request count once.
const bodies = {
  redrive: (reason, start_id) => ({ reason, start_id }), rerun: (_, start_id) => ({ start_id }), wake: () => ({}), purge: () => ({}),
};

// run acts on each of some instances, several side by side, until stopped() says so. It
// calls progress(id, error) after each, error null for one that was sent. starts is a Map in which
// the ids are kept of those that were not sent, or whose answer was lost, for the next run.
export async function run(key, ids, reason, starts, stopped, progress) {
  const atOnce = 6; // as many as a browser sends to one server
  let next = 0;
  const one = async () => {
    while (next < ids.length && !stopped()) {
      const id = ids[next++], of = key + " " + id;
      if (!starts.has(of)) starts.set(of, newID());
      try {
        await post(path("instances", id, key), (bodies[key] ?? ((reason) => ({ reason })))(reason, starts.get(of)));
        starts.delete(of);
        progress(id, null);
      } catch (error) {
        progress(id, error);
        if (error.code === "unreachable") return;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, ids.length) }, one));
}
