import { html } from "../ui.js";
import { Empty } from "../components.js";

export function WaitingFor() {
  return html`<${Empty} title="This part is still to come" />`;
}
