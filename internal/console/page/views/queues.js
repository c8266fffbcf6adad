// The queues.
import { html, useEffect, useState } from "../ui.js";
import { get, post } from "../api.js";
import { useAbout, useMayAct } from "../about.js";
import { Ago, Button, Chip, Empty, Failure, IconButton, PausedBy, Resource, StatusShape, Text, toast } from "../components.js";
import { listChanged } from "../counts.js";
import { count, span } from "../format.js";
import { format } from "../location.js";
import { useResource } from "../resource.js";
import { plainText } from "../visible.js";
import { Limits } from "./limits.js";

// Queues shows what is in the queues.
export function Queues() {
  const about = useAbout();
  const offered = about?.capabilities?.queues === true, aged = about?.capabilities?.queue_ages === true, free = about?.capabilities?.free_looks === true;
  const queues = useResource(offered ? "queues" : null, (signal) => get("queues", {}, { signal }), { poll: 15_000 });
  const [ages, setAges] = useState({ data: null, busy: false, error: null });
  const ask = async () => {
    setAges((s) => ({ ...s, busy: true, error: null }));
    try {
      setAges({ data: await post("queues/oldest", {}), busy: false, error: null });
    } catch (error) {
      setAges({ data: null, busy: false, error });
    }
  };
  // Where the ages cost nothing, they are read with the rest.
  useEffect(() => { if (free && aged && queues.data) ask(); }, [free, aged, queues.data]);
  if (about && !offered) {
    return html`<div class="view-head"><h1>Queues</h1></div><${Empty} title="Queues are not available"><p>This console has no access to the queues. For a deployed stack, use <code>turnstile console</code>.</p><//><${Limits} />`;
  }
  return html`<div class="view-head"><h1>Queues</h1><${IconButton} icon="reload" label="Refresh" onClick=${queues.reload} /></div>
    <p class="lead">${free ? "" : "SQS reports approximate counts. "}Refreshed every 15 seconds while this view is open.</p>
    <${Resource} of=${queues} title="The queues could not be read">${(data) => html`<${Table} queues=${data.queues} ages=${ages.data} reload=${queues.reload} />`}<//>
    ${aged && free && ages.error && html`<${Failure} error=${ages.error} title="The message ages could not be read" />`}
    ${aged && !free && html`<div class="card below"><h2>Age of the oldest message</h2><p>Read only on request: on AWS this is a CloudWatch metric, which AWS charges for and which lags by a few minutes.</p>
      <p class="pager"><${Button} busy=${ages.busy} onClick=${ask}>Read the age<//></p>
      ${ages.error && html`<${Failure} error=${ages.error} title="The message ages could not be read" />`}</div>`}
    <div class="queues-limits"><${Limits} /></div>`;
}

// What each queue holds.
const holds = {
  orchestrator: "messages for orchestrations, in order per instance",
  delay: "delayed messages and external events",
  activity: "activity attempts to run",
  "activity-dead": "attempts that no worker finished; they are sent again",
  "dead-fifo": "dead letters of the orchestrator queue",
  dead: "dead letters of the other queues",
};

// pausable is the name by which an activity queue is paused; empty for other queues.
function pausable(name) {
  return name === "activity" ? "default" : name.startsWith("activity:") ? name.slice("activity:".length) : "";
}

// Paused says that a queue is paused, by whom and since when.
function Paused({ pause }) {
  if (!pause?.paused) return null;
  return html` <${Chip}>paused<//> <span class="muted small"><${PausedBy} pause=${{ by: pause.by || "an unknown actor", at: pause.at }} /></span>`;
}

async function setPaused(queue, paused, reload) {
  try {
    await post(paused ? "queues/pause" : "queues/unpause", { queue });
    toast({ text: paused ? `Queue ${plainText(queue)} is paused: its attempts wait, and running attempts finish.` : `Queue ${plainText(queue)} is unpaused.` });
  } catch (err) {
    toast({ text: err.message, kind: "failed" });
  }
  reload();
  listChanged();
}

function Table({ queues, ages, reload }) {
  const about = useAbout(), may = useMayAct() && about?.capabilities?.queue_pause === true;
  const oldest = new Map((ages?.ages ?? []).map((q) => [q.name, q]));
  return html`<div class="table-wrap"><table class="queues"><thead><tr><th scope="col">Queue</th><th scope="col">Holds</th><th scope="col" class="number">Waiting</th><th scope="col" class="number">In flight</th><th scope="col" class="number">Delayed</th>${ages && html`<th scope="col" class="number">Oldest</th>`}${may && html`<th scope="col">Pause</th>`}</tr></thead>
    <tbody>${queues.map((q) => html`<tr key=${q.name} data-row><td><code><${Text} value=${q.name} /></code>${about?.capabilities?.queue_pause && pausable(q.name) && q.visible + q.in_flight + q.delayed > 0 && html` <a class="small" href=${format(["instances"], { queue: pausable(q.name) })}>instances</a>`}${q.fifo && html` <${Chip}>FIFO<//>`}<${Paused} pause=${q.pause} /></td>
      <td class="muted">${holds[q.name] ?? ""}</td>
      <td class="number">${q.dead_letters && q.visible > 0 ? html`<a class="attention" href="#/dead-letters" title="Show the dead letters"><${StatusShape} status="stuck" /> ${count(q.visible)}</a>` : count(q.visible)}</td><td class="number">${count(q.in_flight)}</td><td class="number">${count(q.delayed)}</td>
      ${ages && html`<td class="number">${oldestOf(oldest.get(q.name))}</td>`}
      ${may && html`<td>${pausable(q.name) && html`<${Button} aria-label=${`${q.pause?.paused ? "Unpause" : "Pause"} the queue ${plainText(pausable(q.name))}`} onClick=${() => setPaused(pausable(q.name), !q.pause?.paused, reload)}>${q.pause?.paused ? "Unpause" : "Pause"}<//>`}</td>`}</tr>`)}</tbody></table></div>`;
}

function oldestOf(age) {
  if (!age?.at) return html`<span class="muted">not measured</span>`;
  return html`${age.oldest_seconds > 0 ? span(age.oldest_seconds * 1000) : "none"} <span class="muted small">(<${Ago} at=${age.at} />)</span>`;
}
