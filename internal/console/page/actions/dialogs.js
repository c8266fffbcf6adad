// The dialogs of the actions. Props of each: instance (as the API has it),
// onClose, onDone.
import { html, useEffect, useState } from "../ui.js";
import { useAbout } from "../about.js";
import { path, post } from "../api.js";
import { find, useCatalog, useCheck } from "../catalog.js";
import { Button, Field, FormDialog, Id, Moment, Payload, Text, TypedField, jsonError } from "../components.js";
import { plural } from "../format.js";
import { format } from "../location.js";
import { removing } from "../removal.js";
import { go } from "../router.js";
import { bodyOf, newID, send, withJSON } from "./send.js";

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
  return html`<${FormDialog} title="Raise an event" action=${notes.length + check.problems.length > 0 ? "Raise it anyway" : "Raise the event"} onClose=${props.onClose} disabled=${wrong} submit=${submit}>
    ${of(props.instance)}
    <${NameField} label="Event" names=${names} value=${name} onInput=${(n) => { touch(true); setName(n); }} word="It waits for" picks=${waits} />
    <${TypedField} label="Data" hint='JSON, such as {"by":"ada"}, or empty for none.' value=${data} onInput=${setData} type=${find(catalog.events, name.trim())?.takes} check=${check} first=${name !== ""} />
    ${notes.length > 0 && html`<div class="notice slim" role="alert"><div class="grow">${notes.map((n) => html`<p key=${n}><${Text} value=${sentence(n)} lines=${true} max=${1000} /></p>`)}</div></div>`}<//>`;
}

// NameField. Props: label, value, onInput(name), names to suggest, picks (names with a button each), word before these.
function NameField({ label, value, onInput, names, picks, word }) {
  return html`<${Field} label=${label} hint="The name in the code; case-sensitive.">${(p) => html`<input ...${p} value=${value} required autocomplete="off" spellcheck=${false} list="known-code" onInput=${(e) => onInput(e.target.value)} />`}<//>
    <datalist id="known-code">${names.map((n) => html`<option key=${n} value=${n} />`)}</datalist>
    ${picks.length > 0 && html`<p class="fill"><span class="muted small">${word}</span>${picks.slice(0, 10).map((n) => html`<${Button} key=${n} kind="quiet" aria-pressed=${n === value ? "true" : "false"} onClick=${() => onInput(n)}><${Text} value=${n} max=${60} /><//>`)}</p>`}`;
}

// AskDialog asks the code, and stays open with the answer. Props besides: kind, title, about, entries (of the catalog),
// action(answer), more(answer) fields of the request, show(answer). An answer is that to what is written.
function AskDialog(props) {
  const { kind, entries, action, more, show } = props;
  const [name, setName] = useState(""), [input, setInput] = useState(""), [got, setGot] = useState({});
  const names = entries.map((e) => e.name), key = JSON.stringify([name, input]), answer = got.key === key && got.answer, check = useCheck(kind, name, "", input);
  const submit = async () => {
    if (!(await check.sure())) return false;
    setGot({});
    try {
      setGot({ key, answer: await post(path("instances", props.instance.instance, kind), withJSON({ name: name.trim(), ...more?.(answer) }, { input })) });
    } finally {
      props.onDone?.();
    }
    return false;
  };
  return html`<${FormDialog} title=${props.title} action=${action(answer)} onClose=${props.onClose} disabled=${name.trim() === "" || jsonError(input) !== ""} submit=${submit}>
    ${of(props.instance)}<p>${props.about}</p>
    <${NameField} label=${sentence(kind)} names=${names} value=${name} onInput=${setName} word="The code has" picks=${names} />
    <${TypedField} label="Input" hint="JSON, or empty for none." value=${input} onInput=${setInput} type=${find(entries, name.trim())?.takes} check=${check} />
    ${answer && html`<div class=${"notice slim " + (answer.reason || answer.failure ? "failed" : "")} role="status"><div class="grow">${show(answer)}</div></div>`}<//>`;
}

const Answer = ({ value }) => html`<${Payload} value=${value} label="answer" open=${true} />`;

