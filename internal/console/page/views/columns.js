// Which columns the list of instances has, and how a page of it is sorted. Both stand in the
// address, so that a bookmark keeps a view.
import { html } from "../ui.js";
import { Button, Dialog, Field } from "../components.js";
import { columns, hidden, orders } from "../listquery.js";
import { setQuery } from "../router.js";

// Columns is the dialog. Props: query (of the address), onClose.
export function Columns({ query, onClose }) {
  const hide = hidden(query);
  const turn = (key, on) => setQuery({ hide: columns.map(([k]) => k).filter((k) => (k === key ? !on : hide.has(k))).join(",") }, { replace: true });
  return html`<${Dialog} title="Columns and order" onClose=${onClose} footer=${html`<${Button} kind="primary" onClick=${onClose}>Done<//>`}>
    ${columns.map(([key, words]) => html`<label key=${key} class="check inline"><input type="checkbox" checked=${!hide.has(key)} onChange=${(e) => turn(key, e.target.checked)} /> <span>${words}</span></label>`)}
    <${Field} label="Sort order" hint="Sorts the rows of a page. The pages themselves are always newest first. To keep filters, columns and order, bookmark the address.">${(p) => html`
      <select ...${p} value=${query.sort ?? ""} onChange=${(e) => setQuery({ sort: e.target.value }, { replace: true })}><option value="">Newest first</option>
        ${Object.entries(orders).map(([key, [words, , up, down]]) => html`<option key=${key} value=${key}>By ${words}, ${up}</option><option key=${"-" + key} value=${"-" + key}>By ${words}, ${down}</option>`)}</select>`}<//><//>`;
}
