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
    [["k"], "Row before"],
    [["→"], "Unfold what stands under the row"],
    [["←"], "Fold it"],
    [["Enter"], "Open the row"],
    [["n"], "Start an orchestration"],
    ...views.map(([, word, key]) => [["g", key], word]),
    [["?"], "These keys"],
    [["Esc"], "Close"],
  ];
  return html`<${Dialog} title="Keys" onClose=${onClose}>
    <dl class="keys">${rows.map(([k, word]) => html`<div key=${word}><dt>${k.map((one, n) => html`${n > 0 && " then "}<kbd>${one}</kbd>`)}</dt><dd>${word}</dd></div>`)}</dl>
    <label class="check"><input type="checkbox" checked=${keys} onChange=${(e) => choose("keys", e.target.checked ? "yes" : "no")} />
      <span>Keys without ${modKey} are on. Turn them off if they get in the way, of speech input for example.</span></label><//>`;
}
