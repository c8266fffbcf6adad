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

const word = { skip: "skip", buffer_one: "buffer one", buffer_all: "buffer all", allow: "allow", cancel_running: "cancel what runs", terminate_running: "terminate what runs" };

// when says when a schedule is due. Pure.
export function when(s) {
  if (s.every) return `every ${s.every}` + (s.offset ? `, offset ${s.offset}` : "");
  return `${s.cron} ${s.zone || "UTC"}`;
}

// Schedules. Props: name of one that is shown alone.
export function Schedules({ name }) {
  return name === undefined ? html`<${List} />` : html`<${One} key=${name} name=${name} />`;
}

function List() {
  const [tokens, setTokens] = useState([""]);
  const token = tokens.at(-1);
  const page = useResource("schedules " + token, (signal) => get("schedules", token ? { page_token: token } : {}, { signal }), { poll: 15_000 });
  return html`<div class="view-head"><h1>Schedules</h1><${IconButton} icon="reload" label="Read the schedules again" onClick=${page.reload} /></div>
    <${Resource} of=${page} title="The schedules could not be read">${(data) => html`
      ${data.schedules.length === 0 && tokens.length === 1 && !data.next_page_token
        ? html`<${Empty} title="There are no schedules"><p>A program creates them with <code>schedule.Apply</code>. They start an orchestration by a cron expression or at an interval.</p><//>`
        : html`<div class="table-wrap"><table><thead><tr><th scope="col">Schedule</th><th scope="col">Status</th><th scope="col">When</th><th scope="col">Next</th><th scope="col">Starts</th><th scope="col" class="number">Started</th><th scope="col" class="number">Missed</th></tr></thead>
          <tbody>${data.schedules.map((s) => html`<tr key=${s.name} data-row><td><a data-row-link href=${format(["schedules", s.name])}><${Text} value=${s.name} /></a></td><td><${State} of=${s} /></td>
            <td class="nowrap"><code><${Text} value=${when(s)} /></code></td><td>${s.ticks.length > 0 ? html`<${Ago} at=${s.ticks[0]} />` : "–"}</td><td><${Text} value=${s.orchestration} /></td>
            <td class="number">${count(s.started)}</td><td class="number">${count(s.missed_ticks)}</td></tr>`)}</tbody></table></div>`}
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
      <${IconButton} icon="reload" label="Read the schedule again" onClick=${one.reload} /><span class="grow" />
      ${may && one.data && html`<div class="actions" role="group" aria-label="Actions of the schedule">${actionsOf(one.data).map(([key, label, icon]) => html`<${Button} key=${key} icon=${icon} onClick=${() => setOpen(key)}>${label}<//>`)}</div>`}</div>
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
    ${!["active", "paused", "over"].includes(s.status) && html`<p class="notice slim failed"><span class="grow">The instance that the schedule is does not run: <${InstanceLink} id=${s.instance} /></span></p>`}
    <section class="card"><h2>Definition</h2><${Facts} of=${[
      ["When", html`<code><${Text} value=${when(s)} /></code>`], ["Begins", s.begin && html`<${Moment} at=${s.begin} />`], ["Ends", s.end && html`<${Moment} at=${s.end} />`],
      ["Jitter, up to", s.jitter], ["If one runs", word[s.overlap] ?? s.overlap], ["After an outage", s.catch_up + (s.window ? `, within ${s.window}` : "")],
      ["Starts", html`<${Text} value=${[s.orchestration, s.version].filter(Boolean).join(" ")} />`], ["Instance", html`<${InstanceLink} id=${s.instance} />`],
      ["Started", html`<a href=${format(["instances"], { schedule: s.name })}>${count(s.started)}</a>`], ["Missed", count(s.missed_ticks)]]} />
      ${s.input !== undefined && html`<h3>Input</h3><${Payload} value=${s.input} label="input" />`}</section>
    <section class="card below"><h2>Next ticks</h2>${s.ticks.length === 0 ? html`<p class="muted">None: ${s.status === "paused" ? "it is paused" : "it is over"}.</p>`
      : html`<ol class="plain">${s.ticks.map((at) => html`<li key=${at}><${Moment} at=${at} /> <span class="muted">(<${Ago} at=${at} />)</span></li>`)}</ol>`}
      ${s.buffered.length > 0 && html`<p>${count(s.buffered.length)} wait for what runs, the first that of <${Moment} at=${s.buffered[0]} />.</p>`}</section>
    <section class="card below"><h2>Started last</h2>${s.recent.length === 0 ? html`<p class="muted">Nothing yet.</p>`
      : html`<div class="table-wrap below"><table><thead><tr><th scope="col">Tick</th><th scope="col">Instance</th><th scope="col">Started</th><th scope="col">Outcome</th></tr></thead>
        <tbody>${s.recent.map((r) => html`<tr key=${r.instance + r.started_at}><td class="nowrap"><${Moment} at=${r.tick} /></td><td><${InstanceLink} id=${r.instance} clip=${true} /></td><td><${Ago} at=${r.started_at} /></td>
          <td>${r.outcome}${r.failure && html`: <${Text} value=${r.failure} max=${200} />`}</td></tr>`)}</tbody></table></div>`}</section>
    <section class="card below"><h2>Started nothing</h2>${s.missed.length === 0 ? html`<p class="muted">Each tick has started an instance.</p>`
      : html`<div class="table-wrap below"><table><thead><tr><th scope="col">From</th><th scope="col">To</th><th scope="col" class="number">Ticks</th><th scope="col">Why</th></tr></thead>
        <tbody>${s.missed.map((m) => html`<tr key=${m.from}><td class="nowrap"><${Moment} at=${m.from} /></td><td class="nowrap"><${Moment} at=${m.to} /></td><td class="number">${count(m.ticks)}</td><td>${m.reason}</td></tr>`)}</tbody></table></div>`}</section>`;
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
    await sent(noted, () => ({ text: `Schedule ${called} is asked to end.` }));
    go("#/schedules");
  });
  const called = plainText(name);
  const noteField = html`<${Field} label="Note" hint="Why; everyone who looks at the schedule sees it.">${(p) => html`<input ...${p} type="text" value=${note} autocomplete="off" onInput=${(e) => setNote(e.target.value)} />`}<//>`;
  const noted = () => (note ? { note } : {});
  switch (which) {
    case "pause": return html`<${FormDialog} title="Pause a schedule" action="Pause" onClose=${onClose} submit=${ask(noted, () => ({ text: `Schedule ${called} is asked to pause.` }))}>
      <p>It starts nothing until it is resumed. Ticks that pass meanwhile are not started then.</p>${noteField}<//>`;
    case "resume": return html`<${FormDialog} title="Resume a schedule" action="Resume" onClose=${onClose} submit=${ask(noted, () => ({ text: `Schedule ${called} is asked to go on.` }))}>
      <p>It goes on with the first tick after now.</p>${noteField}<//>`;
    case "trigger": return html`<${FormDialog} title="Trigger a schedule" action="Trigger" onClose=${onClose} submit=${ask(() => ({}), (a) => ({ text: `Started for ${called}.`, href: format(["instances", a.instance]), link: "Look at it" }))}>
      <p>It starts an instance now, also if it is paused or another runs.</p><//>`;
    case "backfill": {
      const at = (text) => new Date(text + "Z"), wrong = from && to && at(from) > at(to);
      return html`<${FormDialog} title="Backfill a schedule" action="Backfill" disabled=${!from || !to || wrong} onClose=${onClose}
        submit=${ask(() => ({ from: at(from).toISOString(), to: at(to).toISOString() }), (a) => ({ text: `${count(a.ticks)} ${a.ticks === 1 ? "tick" : "ticks"} of ${called} in that range.` }))}>
        <p>It starts the ticks of a range, at most 1,000. A tick that was started before is not started again.</p>
        <${Field} label="From (UTC)">${(p) => html`<input ...${p} type="datetime-local" value=${from} onInput=${(e) => setFrom(e.target.value)} />`}<//>
        <${Field} label="To (UTC), included" error=${wrong ? "The end is before the beginning." : ""}>${(p) => html`<input ...${p} type="datetime-local" value=${to} onInput=${(e) => setTo(e.target.value)} />`}<//><//>`;
    }
  }
  return html`<${FormDialog} title="Delete a schedule" action="Delete" kind="danger" onClose=${onClose} submit=${end}>
    <p>It starts nothing any more. What it has started goes on, and its name can be created again.</p>${noteField}<//>`;
}
