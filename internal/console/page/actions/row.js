// What can be done with one operation of an instance.
import { html, useState } from "../ui.js";
import { useAbout } from "../about.js";
import { useNow } from "../clock.js";
import { Button } from "../components.js";
import { CompleteDialog } from "./activity.js";
import { ActDialog, RaiseDialog, RedriveDialog } from "./dialogs.js";

// awaited are the names of the events that an instance waits for, as its timeline
// tells. Pure.
export function awaited(model) {
  return (model?.rows ?? []).filter((r) => r.kind === "wait" && r.state === "open").map((r) => r.raw.name);
}

// actionsOfRow are those that make sense for a row, as the API has it: { title, Dialog, icon, props of the
// dialog }. Pure.
export function actionsOfRow(instance, row, about, now) {
  if (row.state === "open" && row.kind === "wait") return [{ title: "Raise the event", icon: "bell", Dialog: RaiseDialog, name: row.name }];
  if (row.state === "open") {
    return [
      ...about.acts.filter((act) => act.of === row.kind && (!act.needs || Date.parse(row.live?.[act.needs]?.due_at) > now)).map((act) => ({ title: act.title, icon: act.of === "timer" ? "play" : "wake", Dialog: ActDialog, act, row })),
      ...(row.kind === "activity" && about.capabilities?.complete_by_row ? [{ title: "Complete by hand", icon: "check", Dialog: CompleteDialog, row }] : []),
    ];
  }
  if (["failed", "cancelled", "terminated"].includes(instance.status) && row.execution_id === instance.execution_id) {
    return [{ title: "Redrive from here", icon: "wake", Dialog: RedriveDialog, from: row.event_id }];
  }
  return [];
}

// RowActions. Props: instance (its id and status at least), row (as the API has it),
// onDone. It shows nothing where the console only reads.
export function RowActions({ instance, row, onDone }) {
  const about = useAbout(), now = useNow(), [open, setOpen] = useState(null);
  const all = about?.actions ? actionsOfRow(instance, row, about, now) : [];
  if (all.length === 0) return null;
  const { Dialog, title, icon, ...props } = all.find((a) => a.title === open) ?? {};
  return html`<div class="actions row-actions" role="group" aria-label="Operation actions">${all.map((a) => html`<${Button} key=${a.title} icon=${a.icon} onClick=${() => setOpen(a.title)}>${a.title}<//>`)}</div>
    ${Dialog && html`<${Dialog} instance=${instance} ...${props} onClose=${() => setOpen(null)} onDone=${onDone} />`}`;
}
