// Stuck and corrupt instances, by what is wrong with them.
import { html, useEffect, useMemo, useRef, useState } from "../ui.js";
import { get, post } from "../api.js";
import { useMayAct } from "../about.js";
import { Ago, Button, Chip, Empty, FormDialog, InstanceLink, Problem, Resource, Span, StatusShape, Status, Text, toast, useRowKeys } from "../components.js";
import { useAllCounts, listChanged } from "../counts.js";
import { clip, plural } from "../format.js";
import { group } from "../problems.js";
import { useResource } from "../resource.js";

const pages = 3, size = 200; // of each status, at most that many are read
const atOnce = 500; // that many are woken by one request

async function read(signal) {
  const found = { instances: [], more: false };
  for (const status of ["stuck", "corrupt"]) {
    let token = "";
    for (let n = 0; n < pages; n++) {
      const page = await get("instances", { status, page_size: size, page_token: token }, { signal });
      found.instances.push(...page.instances);
      token = page.next_page_token ?? "";
      if (!token) break;
    }
    found.more ||= token !== "";
  }
  return found;
}

// Stuck. Props: query: name, kind (of problem).
export function Stuck({ query }) {
  const found = useResource("stuck", read);
  const counts = useAllCounts()?.data?.counts;
  const n = (counts?.stuck?.count ?? 0) + "+" + (counts?.corrupt?.count ?? 0);
  const seen = useRef(n);
  useEffect(() => {
    if (seen.current !== n) found.reload();
    seen.current = n;
  }, [n]);
  const list = useRef(null);
  useRowKeys(list);
  return html`<div class="view-head"><h1>Stuck and corrupt</h1><${Button} icon="reload" busy=${found.loading} onClick=${found.reload}>Refresh<//></div>
    <p class="lead">Instances whose code cannot continue, grouped by problem. Fix the cause and deploy, or restart the program: new code retries them immediately. The same code retries them with growing delays of up to an hour, or when you wake them.</p>
    <${Resource} of=${found} title="The stuck instances could not be read">${(data) => html`<${Groups} data=${data} query=${query} listRef=${list} reload=${found.reload} />`}<//>`;
}

function Groups({ data, query, listRef, reload }) {
  const groups = useMemo(() => group(data.instances), [data]);
  const shown = groups.filter((g) => (!query.kind || g.kind === query.kind) && (!query.name || g.name === query.name));
  if (shown.length === 0) {
    return html`<${Empty} title=${groups.length === 0 ? "Nothing is stuck" : "No instance has this problem"}>${groups.length === 0 ? "Every running instance can continue." : html`<a href="#/stuck">Show all</a>`}<//>`;
  }
  return html`<div class="groups" ref=${listRef}>${data.more && html`<p class="muted">Only the newest ${pages * size} of each status are shown. Wake these, then refresh.</p>`}
    ${shown.map((g) => html`<${Group} key=${g.key} of=${g} open=${shown.length === 1} reload=${reload} />`)}</div>`;
}

function Group({ of, open, reload }) {
  const [asking, setAsking] = useState(false);
  const may = useMayAct();
  const n = of.instances.length;
  return html`<section class=${"card group " + of.status} data-row data-kind=${of.kind}>
    <header><h2><span class="group-count num"><${StatusShape} status=${of.status} size=${13} /> ${n}</span> <${Text} value=${of.name} />${of.versions.length > 0 && html` <span class="muted"><${Text} value=${of.versions.join(", ")} max=${80} /></span>`} <${Chip} kind=${of.status}>${of.kind}<//></h2>
      <span class="muted small">${Number.isFinite(of.since) && html`for <${Span} from=${of.since} />`}</span>
      ${may && html`<${Button} icon="wake" data-row-link onClick=${() => setAsking(true)}>Wake ${n === 1 ? "it" : `all ${n}`}<//>`}</header>
    ${n > 1 && html`<p class="muted small">For example <${InstanceLink} id=${of.instances[0].instance} copy=${false} /></p>`}
    <${Problem} instance=${of.instances[0]} bare=${true} />
    <details class="members" open=${open || n <= 3}><summary>${plural(n, "instance")}</summary><ul>${of.instances.slice(0, 100).map((i) => html`<li key=${i.instance}><${Status} status=${i.status} /> <${InstanceLink} id=${i.instance} /> <span class="muted small">started <${Ago} at=${i.created_at} />${i.problem?.tries ? `, ${plural(i.problem.tries, "try", "tries")}` : ""}</span></li>`)}</ul>
      ${n > 100 && html`<p class="muted">and ${n - 100} more</p>`}</details>
    ${asking && html`<${WakeAll} of=${of} onClose=${() => setAsking(false)} reload=${reload} />`}</section>`;
}

function WakeAll({ of, onClose, reload }) {
  const [failed, setFailed] = useState(null);
  const ids = of.instances.map((i) => i.instance);
  const submit = async () => {
    const all = [];
    let sent = 0;
    for (let at = 0; at < ids.length; at += atOnce) {
      const answer = await post("wake", { instances: ids.slice(at, at + atOnce) });
      sent += answer.sent.length;
      all.push(...(answer.failed ?? []));
    }
    toast(`Wake-up sent to ${plural(sent, "instance")}.`);
    listChanged();
    reload();
    if (all.length > 0) {
      setFailed(all);
      return false;
    }
  };
  return html`<${FormDialog} title=${`Wake ${plural(ids.length, "instance")}`} action="Wake" onClose=${onClose} submit=${submit} disabled=${failed !== null}>
    <p>${ids.length === 1 ? "It retries" : "They retry"} now with the deployed code: <strong><${Text} value=${of.name} /></strong>, ${of.kind}. An instance whose cause is not fixed stays stuck; trying loses nothing.</p>
    <ul class="names">${ids.slice(0, 8).map((id) => html`<li key=${id}><code><${Text} value=${clip(id, 200)} /></code></li>`)}${ids.length > 8 && html`<li class="muted">and ${ids.length - 8} more</li>`}</ul>
    ${failed && html`<div class="notice failed slim" role="alert"><div class="grow"><p>${plural(failed.length, "instance was", "instances were")} not woken:</p><ul>${failed.slice(0, 20).map((f) => html`<li key=${f.instance}><code><${Text} value=${f.instance} /></code>: <${Text} value=${f.error.message} /></li>`)}</ul></div></div>`}<//>`;
}
