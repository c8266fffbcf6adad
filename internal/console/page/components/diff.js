// What history has and what the code did, side by side.
import { html } from "../ui.js";
import { differ } from "../differ.js";
import { Text } from "./text.js";

// Diff shows two texts; the parts in which they differ stand out, and are
// bracketed by a mark so that colour is not all that tells. Props: have, did
// (texts), haveLabel, didLabel.
export function Diff({ have, did, haveLabel = "History has", didLabel = "The code did" }) {
  const [a, b] = differ(String(have ?? ""), String(did ?? ""));
  const side = (label, kind, sign, parts) => html`<div class=${"diff-side " + kind}><h3><span aria-hidden="true">${sign}</span> ${label}</h3>
    <pre dir="ltr" tabindex="0">${parts.length === 0 ? html`<span class="muted">nothing</span>` : parts.map(([same, text]) => (same ? html`<${Text} value=${text} lines=${true} />` : html`<mark><${Text} value=${text} lines=${true} /></mark>`))}</pre></div>`;
  return html`<div class="diff">${side(haveLabel, "have", "−", a)}${side(didLabel, "did", "+", b)}</div>`;
}
