// Schedules: when each is due, what it has started, and what it has missed.
import { html, useState } from "../ui.js";
import { get, path, post } from "../api.js";
import { useMayAct } from "../about.js";
import { Ago, Button, Chip, Empty, Facts, Field, FormDialog, IconButton, InstanceLink, Moment, Payload, Resource, Text, toast } from "../components.js";
import { count } from "../format.js";
import { format } from "../location.js";
import { removing } from "../removal.js";
import { go } from "../router.js";
import { useResource } from "../resource.js";
import { plainText } from "../visible.js";

const word = { skip: "skip", buffer_one: "buffer one", buffer_all: "buffer all", allow: "allow", cancel_running: "cancel the running instance", terminate_running: "terminate the running instance" };

// when says when a schedule is due. Pure.
export function when(s) {
  if (s.every) return `every ${s.every}` + (s.offset ? `, offset ${s.offset}` : "");
  return `${s.cron} ${s.time_zone || "UTC"}`;
}

// Schedules. Props: name of one that is shown alone.
export function Schedules({ name }) {
  return name === undefined ? html`<${List} />` : html`<${One} key=${name} name=${name} />`;
}

function List() {
  const [tokens, setTokens] = useState([""]);
  const token = tokens.at(-1);
  const page = useResource("schedules " + token, (signal) => get("schedules", token ? { page_token: token } : {}, { signal }), { poll: 15_000 });
  return html`<div class="view-head"><h1>Schedules</h1><${IconButton} icon="reload" label="Refresh the schedules" onClick=${page.reload} /></div>
    <${Resource} of=${page} title="The schedules could not be read">${(data) => html`
      ${data.schedules.length === 0 && tokens.length === 1 && !data.next_page_token
        ? html`<${Empty} title="No schedules"><p>Create them in code with <code>schedule.Apply</code>. A schedule starts an orchestration by a cron expression or at an interval.</p><//>`
        : html`<div class="table-wrap"><table><thead><tr><th scope="col">Schedule</th><th scope="col">Status</th><th scope="col">When</th><th scope="col">Next run</th><th scope="col">Orchestration</th><th scope="col" class="number">Started</th><th scope="col" class="number">Missed</th></tr></thead>
          <tbody>${data.schedules.map((s) => html`<tr key=${s.name} data-row><td><a data-row-link href=${format(["schedules", s.name])}><${Text} value=${s.name} /></a></td><td><${State} of=${s} /></td>
            <td class="nowrap"><code><${Text} value=${when(s)} /></code></td><td>${s.next_runs.length > 0 ? html`<${Ago} at=${s.next_runs[0]} />` : "–"}</td><td><${Text} value=${s.orchestration} /></td>
            <td class="number">${count(s.started)}</td><td class="number">${count(s.missed_runs)}</td></tr>`)}</tbody></table></div>`}
      <p class="pager">${tokens.length > 1 && html`<${Button} onClick=${() => setTokens(tokens.slice(0, -1))}>Newer<//>`}
        ${data.next_page_token && html`<${Button} onClick=${() => setTokens([...tokens, data.next_page_token])}>Older<//>`}</p>`}<//>`;
}

function State({ of }) {
  return html`<${Chip} kind=${of.status === "active" ? "" : "accent"}>${of.status}<//>`;
}

function One({ name }) {
  const one = useResource("schedule " + name, (signal) => get(path("schedules", name), {}, { signal }), { poll: 15_000 });
  const [open, setOpen] = useState(null);
  const may = useMayAct();
  // What a schedule is asked for is queued; its next turn shows it.
  const done = () => { one.reload(); setTimeout(one.reload, 1500); };
  return html`<p class="small"><a href="#/schedules">All schedules</a></p><div class="view-head"><h1><${Text} value=${name} /></h1>${one.data && html`<${State} of=${one.data} />`}
      <${IconButton} icon="reload" label="Refresh the schedule" onClick=${one.reload} /><span class="grow" />
      ${may && one.data && html`<div class="actions" role="group" aria-label="Schedule actions">${actionsOf(one.data).map(([key, label, icon]) => html`<${Button} key=${key} icon=${icon} onClick=${() => setOpen(key)}>${label}<//>`)}</div>`}</div>
    <${Resource} of=${one} title="The schedule could not be read">${(s) => html`<${Described} of=${s} />`}<//>
    ${open && html`<${Dialogs} key=${open} which=${open} name=${name} onClose=${() => setOpen(null)} onDone=${done} />`}`;
}

// actionsOf are those that make sense: [key, word, icon]. Pure.
export function actionsOf(s) {
  return [
    s.status === "paused" ? ["resume", "Resume", "play"] : ["pause", "Pause", "pause"],
    ["trigger", "Trigger", "bell"],
    ["backfill", "Backfill", "left"],
    ["delete", "Delete", "trash"],
  ];
}

