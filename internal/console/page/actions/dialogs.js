// The dialogs of the actions. Props of each: instance (as the API has it),
// onClose, onDone.
import { html, useEffect, useState } from "../ui.js";
import { useAbout } from "../about.js";
import { path, post } from "../api.js";
import { find, useCatalog, useCheck } from "../catalog.js";
import { Button, Field, FormDialog, Id, Moment, Text, TypedField, jsonError } from "../components.js";
import { format } from "../location.js";
import { removing } from "../removal.js";
import { go } from "../router.js";
import { newID, send, withJSON } from "./send.js";

// sends makes the submit of a dialog: what was refused changes the instance for
// the reader too, for it lost a race.
function sends(action, body, did, { instance, onDone }) {
  return async () => {
    try {
      await send(path("instances", instance.instance, action), body, did, instance.instance);
    } finally {
      onDone?.();
    }
  };
}

const of = (instance) => html`<p>Instance <${Id} id=${instance.instance} copy=${false} /></p>`;

// RaiseDialog. Props besides: waits, the names of the events that the instance waits
// for; name to begin with.
export function RaiseDialog(props) {
  const waits = [...new Set(props.waits ?? [])];
  const [name, setName] = useState(props.name ?? (waits.length === 1 ? waits[0] : "")), [data, setData] = useState(""), [id] = useState(newID);
  // What it waits for may be read after the dialog has opened.
  const [touched, touch] = useState(props.name !== undefined || name !== "");
  useEffect(() => {
    if (touched || waits.length !== 1) return;
    touch(true);
    setName(waits[0]);
  }, [touched, waits.join("\n")]);
  const catalog = useCatalog(), check = useCheck("event", name, "", data);
  const names = [...waits, ...catalog.events.map((e) => e.name).filter((n) => !waits.includes(n))];
  const wrong = name.trim() === "" || jsonError(data) !== "";
  // What is odd about an event is said before it is sent; pressed again, it is sent.
  const [odd, setOdd] = useState({ of: "", notes: [] }), event = JSON.stringify([name, data]), notes = odd.of === event ? odd.notes : [];
  const submit = async () => {
    if (!(await check.sure())) return false;
    if (odd.of !== event) {
      const { notes = [] } = await post(path("instances", props.instance.instance, "raise"), withJSON({ name, dry_run: true }, { data: check.problems.length > 0 ? "" : data }));
      setOdd({ of: event, notes });
      if (notes.length > 0) return false;
    }
    return sends("raise", withJSON({ name, sender_id: id }, { data }), `Event ${name} sent to`, props)();
  };
  return html`<${FormDialog} title="Raise an event" action=${notes.length + check.problems.length > 0 ? "Raise it all the same" : "Raise"} onClose=${props.onClose} disabled=${wrong} submit=${submit}>
    ${of(props.instance)}
    <${Field} label="Event" hint="Its name in the code; case-sensitive.">${(p) => html`<input ...${p} value=${name} required autocomplete="off" spellcheck=${false} list="known-events" onInput=${(e) => { touch(true); setName(e.target.value); }} />`}<//>
    <datalist id="known-events">${names.map((n) => html`<option key=${n} value=${n} />`)}</datalist>
    ${waits.length > 0 && html`<p class="fill"><span class="muted small">It waits for</span>${waits.slice(0, 10).map((n) => html`<${Button} key=${n} kind="quiet" aria-pressed=${n === name ? "true" : "false"} onClick=${() => setName(n)}><${Text} value=${n} max=${60} /><//>`)}</p>`}
    <${TypedField} label="Data" hint='JSON, such as {"by":"ada"}; empty for none.' value=${data} onInput=${setData} type=${find(catalog.events, name.trim())?.takes} check=${check} first=${name !== ""} />
    ${notes.length > 0 && html`<div class="notice slim" role="alert"><div class="grow">${notes.map((n) => html`<p key=${n}><${Text} value=${sentence(n)} lines=${true} max=${1000} /></p>`)}</div></div>`}<//>`;
}

const sentence = (text) => text[0].toUpperCase() + text.slice(1);

function Reason({ value, onInput }) {
  return html`<${Field} label="Reason" hint="Stands in the history.">${(p) => html`<input ...${p} value=${value} autocomplete="off" onInput=${(e) => onInput(e.target.value)} />`}<//>`;
}

export function CancelDialog(props) {
  const [reason, setReason] = useState("");
  return html`<${FormDialog} title="Cancel" action="Cancel the instance" onClose=${props.onClose} submit=${sends("cancel", { reason }, "Cancel sent to", props)}>
    ${of(props.instance)}<p>What it waits for returns an error that says it was cancelled, and its code can still clean up. It reaches children and running activities.</p>
    <${Reason} value=${reason} onInput=${setReason} /><//>`;
}

export function TerminateDialog(props) {
  const [reason, setReason] = useState("");
  return html`<${FormDialog} title="Terminate" action="Terminate the instance" kind="danger" onClose=${props.onClose} submit=${sends("terminate", { reason }, "Terminate sent to", props)}>
    ${of(props.instance)}<p>It ends at once, and its code does not run: nothing is compensated. It reaches children and running activities. To let it clean up, cancel it.</p>
    <${Reason} value=${reason} onInput=${setReason} /><//>`;
}

