// Text of strangers, ids, and copying them.
import { html, useEffect, useRef, useState } from "../ui.js";
import { parts, plainText } from "../visible.js";
import { instance } from "../location.js";
import { Icon } from "../icons.js";

const longest = 20_000;

// Text shows a text that somebody else wrote: hidden characters become marks,
// its direction is kept to itself. Props: value, lines (keeps line feeds), max.
export function Text({ value, lines = false, max = longest }) {
  const text = String(value ?? "");
  const cut = text.length > max;
  const shown = parts(cut ? text.slice(0, max) : text, lines);
  return html`<bdi class=${lines ? "text lines" : "text"}>${shown.map((p) =>
    typeof p === "string" ? p : html`<span class="hidden-char" title=${p.title}>${p.label}</span>`)}${
    cut && html`<span class="muted"> … ${text.length - max} more characters</span>`}</bdi>`;
}

// Id shows an id, with a link and a button that copies it. Props: id, href
// (default none), copy (default true), label (what the id is of: "instance"),
// row (the link that j and k go to).
export function Id({ id, href, copy = true, label = "id", row = false, clip = false }) {
  const text = html`<${Text} value=${id} max=${2000} />`;
  return html`<span class=${"id" + (clip ? " clip" : "")}>${
    href ? html`<a class="mono" href=${href} data-row-link=${row || null} title=${clip ? plainText(id) : null}>${text}</a>` : html`<span class="mono" title=${clip ? plainText(id) : null}>${text}</span>`}${
    copy && html`<${Copy} text=${id} label=${label} />`}</span>`;
}

// InstanceLink is the Id of an instance. Props: id, copy, row.
export function InstanceLink({ id, copy = true, row = false, clip = false }) {
  return html`<${Id} id=${id} href=${instance(id)} copy=${copy} label="instance id" row=${row} clip=${clip} />`;
}

// Copy copies a text. Props: text (or a function that makes it), label (what
// is copied), word (shown beside the icon).
export function Copy({ text, label = "text", word }) {
  const [done, set] = useState("");
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (e) => {
    e.preventDefault();
    e.stopPropagation();
    set((await put(typeof text === "function" ? text() : String(text))) ? "copied" : "failed");
    clearTimeout(timer.current);
    timer.current = setTimeout(() => set(""), 1500);
  };
  const said = done === "copied" ? "Copied" : done === "failed" ? "Not copied: the browser does not allow it" : "";
  return html`<button type="button" class=${"copy " + done} onClick=${copy} title=${said || "Copy " + label} aria-label=${"Copy " + label}>
    <${Icon} name=${done === "copied" ? "check" : done === "failed" ? "cross" : "copy"} size=${12} />${word && html`<span>${word}</span>`}
    <span class="sr" role="status">${said}</span></button>`;
}

// put copies by the clipboard's interface, which browsers offer on https and
// on this machine alone, else by the older way.
async function put(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "sr";
    // Inside an open dialog nothing outside it can take the focus.
    const before = document.activeElement;
    (document.querySelector("dialog[open]") ?? document.body).append(area);
    area.select();
    let done = false;
    try {
      done = document.execCommand("copy");
    } catch {
      // done says so.
    }
    area.remove();
    before?.focus?.();
    return done;
  }
}

// External links what is elsewhere: it says so, and opens a tab of its own, which
// is told nothing of this page. Props: href, children.
export function External({ href, children }) {
  return html`<a class="external" href=${href} target="_blank" rel="noopener noreferrer">${children} <${Icon} name="out" size=${11} /><span class="sr"> (another site, in a new tab)</span></a>`;
}