export function QueryDialog({ instance, onClose }) {
  return html`<${AskDialog} kind="query" title="Query the code" about="The code answers from its variables. Nothing is recorded or sent." entries=${useCatalog().queries} action=${() => "Ask"} ...${{ instance, onClose }} show=${(a) => html`<${Answer} value=${a.output} />
    <p class="small muted">${a.read_to < a.last_event_id ? `The code has processed the events up to ${a.read_to} of ${a.last_event_id}` : `After event ${a.read_to}`}, execution ${a.execution_id}.</p>
    ${a.problem && html`<p>It cannot process the next event: <${Text} value=${a.problem.message} lines=${true} max=${1000} /></p>`}`} />`;
}

// UpdateDialog sends an update. Sent again before it is answered, it is the same update.
export function UpdateDialog(props) {
  const open = (s) => ["sent", "accepted"].includes(s?.stage);
  return html`<${AskDialog} ...${props} kind="update" title=${props.act.title} about=${props.act.does} entries=${useCatalog().updates} action=${(s) => (open(s) ? "Wait for the answer" : props.act.sends)}
    more=${(s) => ({ deduplication_id: open(s) ? s.id : newID(), wait_seconds: 10 })} show=${(s) => html`<p><strong>${sentence(s.stage)}</strong>${s.stage !== "completed" && ": "}<${Text} value=${s.reason ?? s.failure?.message ?? stages[s.stage] ?? ""} lines=${true} max=${1000} /></p>${s.stage === "completed" && html`<${Answer} value=${s.output} />`}`} />`;
}

const stages = { sent: "The instance has not decided yet.", accepted: "The handler has not returned yet.", unfinished: "Its handler did not return before the instance ended." };

const sentence = (text) => text[0].toUpperCase() + text.slice(1);

function Reason({ value, onInput }) {
  return html`<${Field} label="Reason" hint="Recorded in the history.">${(p) => html`<input ...${p} value=${value} autocomplete="off" onInput=${(e) => onInput(e.target.value)} />`}<//>`;
}

// ActDialog is the form of an act that has none of its own. Props besides: act; row, the operation that it acts on,
// as the API has it.
export function ActDialog(props) {
  const { act, row } = props, [reason, setReason] = useState(""), [id] = useState(newID), next = row?.live?.next;
  const due = next?.due_at ?? row?.due_at, name = row?.label || row?.name;
  const body = { ...(row && { event_id: row.event_id }), ...bodyOf(act, reason, id) };
  return html`<${FormDialog} title=${row ? act.sends : `${act.title} an instance`} action=${act.sends ?? `${act.title} the instance`} kind=${act.destroys ? "danger" : "primary"} onClose=${props.onClose} submit=${sends(act.name, body, `${sentence(act.name.replaceAll("-", " "))} sent to`, props)}>
    ${of(props.instance)}
    ${row && html`<p>${sentence(act.of)}${name && html` <strong><${Text} value=${name} max=${120} /></strong>`}, event ${row.event_id}${next && `, attempt ${next.attempt}`}${due && html`, due <${Moment} at=${due} />`}.</p>`}
    <p>${act.does}</p>
    ${next && html`<p>The last attempt failed: <${Text} value=${next.kind + ": " + next.message} max=${300} /></p>`}
    ${act.reason && html`<${Reason} value=${reason} onInput=${setReason} />`}<//>`;
}

export function RedriveDialog(props) {
  return html`<${GoOnDialog} ...${props} title="Redrive">The instance continues where it failed, with the deployed code.<//>`;
}

