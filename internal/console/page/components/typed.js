// A field for JSON of a type that the code has.
import { html } from "../ui.js";
import { Button } from "./button.js";
import { JsonField, jsonError } from "./dialog.js";
import { Text } from "./text.js";

// TypedField. Props: label, hint, value, onInput(text), rows, type (of the catalog:
// type and example; none where the code is not known), check (of useCheck), first (see
// JsonField), children (more buttons).
export function TypedField({ label, hint, value, onInput, rows, type, check, first, children }) {
  const example = type?.example ?? "";
  const takes = type ? `The code expects ${type.type}${example === "" ? ", which has no fields" : ""}. ` : "";
  return html`<div class="typed"><${JsonField} label=${label} hint=${takes + hint} value=${value} onInput=${onInput} rows=${rows} first=${first} />
    ${((example !== "" && value !== example) || children) && html`<p class="fill">${example !== "" && value !== example && html`<${Button} kind="quiet" onClick=${() => onInput(example)}>Insert an example<//>`}${children}</p>`}
    <${Problems} of=${jsonError(value) === "" ? check?.problems ?? [] : []} /></div>`;
}

// Problems says what is wrong with data, or odd about it.
function Problems({ of }) {
  return html`<div role="status">${of.length > 0 && html`<ul class="problems-list">${of.map((p, n) => html`<li key=${n}><span class=${p.wrong ? "bad" : "muted"}>${p.wrong ? "Error" : "Warning"}</span> <${Text} value=${p.text} max=${400} /></li>`)}</ul>`}</div>`;
}
