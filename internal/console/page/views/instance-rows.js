// The rows of a list of instances: a table, and on a narrow page a list.
import { html } from "../ui.js";
import { Ago, Attributes, Icon, InstanceLink, ProblemLine, Span, Status, StatusShape, Text } from "../components.js";
import { customFields, oneLine } from "../json.js";
import { plural } from "../format.js";
import { columns, hidden, orders } from "../listquery.js";
import { format } from "../location.js";
import { setQuery } from "../router.js";
import { plainText } from "../visible.js";

// Rows. Props: rows (instances as the API has them), fresh (ids that changed
// last), onAttribute(name, value), query, selection (useSelection; boxes to select by
// where it is on), sortable (the address says how they are sorted), lines (of the rows: { row, under (what is folded
// under it) or depth, head }), open (ids of heads that are unfolded), onTurn(id).
export function Rows({ rows, fresh, onAttribute, query, selection, sortable = false, lines = rows.map((row) => ({ row, under: [] })), open, onTurn }) {
  const hide = hidden(query), has = (key) => !hide.has(key);
  return html`<table class="instances"><thead><tr>${[["status", "Status"], ["instance", "Instance"], ...columns].filter(([key]) => has(key)).map(([key, words]) => html`<${Head} key=${key} of=${key} words=${words} sort=${sortable ? query.sort ?? "" : null} />`)}</tr></thead>
    <tbody>${lines.map(({ row: i, under, depth, head }) => html`<tr key=${i.instance} data-row data-instance=${i.instance} data-status=${i.status} data-depth=${head ? Math.min(depth + 1, 5) : null} class=${[i, ...(open?.has(i.instance) ? [] : (under ?? []).map((u) => u.row))].some((r) => fresh?.has(r.instance)) ? "fresh" : ""}>
      <td class="c-status"><${Status} status=${i.status} /></td>
      <td class="c-id">${selection?.on && html`<input type="checkbox" class="pick" aria-label=${"Select " + plainText(i.instance)} checked=${selection.of.has(i.instance)} onChange=${(e) => selection.pick(i, e.target.checked)} /> `}${under?.length > 0 && html`<${Fold} of=${i} under=${under} open=${open.has(i.instance)} onTurn=${onTurn} />`}${i.parent && html`<a class="child" href=${format(["instances"], { parent: i.parent.instance })} title=${"Show all children of " + plainText(i.parent.instance)}><${Icon} name="child" size=${12} /><span class="sr">all children of ${plainText(i.parent.instance)}</span></a>`}<${InstanceLink} id=${i.instance} row=${true} /></td>
      ${has("name") && html`<td class="c-name"><a href=${format(["instances"], { ...query, name: i.name, page: "" })} title="Show only this orchestration"><${Text} value=${i.name} /></a>${i.version && html` <a class="muted" href=${format(["instances"], { ...query, version: i.version, page: "" })} title="Show only this version"><${Text} value=${i.version} /></a>`}</td>`}
      ${has("text") && html`<td class="c-text"><${Custom} instance=${i} /><${ProblemLine} instance=${i} /></td>`}
      ${has("attributes") && html`<td class="c-attributes"><${Attributes} of=${i.search_attributes} onPick=${onAttribute} max=${4} /></td>`}
      ${has("started") && html`<td class="c-started number"><${Ago} at=${i.created_at} /></td>`}
      ${has("took") && html`<td class="c-took number">${i.ended_at && html`<${Span} from=${i.created_at} to=${i.ended_at} />`}</td>`}
    </tr>`)}</tbody></table>`;
}

// Fold opens and closes what stands under a row, and says how much that is, and what of it is not well.
function Fold({ of: i, under, open, onTurn }) {
  const bad = ["corrupt", "stuck", "failed"].map((s) => [s, under.filter((u) => u.row.status === s).length]).filter(([, n]) => n > 0);
  const what = `${plural(under.length, "instance")} under ${plainText(i.instance)}`;
  return html`<button type="button" class="fold" aria-expanded=${open ? "true" : "false"} title=${open ? "Collapse (←)" : "Expand (→)"} onClick=${() => onTurn(i.instance)}><span aria-hidden="true">${open ? "▾" : "▸"}</span> <span class="num">${under.length}</span><span class="sr"> ${what}</span>${bad.map(([s, n]) => html` <span class=${"under " + s} title=${`${n} ${s}`}><${StatusShape} status=${s} size=${10} />${n}<span class="sr"> ${s}</span></span>`)}</button>`;
}

// Head is the head of a column. One that can be sorted by is a button: up, down, newest first. Props:
// of (its key), words, sort (as in the address; null where rows cannot be sorted).
function Head({ of, words, sort }) {
  const kind = `h-${of} ${of === "started" || of === "took" ? "number" : ""}`;
  if (!orders[of] || sort === null) return html`<th scope="col" class=${kind}>${words}</th>`;
  const up = sort === of, down = sort === "-" + of;
  return html`<th scope="col" class=${kind} aria-sort=${up ? "ascending" : down ? "descending" : null}><button type="button" class="sorts" title="Sort this page" onClick=${() => setQuery({ sort: up ? "-" + of : down ? "" : of })}>${words}${up ? " ↑" : down ? " ↓" : ""}</button></th>`;
}

// Custom is the state "status" in a line.
function Custom({ instance: i }) {
  if (i.decode_error) return html`<span class="custom"><span class="chip" title=${plainText(i.decode_error)}>encoded</span></span>`;
  if (i.folded?.includes("states")) return html`<span class="muted">too large to show here</span>`;
  const status = i.states?.status?.value;
  if (status === undefined || status === null) return null;
  return html`<span class="custom">${customFields(status)?.map(([name, value], n) => html`${n > 0 && html`<span class="muted">, </span>`}<span class="muted"><${Text} value=${name} max=${40} /></span> <${Text} value=${value} max=${120} />`) ?? html`<${Text} value=${oneLine(status, 240)} />`}</span>`;
}