function Described({ of: s }) {
  return html`${s.note && html`<p class="notice slim"><span class="grow">Note: <${Text} value=${s.note} lines=${true} /></span></p>`}
    ${!["active", "paused", "over"].includes(s.status) && html`<p class="notice slim failed"><span class="grow">The schedule's instance is not running: <${InstanceLink} id=${s.instance} /></span></p>`}
    <section class="card"><h2>Definition</h2><${Facts} of=${[
      ["When", html`<code><${Text} value=${when(s)} /></code>`], ["From", s.start_at && html`<${Moment} at=${s.start_at} />`], ["Until", s.end && html`<${Moment} at=${s.end} />`],
      ["Maximum jitter", s.jitter], ["Overlap", word[s.overlap] ?? s.overlap], ["Catch-up", s.catch_up + (s.window ? `, within ${s.window}` : "")],
      ["Orchestration", html`<${Text} value=${[s.orchestration, s.version].filter(Boolean).join(" ")} />`], ["Instance", html`<${InstanceLink} id=${s.instance} />`],
      ["Started", html`<a href=${format(["instances"], { schedule: s.name })}>${count(s.started)}</a>`], ["Missed", count(s.missed_runs)]]} />
      ${s.input !== undefined && html`<h3>Input</h3><${Payload} value=${s.input} label="input" />`}</section>
    <section class="card below"><h2>Next runs</h2>${s.next_runs.length === 0 ? html`<p class="muted">None: the schedule ${s.status === "paused" ? "is paused" : "has ended"}.</p>`
      : html`<ol class="plain">${s.next_runs.map((at) => html`<li key=${at}><${Moment} at=${at} /> <span class="muted">(<${Ago} at=${at} />)</span></li>`)}</ol>`}
      ${s.buffered.length > 0 && html`<p>Waiting for the running instance: ${count(s.buffered.length)}, the first scheduled for <${Moment} at=${s.buffered[0]} />.</p>`}</section>
    <section class="card below"><h2>Recent runs</h2>${s.recent.length === 0 ? html`<p class="muted">No runs yet.</p>`
      : html`<div class="table-wrap below"><table><thead><tr><th scope="col">Scheduled for</th><th scope="col">Instance</th><th scope="col">Started</th><th scope="col">Outcome</th></tr></thead>
        <tbody>${s.recent.map((r) => html`<tr key=${r.instance + r.started_at}><td class="nowrap"><${Moment} at=${r.scheduled_at} /></td><td><${InstanceLink} id=${r.instance} clip=${true} /></td><td><${Ago} at=${r.started_at} /></td>
          <td>${r.outcome}${r.failure && html`: <${Text} value=${r.failure} max=${200} />`}</td></tr>`)}</tbody></table></div>`}</section>
    <section class="card below"><h2>Missed runs</h2>${s.missed.length === 0 ? html`<p class="muted">Every scheduled run started an instance.</p>`
      : html`<div class="table-wrap below"><table><thead><tr><th scope="col">From</th><th scope="col">To</th><th scope="col" class="number">Runs</th><th scope="col">Reason</th></tr></thead>
        <tbody>${s.missed.map((m) => html`<tr key=${m.from}><td class="nowrap"><${Moment} at=${m.from} /></td><td class="nowrap"><${Moment} at=${m.to} /></td><td class="number">${count(m.runs)}</td><td>${m.reason}</td></tr>`)}</tbody></table></div>`}</section>`;
}

function Dialogs({ which, name, onClose, onDone }) {
  const [note, setNote] = useState("");
  const [from, setFrom] = useState(""), [to, setTo] = useState("");
  const sent = async (body, did) => toast(did(await post(path("schedules", name, which), body())));
  const ask = (body, did) => async () => {
    try {
      await sent(body, did);
    } finally {
      onDone();
    }
  };
  const end = () => removing(path("schedules", name), async () => {
    await sent(noted, () => ({ text: `Delete request sent to schedule ${called}.` }));
    go("#/schedules");
  });
  const called = plainText(name);
  const noteField = html`<${Field} label="Note" hint="Optional. Shown with the schedule.">${(p) => html`<input ...${p} type="text" value=${note} autocomplete="off" onInput=${(e) => setNote(e.target.value)} />`}<//>`;
  const noted = () => (note ? { note } : {});
  switch (which) {
    case "pause": return html`<${FormDialog} title="Pause a schedule" action="Pause the schedule" onClose=${onClose} submit=${ask(noted, () => ({ text: `Pause request sent to schedule ${called}.` }))}>
      <p>It starts nothing until it is resumed. Runs that are due in the meantime are skipped.</p>${noteField}<//>`;
    case "resume": return html`<${FormDialog} title="Resume a schedule" action="Resume the schedule" onClose=${onClose} submit=${ask(noted, () => ({ text: `Resume request sent to schedule ${called}.` }))}>
      <p>It continues with the next scheduled time.</p>${noteField}<//>`;
    case "trigger": return html`<${FormDialog} title="Trigger a schedule" action="Start an instance" onClose=${onClose} submit=${ask(() => ({}), (a) => ({ text: `Schedule ${called} started an instance.`, href: format(["instances", a.instance]), link: "Show it" }))}>
      <p>It starts an instance now, even if it is paused or another instance is running.</p><//>`;
    case "backfill": {
      const at = (text) => new Date(text + "Z"), wrong = from && to && at(from) > at(to);
      return html`<${FormDialog} title="Backfill a schedule" action="Start the runs" disabled=${!from || !to || wrong} onClose=${onClose}
        submit=${ask(() => ({ from: at(from).toISOString(), to: at(to).toISOString() }), (a) => ({ text: `${count(a.runs)} ${a.runs === 1 ? "run" : "runs"} of ${called} in that range.` }))}>
        <p>It starts the runs of a time range, at most 1,000. A run that has already started is not started again.</p>
        <${Field} label="From (UTC)">${(p) => html`<input ...${p} type="datetime-local" value=${from} onInput=${(e) => setFrom(e.target.value)} />`}<//>
        <${Field} label="To (UTC), inclusive" error=${wrong ? "The end is before the start." : ""}>${(p) => html`<input ...${p} type="datetime-local" value=${to} onInput=${(e) => setTo(e.target.value)} />`}<//><//>`;
    }
  }
  return html`<${FormDialog} title="Delete a schedule" action="Delete the schedule" kind="danger" onClose=${onClose} submit=${end}>
    <p>It starts no more instances. Instances that it started continue, and its name can be used again.</p>${noteField}<//>`;
}
