import { html } from "../ui.js";
import { Dialog } from "../components.js";

export function Palette({ onClose }) {
  return html`<${Dialog} title="Go to" onClose=${onClose}>Still to come.<//>`;
}
