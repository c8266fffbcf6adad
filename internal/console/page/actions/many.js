// Acting on many instances: which actions fit whom, and the run of one. Pure, but for
// what each sends.
import { path, post } from "../api.js";
import { actionsOf, startsNothing } from "./index.js";
import { bodyOf, newID } from "./send.js";

// fits reports whether an action makes sense for an instance. Many are purged only after
// their end, because a purge terminates a running instance first.
export function fits(key, instance) {
  if (key === "purge" && !["completed", "failed", "cancelled", "terminated", "corrupt"].includes(instance.status)) return false;
  return actionsOf(instance).includes(key);
}

// targets are those of some instances that an action is sent to. The redrive of a parent redrives
// its failed children: of both only the parent is redriven. Pure.
export function targets(key, instances) {
  const all = instances.filter((i) => fits(key, i)), ids = new Set(all.map((i) => i.instance));
  return key === "redrive" ? all.filter((i) => !ids.has(i.parent?.instance)) : all;
}

// mostPlanned is of how many instances the plans are read: each costs the read of a history.
export const mostPlanned = 200;

// planned counts what the redrives of instances would do, until stopped() says so: how many continue and
// start how many operations again, run from the beginning, start nothing again, or are refused.
export async function planned(ids, stopped) {
  const out = { continue: 0, operations: 0, from_start: 0, nothing: [], refused: [], unread: Math.max(0, ids.length - mostPlanned) };
  await each(ids.slice(0, mostPlanned), stopped, async (id) => {
    try {
      const plan = await post(path("instances", id, "redrive"), { dry_run: true });
      if (startsNothing(plan)) out.nothing.push(id);
      else if (plan.copied_events === 0) out.from_start++;
      else {
        out.continue++;
        out.operations += plan.again.length;
      }
    } catch (error) {
      out.refused.push(id);
      if (error.code === "unreachable") throw error;
    }
  });
  return out;
}

// leftBy names the children, and theirs, that purges of instances would leave, with inputs and results.
export async function leftBy(ids, stopped) {
  const purged = new Set(ids), left = new Set(), read = ids.slice(0, mostPlanned);
  await each(read, stopped, async (id) => {
    const { children = [] } = await post(path("instances", id, "purge"), { dry_run: true });
    children.filter((id) => !purged.has(id)).forEach((id) => left.add(id));
  });
  return { left: [...left], unread: ids.length - read.length };
}

const atOnce = 6; // as many as a browser sends to one server

// each calls one for each of some instances, several side by side, until stopped() says so. A call that
// throws ends its row of calls.
async function each(ids, stopped, one) {
  let next = 0;
  const row = async () => {
    while (next < ids.length && !stopped()) await one(ids[next++]);
  };
  await Promise.allSettled(Array.from({ length: Math.min(atOnce, ids.length) }, row));
}

// run acts on each of some instances, several side by side, until stopped() says so. It
// calls progress(id, error) after each, error null for one that was sent. starts is a Map in which
// the ids are kept of those that were not sent, or whose answer was lost, for the next run.
export async function run(act, ids, reason, starts, stopped, progress) {
  await each(ids, stopped, async (id) => {
    const of = act.name + " " + id;
    if (!starts.has(of)) starts.set(of, newID());
    try {
      await post(path("instances", id, act.name), bodyOf(act, reason, starts.get(of)));
      starts.delete(of);
      progress(id, null);
    } catch (error) {
      progress(id, error);
      if (error.code === "unreachable") throw error;
    }
  });
}
