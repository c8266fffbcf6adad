// What can be done with an instance.
import { html, useState } from "../ui.js";
import { useMayAct } from "../about.js";
import { Button } from "../components.js";
import { isProblem } from "../problems.js";
import { CancelDialog, ForkDialog, PurgeDialog, RaiseDialog, RedriveDialog, RerunDialog, RescheduleDialog, ResumeDialog, SuspendDialog, TerminateDialog, WakeDialog } from "./dialogs.js";

// actions that make sense for an instance: [key, word, icon, dialog].
export function actionsOf(i) {
  if (i.status === "completed") return [rerun, fork, purge];
  if (["failed", "cancelled", "terminated"].includes(i.status)) return [redrive, rerun, fork, purge];
  if (i.status === "corrupt") return [wake, purge];
  if (i.status === "queued") return [resume, raise, cancel, fork, terminate, purge];
  if (i.status === "suspended" || i.status === "scheduled") return [resume, reschedule, raise, cancel, fork, terminate, purge];
  return isProblem(i) ? [wake, suspend, raise, cancel, fork, terminate, purge] : [raise, suspend, cancel, wake, fork, terminate, purge];
}

const raise = ["raise", "Raise an event", "bell", RaiseDialog];
const cancel = ["cancel", "Cancel", "cross", CancelDialog];
const wake = ["wake", "Wake", "wake", WakeDialog];
const suspend = ["suspend", "Suspend", "pause", SuspendDialog];
const resume = ["resume", "Resume", "play", ResumeDialog];
const reschedule = ["reschedule", "Reschedule", "wake", RescheduleDialog];
const terminate = ["terminate", "Terminate", "stop", TerminateDialog];
const rerun = ["rerun", "Rerun", "wake", RerunDialog];
const redrive = ["redrive", "Redrive", "wake", RedriveDialog];
const fork = ["fork", "Fork", "right", ForkDialog];
const purge = ["purge", "Purge", "trash", PurgeDialog];

// Actions shows the actions of an instance as buttons; nothing where the
// console only reads. Props: instance (as the API has it), onDone (called when
// one was sent, or refused: read the instance again), waits (the names of the events
// that it waits for).
export function Actions({ instance, waits, onDone }) {
  const [open, setOpen] = useState(null);
  if (!useMayAct()) return null;
  const all = actionsOf(instance);
  const Dialog = all.find(([key]) => key === open)?.[3] ?? [raise, cancel, wake, suspend, resume, reschedule, terminate, redrive, rerun, fork, purge].find(([key]) => key === open)?.[3];
  const first = isProblem(instance) ? "wake" : instance.suspension ? "resume" : instance.status === "failed" ? "redrive" : "";
  return html`<div class="actions" role="group" aria-label="Actions">${all.map(([key, word, icon]) => html`<${Button} key=${key} icon=${icon} kind=${key === first ? "primary" : ""} onClick=${() => setOpen(key)}>${word}<//>`)}</div>
    ${Dialog && html`<${Dialog} instance=${instance} waits=${waits} onClose=${() => setOpen(null)} onDone=${onDone} />`}`;
}
