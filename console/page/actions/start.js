import { html } from "../ui.js";
import { Dialog } from "../components.js";

export function StartDialog({ onClose }) {
  return html`<${Dialog} title="Start an orchestration" onClose=${onClose}>Still to come.<//>`;
}
