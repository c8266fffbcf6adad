// The queues.
import { html, useState } from "../ui.js";
import { get, post } from "../api.js";
import { useAbout } from "../about.js";
import { Ago, Button, Empty, Failure, IconButton, Resource, Text } from "../components.js";
import { count, span } from "../format.js";
import { useResource } from "../resource.js";

// Queues shows what is in the queues.
export function Queues() {
  const about = useAbout();
  const offered = about?.capabilities?.queues === true;
  const queues = useResource(offered ? "queues" : null, (signal) => get("queues", {}, { signal }), { poll: 15_000 });
  const [ages, setAges] = useState({ data: null, busy: false, error: null });
  if (about && !offered) {
    return html`<div class="view-head"><h1>Queues</h1></div><${Empty} title="The queues are not shown here"><p>This console was not given the queues. <code>turnstile console</code> shows those of a deployed stack.</p><//>`;
  }
  const ask = async () => {
    setAges({ data: null, busy: true, error: null });
    try {
      setAges({ data: await post("queues/oldest", {}), busy: false, error: null });
    } catch (error) {
      setAges({ data: null, busy: false, error });
    }
  };
  return html`<div class="view-head"><h1>Queues</h1><${IconButton} icon="reload" label="Read again" onClick=${queues.reload} /></div>
    <p class="lead">Counts are approximate, as the service gives them. Read every 15 seconds while this view is shown.</p>
    <${Resource} of=${queues} title="The queues could not be read">${(data) => html`<${Table} queues=${data.queues} ages=${ages.data} />`}<//>
    ${about?.capabilities?.queue_ages && html`<div class="card"><h2>Age of the oldest message</h2><p>A metric of CloudWatch: asking for it is charged, and it is some minutes old.</p>
      <p class="pager"><${Button} busy=${ages.busy} onClick=${ask}>Ask for it<//>${ages.data?.at && html`<span class="muted">as of <${Ago} at=${ages.data.at} /></span>`}</p>
      ${ages.error && html`<${Failure} error=${ages.error} title="The ages could not be read" />`}</div>`}`;
}

function Table({ queues, ages }) {
  const oldest = new Map((ages?.queues ?? []).map((q) => [q.queue ?? q.name, q]));
  return html`<div class="table-wrap"><table><thead><tr><th scope="col">Queue</th><th scope="col">Holds</th><th scope="col" class="number">Waiting</th><th scope="col" class="number">In flight</th><th scope="col" class="number">Delayed</th>${ages && html`<th scope="col" class="number">Oldest</th>`}</tr></thead>
    <tbody>${queues.map((q) => html`<tr key=${q.name} data-row><td><code><${Text} value=${q.name} /></code></td><td class="muted">${q.about ?? q.purpose ?? ""}</td>
      <td class="number">${count(q.visible ?? 0)}</td><td class="number">${count(q.in_flight ?? 0)}</td><td class="number">${count(q.delayed ?? 0)}</td>
      ${ages && html`<td class="number">${oldest.has(q.name) ? span((oldest.get(q.name).seconds ?? 0) * 1000) : "–"}</td>`}</tr>`)}</tbody></table></div>`;
}