export function ForkDialog(props) {
  return html`<${GoOnDialog} ...${props} title="Fork" forks>A new instance continues from a copy of this history, with the deployed code; this instance does not change. The fork has its own activities, timers and children.<//>`;
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
      // The orchestrator may have refused an earlier redrive.
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
  return html`<${FormDialog} title=${`${title} an instance`} action=${seen ? `${title} the instance` : "Show the plan"} onClose=${props.onClose} disabled=${wrong} submit=${submit}>
    ${of(props.instance)}<p>${props.children} Completed operations stay completed; failed and open ones start again once the code agrees with the history; until then the instance is stuck.</p>
    ${forks && html`<${Field} label="Id of the fork" hint="Must not exist yet.">${(p) => html`<input ...${p} value=${as} required autocomplete="off" spellcheck=${false} onInput=${(e) => setAs(e.target.value.trim())} />`}<//>`}
    <${Field} label="From event" hint="An event id of the last execution; its operation runs again. Leave empty to continue where the instance failed.">${(p) => html`<input ...${p} value=${from} inputmode="numeric" autocomplete="off" onInput=${(e) => setFrom(e.target.value.trim())} />`}<//>
    <${Reason} value=${reason} onInput=${setReason} />
    ${seen && html`<div class="notice slim" role="status"><div class="grow">
      <p>${plan.copied_events === 0 ? "It starts from the beginning." : `Events copied: ${plan.copied_events}. Later results kept: ${plan.kept}.`}</p>
      ${plan.again.slice(0, 20).map((w) => html`<p key=${w.event_id}>${w.event_id} <${Text} value=${w.instance || w.name || "timer"} max=${200} /> ${why[w.why]}${w.kind === "ActivityScheduled" && w.why === "forgotten" && ". A completion link that was sent for it has no effect"}</p>`)}
      ${plan.again.length > 20 && html`<p>and ${plan.again.length - 20} more</p>`}
      ${plan.again.length === 0 && plan.copied_events > 0 && html`<p>No operation starts again: only the code runs again. If it fails as before, for example because a saga has undone its steps, restart the instance or give an earlier event.</p>`}
      ${refused.letters.map((l) => html`<p key=${l.message_id} class="bad">Refused earlier: <${Text} value=${l.reason_text} max=${400} /> <a href=${`#/dead-letters?reason=redrive_refused&instance=${encodeURIComponent(l.instance)}`}>Redrive the dead letter to try again.</a></p>`)}
      ${refused.error && html`<p>The dead letters could not be read, so earlier refusals are not shown.</p>`}</div></div>`}<//>`;
}

const why = {
  failed: "failed: starts again",
  open: "was open: starts again",
  completed: "completed: starts again, because this event is its completion",
  forgotten: "is discarded: the code schedules it again",
  taken: "is discarded: the code starts it again, which fails (already_exists) unless it has UseExisting",
};

export function RescheduleDialog(props) {
  const [at, setAt] = useState(""), time = new Date(at);
  const wrong = Number.isNaN(time.getTime());
  return html`<${FormDialog} title="Reschedule an instance" action="Reschedule the instance" onClose=${props.onClose} disabled=${wrong} submit=${() => sends("reschedule", { at: time.toISOString() }, "Reschedule sent to", props)()}>
    ${of(props.instance)}<p>${props.act.does}</p>
    <${Field} label="Time" hint="In the time zone of this browser.">${(p) => html`<input ...${p} type="datetime-local" value=${at} required onInput=${(e) => setAt(e.target.value)} />`}<//><//>`;
}

export function PurgeDialog(props) {
  const [sure, setSure] = useState(false);
  const [children, setChildren] = useState(false), [left, setLeft] = useState(null);
  // The children are counted before one decides about them.
  useEffect(() => {
    post(path("instances", props.instance.instance, "purge"), { dry_run: true }).then((plan) => setLeft(plan.children ?? []), (error) => error.code || console.error(error));
  }, []);
  const ended = !["running", "stuck", "suspended", "scheduled", "queued", "forking", "corrupt"].includes(props.instance.status);
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
  return html`<${FormDialog} title="Purge an instance" action="Purge the instance" kind="danger" onClose=${props.onClose} disabled=${!sure} submit=${submit}>
    ${of(props.instance)}<p>${props.act.does}</p>
    ${!ended && html`<p><strong>It has not ended.</strong> It is terminated first, without running its code.</p>`}
    <label class="check"><input type="checkbox" checked=${children} onChange=${(e) => setChildren(e.target.checked)} /><span>Also purge its children and their children${left?.length > 0 && `; otherwise ${plural(left.length, "child remains", "children remain")}, with inputs and results`}${ended ? "; nothing is purged if one of them is still running" : ""}</span></label>
    <label class="check sure"><input type="checkbox" checked=${sure} onChange=${(e) => setSure(e.target.checked)} /><span>Purge <${Id} id=${props.instance.instance} copy=${false} /> permanently</span></label><//>`;
}
