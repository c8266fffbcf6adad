// The command palette: go anywhere, do anything, by typing.
import { html, useRef, useState } from "../ui.js";
import { useMayAct } from "../about.js";
import { Combo, Dialog, statuses } from "../components.js";
import { useIDs } from "../ids.js";
import { modKey } from "../keyboard.js";
import { suggestions } from "../listquery.js";
import { format, instance } from "../location.js";
import { knownAttributes, knownNames } from "../names.js";
import { go } from "../router.js";
import { choose } from "../settings.js";

// Palette. Props: onClose, views, open (opens a dialog of the shell).
export function Palette({ onClose, views, open }) {
  const field = useRef(null), [typed, setTyped] = useState("");
  const ids = useIDs(typed);
  const may = useMayAct();
  const then = (f) => () => { onClose(); f(); };
  const to = (key, text, address, hint, icon = "right") => ({ key, text, hint, icon, run: then(() => go(address)) });
  const commands = [
    ...views.map(([segment, word, key]) => to("v" + segment, word, format([segment]), "g " + key)),
    ...statuses.map(([s]) => to("s" + s, "Instances that are " + s, format(["instances"], { status: s }), "", "search")),
    to("inspect", "Inspect an exported history", "#/inspect", "", "file"),
    ...(may ? [
      { key: "start", text: "Start an orchestration", hint: "n", icon: "plus", run: () => open("start") },
      { key: "activity", text: "Complete or fail an activity by its token", icon: "check", run: () => open("activity") },
    ] : []),
    { key: "light", text: "Theme: light", icon: "sun", run: then(() => choose("theme", "light")) },
    { key: "dark", text: "Theme: dark", icon: "moon", run: then(() => choose("theme", "dark")) },
    { key: "system", text: "Theme: system default", icon: "screen", run: then(() => choose("theme", "system")) },
    { key: "utc", text: "Times in UTC", icon: "right", run: then(() => choose("utc", "yes")) },
    { key: "local", text: "Times in your time zone", icon: "right", run: then(() => choose("utc", "no")) },
    { key: "keys", text: "Keyboard shortcuts", hint: "?", icon: "keyboard", run: () => open("help") },
  ];
  const options = (text) => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = commands.filter((c) => words.every((w) => c.text.toLowerCase().includes(w)));
    if (words.length === 0) return fits;
    const meant = suggestions(text, knownNames(), ids, knownAttributes()).map(({ kind, text }) => ({
      instance: to("i" + text, text, instance(text), "open the instance"),
      prefix: to("p" + text, text, format(["instances"], { prefix: text }), "only ids with this prefix", "search"),
      name: to("n" + text, text, format(["instances"], { name: text }), "only this orchestration", "search"),
      words: to("f" + text, text, format(["instances"], { words: text }), "words in the failure, problem or state “status”", "search"),
      where: to("w" + text, text, format(["instances"], { where: text }), "search attributes", "search"),
    })[kind]);
    return [...fits, ...meant];
  };
  return html`<${Dialog} bare=${true} class="palette" title=${`Go to (${modKey} K)`} onClose=${onClose}><${Combo} open=${true} label="Go to or run" placeholder="Id, view or command" inputRef=${field} options=${options} onText=${setTyped} /><//>`;
}