export function WakeDialog(props) {
  return html`<${FormDialog} title="Wake" action="Wake the instance" onClose=${props.onClose} submit=${sends("wake", {}, "Wake-up sent to", props)}>
    ${of(props.instance)}<p>A stuck instance tries again now. All that it has open (activities, timers, children) is sent again, which is harmless.</p><//>`;
}

export function SuspendDialog(props) {
  const [reason, setReason] = useState("");
  return html`<${FormDialog} title="Suspend" action="Suspend the instance" onClose=${props.onClose} submit=${sends("suspend", { reason }, "Suspend sent to", props)}>
    ${of(props.instance)}<p>Its code does not run until it is resumed. What comes meanwhile is recorded: events, results of activities that were begun, timers. Nothing is lost.</p>
    <${Reason} value=${reason} onInput=${setReason} /><//>`;
}

export function ResumeDialog(props) {
  const [reason, setReason] = useState("");
  return html`<${FormDialog} title="Resume" action="Resume the instance" onClose=${props.onClose} submit=${sends("resume", { reason }, "Resume sent to", props)}>
    ${of(props.instance)}<p>Its code takes what came while it was suspended, in its order, and goes on.</p>
    <${Reason} value=${reason} onInput=${setReason} /><//>`;
}

// FireDialog. Props besides: row, as the API has it.
export function FireDialog(props) {
  const [reason, setReason] = useState(""), { row } = props;
  return html`<${FormDialog} title="Fire the timer now" action="Fire it" onClose=${props.onClose} submit=${sends("fire-timer", { event_id: row.event_id, reason }, "Sent: the timer fires in", props)}>
    ${of(props.instance)}<p>The timer of event ${row.event_id}${row.label && html`, <strong><${Text} value=${row.label} max=${120} /></strong>,`} fires now${row.due_at && html`, and not when it is due, <${Moment} at=${row.due_at} />`}: a sleep returns, a wait with a timeout runs out. The history says that it was fired early. The clock does not move: the code still sees the time of day.</p>
    <${Reason} value=${reason} onInput=${setReason} /><//>`;
}

// RetryDialog. Props besides: row, as the API has it.
export function RetryDialog(props) {
  const { next } = props.row.live;
  return html`<${FormDialog} title="Retry now" action="Retry it" onClose=${props.onClose} submit=${sends("retry-now", { event_id: props.row.event_id }, "Sent: the activity is retried in", props)}>
    ${of(props.instance)}<p>Attempt ${next.attempt} of <${Text} value=${props.row.name} max=${120} /> begins now, and not again when it is due, <${Moment} at=${next.due_at} />.</p>
    <p>The last attempt failed: <${Text} value=${next.kind + ": " + next.message} max=${300} /></p><//>`;
}

export function RedriveDialog(props) {
  return html`<${GoOnDialog} ...${props} title="Redrive">It goes on where it failed, with the code that is deployed.<//>`;
}

export function ForkDialog(props) {
  return html`<${GoOnDialog} ...${props} title="Fork" forks>Another instance goes on in its place, with the code that is deployed, and this one stays as it is. The fork has activities, timers and children of its own.<//>`;
}

