// What can be done with one operation of an instance.
import { html, useState } from "../ui.js";
import { useAbout } from "../about.js";
import { useNow } from "../clock.js";
import { Button } from "../components.js";
import { CompleteDialog } from "./activity.js";
import { FireDialog, RaiseDialog, RedriveDialog, RetryDialog } from "./dialogs.js";

// awaited are the names of the events that an instance waits for, as its timeline
// tells. Pure.
export function awaited(model) {
  return (model?.rows ?? []).filter((r) => r.kind === "wait" && r.state === "open").map((r) => r.raw.name);
}

// actionsOfRow are those that make sense for a row, as the API has it: [key, word,
// icon, dialog, what the dialog begins with]. Pure.
export function actionsOfRow(instance, row, about, now) {
  if (row.state === "open" && row.kind === "wait") return [["raise", "Raise it", "bell", RaiseDialog, { name: row.name }]];
  if (row.state === "open" && row.kind === "timer") return [["fire", "Fire it now", "play", FireDialog, { row }]];
  if (row.state === "open" && row.kind === "activity") {
    return [
      ...(row.live?.next && Date.parse(row.live.next.due_at) > now ? [["retry", "Retry now", "wake", RetryDialog, { row }]] : []),
      ...(about?.capabilities?.complete_by_row ? [["complete", "Complete it", "check", CompleteDialog, { row }]] : []),
    ];
  }
  if (["failed", "cancelled", "terminated"].includes(instance.status) && row.execution_id === instance.execution_id) {
    return [["redrive", "Redrive from here", "wake", RedriveDialog, { from: row.event_id }]];
  }
  return [];
}

// RowActions. Props: instance (its id and status at least), row (as the API has it),
// onDone. It shows nothing where the console only reads.
export function RowActions({ instance, row, onDone }) {
  const about = useAbout(), now = useNow(), [open, setOpen] = useState(null);
  const all = about?.actions ? actionsOfRow(instance, row, about, now) : [];
  if (all.length === 0) return null;
  const [, , , Dialog, begin] = all.find(([key]) => key === open) ?? [];
  return html`<div class="actions row-actions" role="group" aria-label="Actions of the operation">${all.map(([key, word, icon]) => html`<${Button} key=${key} icon=${icon} onClick=${() => setOpen(key)}>${word}<//>`)}</div>
    ${Dialog && html`<${Dialog} instance=${instance} ...${begin} onClose=${() => setOpen(null)} onDone=${onDone} />`}`;
}
