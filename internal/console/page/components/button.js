// Buttons.
import { html } from "../ui.js";
import { Icon } from "../icons.js";

// Button. Props: kind ("", "primary", "danger", "quiet"), icon, busy, and those
// of a button element. With href it is a link that looks like one.
export function Button({ kind = "", icon, busy = false, children, class: extra = "", href, ...rest }) {
  const inside = html`${busy ? html`<span class="spinner" aria-hidden="true" />` : icon && html`<${Icon} name=${icon} />`}<span>${children}</span>`;
  const cls = `button ${kind} ${extra}`;
  if (href) return html`<a class=${cls} href=${href} ...${rest}>${inside}</a>`;
  // A busy button keeps the focus; it does nothing until it is not.
  return html`<button type="button" class=${cls} ...${rest} aria-busy=${busy ? "true" : null} aria-disabled=${busy ? "true" : null} onClick=${busy ? (e) => e.preventDefault() : rest.onClick}>${inside}</button>`;
}

// IconButton has an icon alone. Props: icon, label (said to screen readers and
// shown as its tooltip), and those of a button element.
export function IconButton({ icon, label, class: extra = "", ...rest }) {
  return html`<button type="button" class=${"icon-button " + extra} aria-label=${label} title=${label} ...${rest}><${Icon} name=${icon} size=${16} /></button>`;
}
