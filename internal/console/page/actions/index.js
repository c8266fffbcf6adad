// What can be done with an instance.
import { html, useEffect, useState } from "../ui.js";
import { useAbout, useActs, useMayAct } from "../about.js";
import { path, post } from "../api.js";
import { Button } from "../components.js";
import { isProblem } from "../problems.js";
import { ActDialog, ForkDialog, PurgeDialog, QueryDialog, RaiseDialog, RedriveDialog, RescheduleDialog, UpdateDialog } from "./dialogs.js";

// actionsOf are the names of the acts that make sense for an instance. Pure.
export function actionsOf(i) {
  if (i.status === "completed") return ["restart", "fork", "purge"];
  if (["failed", "cancelled", "terminated"].includes(i.status)) return ["redrive", "restart", "fork", "purge"];
  if (i.status === "corrupt") return ["wake", "purge"];
  if (i.status === "forking") return ["terminate", "purge"];
  if (i.status === "queued") return ["resume", "raise", "update", "cancel", "fork", "terminate", "purge"];
  if (i.status === "suspended" || i.status === "scheduled") return ["resume", "reschedule", "raise", "update", "cancel", "fork", "terminate", "purge"];
  return isProblem(i) ? ["wake", "suspend", "raise", "update", "cancel", "fork", "terminate", "purge"] : ["raise", "update", "suspend", "cancel", "wake", "fork", "terminate", "purge"];
}

// others are no acts: a fork is a redrive as another instance, and a query changes nothing.
const others = { fork: { title: "Fork" }, query: { title: "Query" } };

const icons = { query: "search", raise: "bell", update: "check", cancel: "cross", suspend: "pause", resume: "play", terminate: "stop", fork: "right", purge: "trash" };

// dialogs are the forms of the acts that have one of their own.
const dialogs = { raise: RaiseDialog, reschedule: RescheduleDialog, redrive: RedriveDialog, fork: ForkDialog, query: QueryDialog, update: UpdateDialog, purge: PurgeDialog };

// startsNothing reports whether a redrive would start nothing again, by its plan: with the same code it
// fails as before. Pure.
export function startsNothing(plan) { return plan.copied_events > 0 && plan.again.length === 0; }

// useStartsNothing reports that of an instance that has failed; false until it is known.
function useStartsNothing(instance, may) {
  const key = may && instance.status === "failed" ? JSON.stringify([instance.instance, instance.execution_id]) : "";
  const [state, set] = useState({ key: "", nothing: false });
  useEffect(() => {
    if (key === "") return undefined;
    let current = true;
    post(path("instances", instance.instance, "redrive"), { dry_run: true }).then(
      (plan) => current && set({ key, nothing: startsNothing(plan) }),
      (error) => error.code || console.error(error)); // What is refused is said by the dialog.
    return () => { current = false; };
  }, [key]);
  return state.key === key && state.nothing;
}

// Actions shows the actions of an instance as buttons, and the query, which a
// console that only reads has too. Props: instance (as the API has it), onDone (called when
// one was sent, or refused: read the instance again), waits (the names of the events
// that it waits for).
export function Actions({ instance, waits, onDone }) {
  const [open, setOpen] = useState(null);
  const acts = useActs(), may = useMayAct(), nothing = useStartsNothing(instance, may);
  const shown = [...(useAbout()?.capabilities.queries ? ["query"] : []), ...(may ? actionsOf(instance) : [])];
  if (shown.length === 0) return null;
  const of = (key) => acts.get(key) ?? others[key], act = open && of(open), Dialog = dialogs[open] ?? ActDialog;
  const first = isProblem(instance) ? "wake" : instance.suspension ? "resume" : instance.status === "failed" ? (nothing ? "restart" : "redrive") : "";
  return html`<div class="actions" role="group" aria-label="Actions">${shown.map((key) => html`<${Button} key=${key} icon=${icons[key] ?? "wake"} kind=${key === first ? "primary" : ""} onClick=${() => setOpen(key)}>${of(key).title}<//>`)}</div>
    ${nothing && html`<p class="small muted">A redrive would not start any operation again, so with the same code it would fail as before. Restart it to run from the beginning.</p>`}
    ${act && html`<${Dialog} act=${act} instance=${instance} waits=${waits} onClose=${() => setOpen(null)} onDone=${onDone} />`}`;
}
