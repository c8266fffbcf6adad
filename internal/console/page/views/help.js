// The keys.
import { html } from "../ui.js";
import { Dialog } from "../components.js";
import { modKey } from "../keyboard.js";
import { choose, useSetting } from "../settings.js";

// Help lists the keys. Props: onClose, views.
export function Help({ onClose, views }) {
  const keys = useSetting("keys") === "yes";
  const rows = [
    [[modKey + " K"], "Search and commands"],
    [["/"], "Search in this view"],
    [["j"], "Next row"],
    [["k"], "Previous row"],
    [["→"], "Expand the row"],
    [["←"], "Collapse the row"],
    [["Enter"], "Open the row"],
    [["n"], "Start an orchestration"],
    ...views.map(([, word, key]) => [["g", key], word]),
    [["?"], "Show keyboard shortcuts"],
    [["Esc"], "Close"],
  ];
  return html`<${Dialog} title="Keyboard shortcuts" onClose=${onClose}>
    <dl class="keys">${rows.map(([k, word]) => html`<div key=${word}><dt>${k.map((one, n) => html`${n > 0 && " then "}<kbd>${one}</kbd>`)}</dt><dd>${word}</dd></div>`)}</dl>
    <label class="check"><input type="checkbox" checked=${keys} onChange=${(e) => choose("keys", e.target.checked ? "yes" : "no")} />
      <span>Enable shortcuts without ${modKey}. Turn them off if they interfere, for example with speech input.</span></label><//>`;
}
