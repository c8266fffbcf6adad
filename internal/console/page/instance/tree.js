// Parents above, children below.
import { html } from "../ui.js";
import { get, path } from "../api.js";
import { InstanceLink, Resource, Span, Status, Text } from "../components.js";
import { format } from "../location.js";
import { useResource } from "../resource.js";

// Tree. Props: id, version (changes when the instance has moved).
export function Tree({ id, version }) {
  const of = useResource(`tree ${id}`, (signal) => get(path("instances", id, "tree"), {}, { signal }), { version });
  return html`<${Resource} of=${of} title="The tree could not be read">${(t) => html`<section class="card tree" aria-label="Tree">
    ${t.missing && html`<p class="muted">A parent higher up no longer exists.</p>`}
    <${Above} ancestors=${t.ancestors} node=${t.instance} />
    ${t.truncated && html`<p class="muted">The tree is deeper than shown here.</p>`}</section>`}<//>`;
}

function Above({ ancestors, node }) {
  if (ancestors.length === 0) return html`<ul><${Node} node=${node} here=${true} /></ul>`;
  const [first, ...rest] = ancestors;
  return html`<ul><li><${Line} node=${first} /><${Above} ancestors=${rest} node=${node} /></li></ul>`;
}

function Node({ node, here = false }) {
  const children = node.children ?? [];
  return html`<li><${Line} node=${node} here=${here} />${children.length > 0 && html`<ul>${children.map((c) => html`<${Node} key=${c.instance + c.event_id} node=${c} />`)}${node.more_children > 0 && html`<li><a href=${format(["instances"], { parent: node.instance })}>and ${node.more_children} more</a></li>`}</ul>`}${node.more_children < 0 && html`<ul><li class="muted">its children were not read</li></ul>`}</li>`;
}

function Line({ node: n, here }) {
  return html`<div class=${"tree-line" + (here ? " here" : "")} aria-current=${here ? "true" : null}>${n.status ? html`<${Status} status=${n.status} />` : html`<span class="muted">not started</span>`} ${here ? html`<strong class="mono"><${Text} value=${n.instance} max=${300} /></strong>` : html`<${InstanceLink} id=${n.instance} copy=${false} />`}
    <span class="muted"><${Text} value=${n.name ?? ""} max=${80} />${n.version ? html` <${Text} value=${n.version} max=${40} />` : ""}</span> ${n.created_at && html`<span class="muted small"><${Span} from=${n.created_at} to=${n.ended_at} /></span>`}${n.why && html`<span class="bad"><${Text} value=${n.why} max=${200} /></span>`}</div>`;
}
