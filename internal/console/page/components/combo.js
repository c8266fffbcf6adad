// A field with suggestions: the search of a view, and the command palette.
import { html, useEffect, useId, useRef, useState } from "../ui.js";
import { Icon } from "../icons.js";
import { Text } from "./text.js";

// Combo. Props: label, placeholder, options(text) => [{ key, icon, text, hint,
// note, run }], onText(text) (called when it changes), inputRef, open (the suggestions are always shown), value, id.
// note is shown behind the text, hint at the end of the line.
export function Combo({ label, placeholder, options, onText, inputRef, open = false, value = "", keys }) {
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(false);
  const [at, setAt] = useState(0);
  const own = useRef(null);
  const field = inputRef ?? own;
  const list = useRef(null);
  const id = useId();
  const all = open || shown ? options(text) : [];
  const current = Math.min(at, all.length - 1);
  useEffect(() => setText(value), [value]);
  useEffect(() => onText?.(text), [text]);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [current, shown]);
  const pick = (option) => {
    setShown(false);
    setText("");
    setAt(0);
    option.run();
  };
  const key = (e) => {
    if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      e.preventDefault();
      if (!open && !shown) setShown(true);
      else if (all.length > 0) setAt((current + (e.key === "ArrowDown" ? 1 : all.length - 1)) % all.length);
    } else if (e.key === "Enter" && !e.isComposing) {
      e.preventDefault();
      if (all[current]) pick(all[current]);
    } else if (e.key === "Escape" && shown && !open) {
      e.preventDefault();
      e.stopPropagation();
      setShown(false);
    } else if (e.key === "Escape" && !open) {
      field.current.blur();
    }
  };
  const listed = (open || shown) && all.length > 0;
  return html`<div class=${"combo" + (open ? " open" : "")}>
    <div class="combo-field"><${Icon} name="search" /><input ref=${field} type="text" role="combobox" aria-label=${label} aria-expanded=${listed ? "true" : "false"} aria-controls=${id}
      aria-autocomplete="list" aria-activedescendant=${listed ? `${id}-${current}` : null} aria-keyshortcuts=${keys} autocomplete="off" spellcheck=${false} placeholder=${placeholder} value=${text}
      onInput=${(e) => { setText(e.target.value); setAt(0); setShown(true); }} onFocus=${() => setShown(true)} onBlur=${() => setShown(false)} onKeyDown=${key} /></div>
    <ul class="combo-list" ref=${list} id=${id} role="listbox" aria-label=${label} hidden=${!listed}>${all.map((o, n) => html`<li key=${o.key} id=${`${id}-${n}`} role="option" aria-selected=${n === current ? "true" : "false"}
      onMouseDown=${(e) => { e.preventDefault(); pick(o); }} onMouseMove=${() => n !== current && setAt(n)}>
      <${Icon} name=${o.icon ?? "right"} /><span class="combo-text"><${Text} value=${o.text} max=${300} />${o.note && html` <span class="muted"><${Text} value=${o.note} max=${200} /></span>`}</span>${o.hint && html`<span class="muted small nowrap">${o.hint}</span>`}</li>`)}</ul>
  </div>`;
}
