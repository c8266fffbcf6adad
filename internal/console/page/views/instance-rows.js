// The rows of a list of instances: a table, and on a narrow page a list.
import { html } from "../ui.js";
import { Ago, Attributes, Icon, InstanceLink, ProblemLine, Span, Status, Text } from "../components.js";
import { oneLine } from "../json.js";
import { format } from "../location.js";
import { plainText } from "../visible.js";

// Rows. Props: rows (instances as the API has them), fresh (ids that changed
// last), onAttribute(name, value), query, selection (useSelection; boxes to select by
// where it is on).
export function Rows({ rows, fresh, onAttribute, query, selection }) {
  return html`<table class="instances"><thead><tr><th scope="col">Status</th><th scope="col">Instance</th><th scope="col">Orchestration</th><th scope="col">Custom status, problem</th><th scope="col">Search attributes</th><th scope="col" class="number">Started</th><th scope="col" class="number">Took</th></tr></thead>
    <tbody>${rows.map((i) => html`<tr key=${i.instance} data-row data-instance=${i.instance} data-status=${i.status} class=${fresh?.has(i.instance) ? "fresh" : ""}>
      <td class="c-status"><${Status} status=${i.status} /></td>
      <td class="c-id">${selection?.on && html`<input type="checkbox" class="pick" aria-label=${"Select " + plainText(i.instance)} checked=${selection.of.has(i.instance)} onChange=${(e) => selection.pick(i, e.target.checked)} /> `}${i.parent && html`<a class="child" href=${format(["instances"], { parent: i.parent.instance })} title=${"Show all children of " + plainText(i.parent.instance)}><${Icon} name="child" size=${12} /><span class="sr">all children of ${plainText(i.parent.instance)}</span></a>`}<${InstanceLink} id=${i.instance} row=${true} /></td>
      <td class="c-name"><a href=${format(["instances"], { ...query, name: i.name, page: "" })} title="Show only this orchestration"><${Text} value=${i.name} /></a>${i.version && html` <a class="muted" href=${format(["instances"], { ...query, version: i.version, page: "" })} title="Show only this version"><${Text} value=${i.version} /></a>`}</td>
      <td class="c-text"><${Custom} instance=${i} /><${ProblemLine} instance=${i} /></td>
      <td class="c-attributes"><${Attributes} of=${i.search_attributes} onPick=${onAttribute} max=${6} /></td>
      <td class="c-started number"><${Ago} at=${i.created_at} /></td>
      <td class="c-took number">${i.ended_at && html`<${Span} from=${i.created_at} to=${i.ended_at} />`}</td>
    </tr>`)}</tbody></table>`;
}

// Custom is the custom status in a line.
function Custom({ instance: i }) {
  if (i.sealed) return html`<span class="chip" title=${plainText(i.sealed)}>sealed</span>`;
  if (i.folded?.includes("custom_status")) return html`<span class="muted">large, see the instance</span>`;
  if (i.custom_status === undefined || i.custom_status === null) return null;
  return html`<span class="custom"><${Text} value=${oneLine(i.custom_status, 240)} /></span>`;
}
