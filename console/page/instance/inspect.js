import { html } from "../ui.js";
import { Empty } from "../components.js";

export function Inspect() {
  return html`<div class="view-head"><h1>Inspect a history</h1></div><${Empty} title="This part is still to come" />`;
}
