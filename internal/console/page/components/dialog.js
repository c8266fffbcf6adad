// Dialogs: the browser's own, so that focus stays inside and Escape closes.
import { html, useId, useLayoutEffect, useRef, useState } from "../ui.js";
import { Button, IconButton } from "./button.js";
import { Text } from "./text.js";

// Dialog. Props: title, onClose, children, footer, wide, class.
export function Dialog({ title, onClose, children, footer, wide = false, class: extra = "", bare = false }) {
  const ref = useRef(null);
  const id = useId();
  useLayoutEffect(() => {
    const before = document.activeElement;
    ref.current.showModal();
    // The browser would take the button that closes.
    const first = ".dialog-body :is(input, textarea, select), .combo input, footer .button.primary";
    const field = ref.current.querySelector("[data-first]") ?? ref.current.querySelector(first);
    field?.focus();
    field?.select?.(); // What it begins with is replaced by what is typed.
    return () => {
      if (before?.isConnected) before.focus();
    };
  }, []);
  const cancel = (e) => {
    if (e.target !== ref.current) return;
    e.preventDefault();
    onClose();
  };
  const outside = (e) => {
    if (e.target === ref.current) onClose();
  };
  return html`<dialog ref=${ref} class=${`dialog ${wide ? "wide" : ""} ${extra}`} aria-labelledby=${bare ? null : id} aria-label=${bare ? title : null} onCancel=${cancel} onMouseDown=${outside}>
    <div class="dialog-inner">${bare ? children : html`<header><h2 id=${id}>${title}</h2><${IconButton} icon="cross" label="Close" onClick=${onClose} /></header>
    <div class="dialog-body">${children}</div>${footer && html`<footer>${footer}</footer>`}`}</div></dialog>`;
}

// FormDialog asks, acts, and shows why that failed. Props: title, onClose,
// children (fields), action (word of the button), kind ("primary", "danger"),
// disabled, submit: async () => void, which closes the dialog unless it throws
// or returns false; wide.
export function FormDialog({ title, onClose, children, action, kind = "primary", disabled = false, submit, wide }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const form = useId();
  const run = async (e) => {
    e.preventDefault();
    if (busy || disabled) return;
    setBusy(true);
    setError(null);
    try {
      if ((await submit()) !== false) onClose();
    } catch (err) {
      if (!err.code) console.error(err);
      setError(err);
    }
    setBusy(false);
  };
  return html`<${Dialog} title=${title} onClose=${busy ? () => {} : onClose} wide=${wide} footer=${html`
      <${Button} onClick=${onClose} disabled=${busy}>Close<//>
      <${Button} kind=${kind} type="submit" form=${form} busy=${busy} disabled=${disabled}>${action}<//>`}>
    <form id=${form} class="form" onSubmit=${run}>${children}
      ${error && html`<div class="notice failed slim" role="alert"><div class="grow"><p><${Text} value=${error.message} lines=${true} /></p>${error.advice && html`<p class="muted"><${Text} value=${error.advice} lines=${true} /></p>`}</div></div>`}
    </form><//>`;
}

// Field is a labelled control. Props: label, hint, error, children: a function
// that gets { id, "aria-describedby", "aria-invalid" } for the control.
export function Field({ label, hint, error, children }) {
  const id = useId();
  const about = hint || error ? id + "-hint" : null;
  return html`<div class="field"><label for=${id}>${label}</label>${children({ id, "aria-describedby": about, "aria-invalid": error ? "true" : null })}
    ${about && html`<p id=${about} class=${error ? "bad small" : "muted small"}>${error || hint}</p>`}</div>`;
}

// JsonField is a Field for JSON. Props: label, hint, value, onInput(text), rows, first (it has
// the focus when its dialog opens).
// jsonError says what is wrong with a text, "" for one that is JSON or empty.
export function JsonField({ label, hint, value, onInput, rows = 5, first = false }) {
  const [left, setLeft] = useState(false);
  return html`<${Field} label=${label} hint=${hint} error=${left ? jsonError(value) : ""}>${(p) => html`
    <textarea ...${p} data-first=${first || null} rows=${rows} spellcheck=${false} autocomplete="off" value=${value} onInput=${(e) => onInput(e.target.value)} onBlur=${() => setLeft(true)} />`}<//>`;
}

export function jsonError(text) {
  if (text.trim() === "") return "";
  try {
    JSON.parse(text);
    return "";
  } catch (err) {
    return "Not valid JSON: " + err.message + (/^\w/.test(text.trim()) ? '. A string needs quotes: "text".' : "");
  }
}
