// Parents and children of an instance.
import { html } from "../ui.js";
import { get, path } from "../api.js";
import { Ago, Chip, InstanceLink, Resource, Status, Text, IconButton } from "../components.js";
import { useResource } from "../resource.js";

// Tree. Props: id, lastEvent.
export function Tree({ id, lastEvent }) {
  const tree = useResource("tree " + id + " " + lastEvent, (signal) => get(path("instances", id, "tree"), {}, { signal }));
  return html`<${Resource} of=${tree} title="The tree could not be read">${(data) => html`<div class="card tree"><div class="tree-head">
      <p class="muted">${data.missing ? "A parent has no record any more. " : ""}${data.truncated ? "There is more than is shown. " : ""}Parents above, what the current execution started below.</p><${IconButton} icon="reload" label="Read again" onClick=${tree.reload} /></div>
    <${Chain} ancestors=${data.ancestors} node=${data.instance} /></div>`}<//>`;
}

function Chain({ ancestors, node }) {
  if (ancestors.length === 0) return html`<ul><${Node} of=${node} here=${true} /></ul>`;
  return html`<ul><li><${Line} of=${ancestors[0]} /><${Chain} ancestors=${ancestors.slice(1)} node=${node} /></li></ul>`;
}

function Node({ of, here = false }) {
  return html`<li><${Line} of=${of} here=${here} />${of.children?.length > 0 && html`<ul>${of.children.map((c) => html`<${Node} key=${c.event_id + c.instance} of=${c} />`)}
    ${of.more_children > 0 && html`<li class="muted">and ${of.more_children} more</li>`}</ul>`}${of.more_children === -1 && html`<p class="muted small">children were not looked up</p>`}</li>`;
}

function Line({ of, here }) {
  return html`<div class=${"tree-line" + (here ? " here" : "")} aria-current=${here ? "true" : null}>${of.status ? html`<${Status} status=${of.status} />` : html`<${Chip} title="Not begun, or purged">no record<//>`}
    <${InstanceLink} id=${of.instance} /> <span><${Text} value=${of.name ?? ""} /></span>${of.detached && html` <${Chip} title="Nobody waits for it">detached<//>`}
    ${of.created_at && html`<span class="muted small">started <${Ago} at=${of.created_at} /></span>`}${of.why && html`<span class="problem-line small"><${Text} value=${of.why} max=${300} /></span>`}</div>`;
}
