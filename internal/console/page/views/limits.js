// Limits of activities and of instances, beside the queues.
import { html, useState } from "../ui.js";
import { get, path, post } from "../api.js";
import { useMayAct } from "../about.js";
import { Ago, Button, Chip, Empty, Field, FormDialog, IconButton, Resource, Text, toast } from "../components.js";
import { count, plural, span } from "../format.js";
import { format } from "../location.js";
import { useResource } from "../resource.js";
import { plainText } from "../visible.js";

// shownFirst is how many who hold or wait a limit shows at first.
const shownFirst = 5;

// limitsFirst is how many limits are shown at first, of which one looks for a key among more than a few.
const limitsFirst = 50, few = 8;

// mostSpan is the longest span of a rate, in milliseconds.
const mostSpan = 3_153_600_000_000;

// Limits shows the limits for which attempts or instances wait, and who has permits.
export function Limits() {
  const limits = useResource("limits", (signal) => get("limits", {}, { signal }), { poll: 15_000 });
  // A console without the activities table, or an older one, says nothing of limits.
  if (limits.error && ["not_offered", "no_such_route"].includes(limits.error.code)) return null;
  return html`<section class="limits"><div class="view-head"><h2>Limits</h2><${IconButton} icon="reload" label="Refresh the limits" onClick=${limits.reload} /></div>
    <p class="lead">Limits of instances, and limits and rates of activities that were changed, or that an attempt waited for in the last two weeks. Refreshed every 15 seconds.</p>
    <${Resource} of=${limits} title="The limits could not be read">${(data) => data.limits.length === 0
      ? html`<${Empty} title="Nothing has waited for a limit"><p>Activities and orchestrations registered with <code>turnstile.Limit</code> share permits across all instances. Activities registered with <code>turnstile.Rate</code> share a rate.</p><//>`
      : html`<${Found} all=${data.limits} reload=${limits.reload} />`}<//></section>`;
}

// Found shows the limits whose key has what one looks for, some at first.
function Found({ all, reload }) {
  const [text, setText] = useState(""), [most, setMost] = useState(limitsFirst);
  const like = text.trim().toLowerCase();
  const found = like === "" ? all : all.filter((l) => l.key.toLowerCase().includes(like));
  return html`${all.length > few && html`<p class="filters"><input type="search" aria-label="Find a key" placeholder="Key" value=${text} onInput=${(e) => { setText(e.target.value); setMost(limitsFirst); }} />
      <span class="muted" role="status">${like === "" ? `${count(all.length)} limits` : `${count(found.length)} of ${count(all.length)} limits`}</span></p>`}
    ${found.slice(0, most).map((l) => html`<${Limit} key=${(l.instances ? "i" : l.rate ? "r" : "a") + l.key} limit=${l} reload=${reload} />`)}
    ${found.length > most && html`<p class="pager"><${Button} onClick=${() => setMost(most + limitsFirst)}>Show ${count(Math.min(limitsFirst, found.length - most))} more of ${count(found.length)}<//></p>`}`;
}

const isSet = (limit) => limit.set > 0 || limit.closed === true;

// permits is how many there are, of a rate in which span.
function permits(n, perMS) {
  return perMS > 0 ? `${count(n)} per ${span(perMS)}` : count(n);
}