// GoOnDialog redrives an instance, or forks it. Props besides: title, forks, from to begin with.
function GoOnDialog(props) {
  const { forks = false, title } = props, [as, setAs] = useState("");
  const [from, setFrom] = useState(String(props.from ?? "")), [reason, setReason] = useState(""), [id] = useState(newID);
  const wrong = (from !== "" && !/^[1-9][0-9]*$/.test(from)) || (forks && (as === "" || as === props.instance.instance));
  // What would be started anew is said before it is sent; pressed again, it is sent.
  const [plan, setPlan] = useState({ of: null, again: [] });
  const about = useAbout(), [refused, setRefused] = useState({ letters: [], error: null });
  const submit = async () => {
    const body = { ...(forks && { as }), ...(from === "" ? {} : { from: Number(from) }), reason };
    if (plan.of !== from) {
      setPlan({ ...(await post(path("instances", props.instance.instance, "redrive"), { ...body, dry_run: true })), of: from });
      // The console may lack the code of the orchestrator, so it says what that has refused.
      if (about?.capabilities.dead_letters) {
        post("dead-letters/peek", { instance: forks ? as : props.instance.instance, reason: "redrive_refused", limit: 10 })
          .then(({ letters }) => setRefused({ letters, error: null }), (error) => setRefused({ letters: [], error }));
      }
      return false;
    }
    await sends("redrive", { ...body, start_id: id }, forks ? "Sent: a fork of" : "Redrive sent to", props)();
    if (forks) go(format(["instances", as]));
  };
  const seen = plan.of === from;
  return html`<${FormDialog} title=${title} action=${seen ? `${title} the instance` : "Show what starts anew"} onClose=${props.onClose} disabled=${wrong} submit=${submit}>
    ${of(props.instance)}<p>${props.children} What was completed stays completed; what failed or was open starts anew. If the code disagrees with the history, nothing is changed, and the reason is a dead letter.</p>
    ${forks && html`<${Field} label="Id of the fork" hint="Of an instance that is not there yet.">${(p) => html`<input ...${p} value=${as} required autocomplete="off" spellcheck=${false} onInput=${(e) => setAs(e.target.value.trim())} />`}<//>`}
    <${Field} label="From event" hint="Its number in the last execution; its operation happens again. Empty: where the instance failed.">${(p) => html`<input ...${p} value=${from} inputmode="numeric" autocomplete="off" onInput=${(e) => setFrom(e.target.value.trim())} />`}<//>
    <${Reason} value=${reason} onInput=${setReason} />
    ${seen && html`<div class="notice slim" role="status"><div class="grow">
      <p>${plan.taken_over === 0 ? "It starts from the beginning." : `Events that are taken over: ${plan.taken_over}. Results behind them that stay: ${plan.kept}.`}</p>
      ${plan.again.slice(0, 20).map((w) => html`<p key=${w.event_id}>${w.event_id} <${Text} value=${w.instance || w.name || "timer"} max=${200} /> ${why[w.why]}${w.kind === "ActivityScheduled" && w.why === "forgotten" && ", and a link that was sent for it completes nothing"}</p>`)}
      ${plan.again.length > 20 && html`<p>and ${plan.again.length - 20} more</p>`}
      ${plan.again.length === 0 && plan.taken_over > 0 && html`<p>Nothing starts anew: only the code runs again. If that ends as before, because a saga has undone its steps, rerun the instance, or name an earlier event.</p>`}
      ${refused.letters.map((l) => html`<p key=${l.message_id} class="bad">Refused before: <${Text} value=${l.reason_text} max=${400} /> <a href=${`#/dead-letters?reason=redrive_refused&instance=${encodeURIComponent(l.instance)}`}>When the code is fixed, redrive the dead letter.</a></p>`)}
      ${refused.error && html`<p>Whether it was refused before is not known: the dead letters cannot be read.</p>`}</div></div>`}<//>`;
}

const why = {
  failed: "had failed: starts anew",
  open: "was open: starts anew",
  completed: "had completed: starts anew, because this event is its completion",
  forgotten: "is forgotten: the code asks for it again",
  taken: "is forgotten: the code asks for it again, and fails (already_exists) unless it has UseExisting",
};

export function RescheduleDialog(props) {
  const [at, setAt] = useState(""), time = new Date(at);
  const wrong = Number.isNaN(time.getTime());
  return html`<${FormDialog} title="Reschedule" action="Move it" onClose=${props.onClose} disabled=${wrong} submit=${() => sends("reschedule", { at: time.toISOString() }, "Reschedule sent to", props)()}>
    ${of(props.instance)}<p>It begins, or goes on, by itself at that time. To let it begin at once, resume it; to give it up, terminate it.</p>
    <${Field} label="Time" hint="By the clock of this browser.">${(p) => html`<input ...${p} type="datetime-local" value=${at} required onInput=${(e) => setAt(e.target.value)} />`}<//><//>`;
}

export function RerunDialog(props) {
  const [id] = useState(newID);
  return html`<${FormDialog} title="Rerun" action="Begin again" onClose=${props.onClose} submit=${sends("rerun", { start_id: id }, "Rerun sent to", props)}>
    ${of(props.instance)}<p>It begins its next execution from the beginning, with the input that its last execution began with, on the newest version that is deployed. What was completed runs again. A parent that waited for it is told nothing more.</p><//>`;
}

export function PurgeDialog(props) {
  const [sure, setSure] = useState(false);
  const [children, setChildren] = useState(false);
  const ended = !["running", "stuck", "suspended", "scheduled", "queued", "corrupt"].includes(props.instance.status);
  const submit = async () => {
    const { instance } = props.instance;
    try {
      await removing(children ? "instances/" : path("instances", instance), async () => {
        await send(path("instances", instance, "purge"), { ...(!ended && { force: true }), ...(children && { children: true }) }, "Purged:", instance);
        go("#/instances");
      });
    } catch (error) {
      props.onDone?.();
      throw error;
    }
  };
  return html`<${FormDialog} title="Purge" action="Purge the instance" kind="danger" onClose=${props.onClose} disabled=${!sure} submit=${submit}>
    ${of(props.instance)}<p>It is hidden at once and its history is deleted; the id can be started again after 15 days. This cannot be undone.</p>
    ${!ended && html`<p><strong>It has not ended.</strong> It is terminated first, and its code does not run.</p>`}
    <label class="check"><input type="checkbox" checked=${children} onChange=${(e) => setChildren(e.target.checked)} /><span>Its children too, and theirs${ended ? "; nothing is purged if one of them still runs" : ""}</span></label>
    <label class="check sure"><input type="checkbox" checked=${sure} onChange=${(e) => setSure(e.target.checked)} /><span>Purge <${Id} id=${props.instance.instance} copy=${false} /> for good</span></label><//>`;
}
