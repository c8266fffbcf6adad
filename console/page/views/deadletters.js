import { html } from "../ui.js";
import { Empty } from "../components.js";

export function DeadLetters() {
  return html`<${Empty} title="This view is still to come" />`;
}