function Limit({ limit, reload }) {
  const [open, setOpen] = useState(false);
  const may = useMayAct();
  return html`<div class="card below limit" data-row><div class="view-head"><h3><code><${Text} value=${limit.key} /></code></h3>
      <span class="muted">${limit.rate ? limit.closed ? "starts none" : `starts at most ${permits(limit.permits, limit.per_ms)}` : limit.closed ? `${plural(limit.taken, "permit")} held` : `${count(limit.taken)} of ${count(limit.permits)} permits held`}, ${count(limit.length || limit.waiting.length)} waiting</span>
      ${limit.rate && html`<${Chip}>rate<//>`}
      ${limit.instances && html`<${Chip}>instances<//>`}
      ${limit.instances && limit.coordinator_status !== "running" && html`<a class="chip stuck" href=${format(["instances", limit.coordinator])}>coordinator is ${limit.coordinator_status}</a>`}
      ${limit.other > 0 && !limit.instances && html`<${Chip}>the code declares ${permits(limit.declared, limit.declared_per_ms)} and ${permits(limit.other, limit.other_per_ms)}<//>`}
      ${isSet(limit) && html`<${Chip}>${limit.closed ? "closed" : "set"}${limit.declared > 0 && `, the code declares ${permits(limit.declared, limit.declared_per_ms)}`}<//>`}
      <span class="grow" />${may && html`<${Button} onClick=${() => setOpen(true)}>Change<//>`}</div>
    ${limit.set_at && html`<p class="muted small">${isSet(limit) ? "Set" : "Reset"} by <${Text} value=${limit.set_by || "an unknown actor"} /> <${Ago} at=${limit.set_at} /></p>`}
    <${Attempts} title=${limit.instances ? "Running" : "Holding a permit"} all=${limit.held} instances=${limit.instances} />
    <${Attempts} title=${limit.instances ? "Waiting, in order" : "Waiting, longest first"} all=${limit.waiting} of=${limit.length} instances=${limit.instances} first=${limit.instances && may ? reload : null} />
    ${open && html`<${ChangeDialog} limit=${limit} onClose=${() => setOpen(false)} onDone=${reload} />`}</div>`;
}

// Attempts shows those who hold or wait: all that are known, of so many.
function Attempts({ title, all, of, instances, first }) {
  const [more, setMore] = useState(false);
  if (all.length === 0) return null;
  const shown = more ? all : all.slice(0, shownFirst);
  return html`<div class="table-wrap below"><table><thead><tr><th scope="col">${title}</th>${instances ? html`<th scope="col" class="number">Execution</th>` : html`<th scope="col" class="number">Event</th><th scope="col" class="number">Attempt</th>`}<th scope="col" class="since">Since</th>${first && html`<th scope="col">Move</th>`}</tr></thead>
    <tbody>${shown.map((a, i) => html`<tr key=${i}><td><a href=${format(["instances", a.instance])}><${Text} value=${a.instance} /></a></td>
      ${instances ? html`<td class="number">${a.execution_id}</td>` : html`<td class="number">${a.event_id}</td><td class="number">${a.attempt}</td>`}<td class="since"><${Ago} at=${a.since} /></td>
      ${first && html`<td>${i > 0 && html`<${Button} onClick=${() => moveToFront(a.instance, first)}>Move to front<//>`}</td>`}</tr>`)}</tbody></table></div>
    ${all.length > shown.length && html`<p class="pager"><${Button} onClick=${() => setMore(true)}>${of > all.length ? `Show the first ${count(all.length)} of ${count(of)}` : `Show all ${count(all.length)}`}<//></p>`}`;
}

async function moveToFront(instance, reload) {
  try {
    await post(path("instances", instance, "first"), {});
    toast({ text: `${plainText(instance)} moves to the front of the waiting list.` });
  } catch (err) {
    toast({ text: err.message, kind: "failed" });
  }
  reload();
}

function ChangeDialog({ limit, onClose, onDone }) {
  const [number, setNumber] = useState(String(limit.permits));
  const [seconds, setSeconds] = useState(limit.per_ms > 0 ? String(limit.per_ms / 1000) : "");
  const n = Number(number), wrong = number === "" || !Number.isInteger(n) || n < 0 || n > 100;
  const per = Math.round(Number(seconds) * 1000), wrongSpan = limit.rate === true && seconds !== "" && !(per >= 1 && per <= mostSpan);
  const change = (path, body, did) => async () => {
    try {
      await post(path, { ...body, key: limit.key, instances: limit.instances, rate: limit.rate });
      toast({ text: `${limit.rate ? "Rate" : "Limit"} ${plainText(limit.key)} ${did}.` });
    } finally {
      onDone();
    }
  };
  const reset = async () => {
    await change("limits/reset", {}, "is reset")();
    onClose();
  };
  return html`<${FormDialog} title=${limit.rate ? "Change a rate" : "Change a limit"} action="Set" disabled=${wrong || wrongSpan} onClose=${onClose} submit=${change("limits/set", { permits: n, per_ms: limit.rate && seconds !== "" && per !== limit.declared_per_ms ? per : undefined }, `is now ${n}`)}>
    <p>${limit.rate ? "Rate" : "Limit"} <code><${Text} value=${limit.key} /></code>. ${limit.instances ? "Running instances continue." : limit.rate ? "Workers apply the new number within a minute." : "Attempts that hold a permit keep it."}</p>
    <${Field} label=${limit.rate ? "Attempts per period" : "Permits"} hint=${`0 to 100. With 0, nothing starts until you set or reset it. Overrides ${limit.declared > 0 ? `the ${permits(limit.declared, limit.declared_per_ms)} in ` : ""}the code, across deployments, until it is reset.`} error=${wrong ? "Enter a whole number from 0 to 100." : ""}>${(p) => html`<input ...${p} type="number" min="0" max="100" value=${number} onInput=${(e) => setNumber(e.target.value)} />`}<//>
    ${limit.rate && html`<${Field} label="Period in seconds" hint="Leave empty for the period in the code." error=${wrongSpan ? "Enter a number greater than 0." : ""}>${(p) => html`<input ...${p} type="number" min="0.001" step="any" value=${seconds} onInput=${(e) => setSeconds(e.target.value)} />`}<//>`}
    ${isSet(limit) && html`<p><${Button} onClick=${reset}>Reset to ${limit.declared > 0 ? `the code's ${permits(limit.declared, limit.declared_per_ms)}` : "the code's number"}<//></p>`}<//>`;
}
