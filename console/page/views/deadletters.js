// Messages that were given up. Looking receives them, which hides them from
// others for a moment and is counted by the service: so it is done when asked.
import { html, useRef, useState } from "../ui.js";
import { post } from "../api.js";
import { useAbout, useMayAct } from "../about.js";
import { Ago, Button, Chip, Copy, Empty, Facts, Failure, Field, FormDialog, Id, InstanceLink, Json, Loading, Text, toast, useRowKeys } from "../components.js";
import { advice, group, words } from "../deadletters.js";
import { plural } from "../format.js";
import { setQuery } from "../router.js";

const most = 100; // of each queue are looked at

// DeadLetters. Props: query: instance, reason ("none" for what the queue
// service moved itself).
export function DeadLetters({ query }) {
  const about = useAbout();
  const [state, set] = useState({ busy: false, error: null, data: null });
  if (about && !about.capabilities.dead_letters) {
    return html`<div class="view-head"><h1>Dead letters</h1></div><${Empty} title="Dead letters are not shown here"><p>This console was not given the dead-letter queues. <code>turnstile console</code> shows those of a deployed stack.</p><//>`;
  }
  const look = async () => {
    set({ busy: true, error: null, data: null });
    try {
      set({ busy: false, error: null, data: await post("dead-letters/peek", { instance: query.instance || undefined, reason: query.reason || undefined, limit: most }) });
    } catch (error) {
      set({ busy: false, error, data: null });
    }
  };
  return html`<div class="view-head"><h1>Dead letters</h1>${state.data && html`<${Button} icon="reload" busy=${state.busy} onClick=${look}>Look again<//>`}</div>
    <p class="lead">Messages that were given up. Looking at them receives them from their queue, which hides them from others for a moment and raises their receive count: so it is done only when you ask.</p>
    ${(query.instance || query.reason) && html`<ul class="filter-chips">${["instance", "reason"].filter((k) => query[k]).map((k) => html`<li key=${k}><button type="button" class="chip accent" aria-label=${`Remove the filter: ${k} ${query[k]}`} onClick=${() => setQuery({ [k]: "" })}>${k} <${Text} value=${query[k]} /> ✕</button></li>`)}</ul>`}
    ${state.error && html`<${Failure} error=${state.error} retry=${look} title="The dead letters could not be looked at" />`}
    ${state.busy && html`<${Loading} label="Looking at the dead letters" />`}
    ${state.data ? html`<${Found} data=${state.data} look=${look} />` : !state.busy && html`<div class="empty"><${Button} kind="primary" icon="search" onClick=${look}>Look at the dead letters<//><p class="muted">${plural(most, "message")} of each queue at most.</p></div>`}`;
}

function Found({ data, look }) {
  const list = useRef(null);
  useRowKeys(list);
  const groups = group(data.dead_letters ?? []);
  if (groups.length === 0) return html`<${Empty} title="No dead letters"><p>Nothing was given up.</p><//>`;
  return html`<div class="groups" ref=${list}>${data.more && html`<p class="muted">There may be more than were looked at. Of one instance the first ten are seen: those behind show when these are gone.</p>`}
    ${groups.map((g) => html`<${Group} key=${g.reason} of=${g} look=${look} />`)}</div>`;
}

function Group({ of, look }) {
  const [asking, setAsking] = useState(null); // the letters to redrive
  const [shown, setShown] = useState(20);
  const may = useMayAct();
  const n = of.letters.length;
  return html`<section class="card group"><header><h2><span class="num">${n}</span> ${words(of.reason)} ${of.reason && html`<${Chip}>${of.reason}<//>`}</h2>
      ${may && html`<${Button} icon="reload" onClick=${() => setAsking(of.letters)}>Redrive ${n === 1 ? "it" : `all ${n}`}…<//>`}</header>
    <p class="advice"><strong>What to do:</strong> ${advice(of.reason)}</p>
    <ul class="letters">${of.letters.slice(0, shown).map((l) => html`<${Letter} key=${l.message_id} of=${l} redrive=${may ? () => setAsking([l]) : null} />`)}</ul>
    ${n > shown && html`<${Button} kind="quiet" onClick=${() => setShown(shown + 100)}>Show more (${n - shown})<//>`}
    ${asking && html`<${Redrive} letters=${asking} onClose=${() => setAsking(null)} look=${look} />`}</section>`;
}

function Letter({ of: l, redrive }) {
  const [whole, setWhole] = useState(null);
  const [error, setError] = useState(null);
  const load = async () => {
    if (whole) return;
    setError(null);
    try {
      const found = await post("dead-letters/peek", { message_ids: [l.message_id], queue: l.queue, limit: 1 });
      if (!found.dead_letters?.length) throw new Error("It is not there any more, or someone else looks at it right now.");
      setWhole(found.dead_letters[0]);
    } catch (err) {
      setError(err);
    }
  };
  return html`<li data-row><details onToggle=${(e) => e.target.open && load()}>
    <summary data-row-link><span class="letter-kind">${l.kind}</span> ${l.instance ? html`for <strong class="mono"><${Text} value=${l.instance} max=${200} /></strong>` : html`<span class="muted">for nobody known</span>`}
      <span class="muted small nowrap">sent <${Ago} at=${l.sent_at} /></span>${l.reason_text && html`<span class="letter-why"><${Text} value=${l.reason_text} max=${300} /></span>`}</summary>
    <div class="letter-body"><${Facts} of=${[
      ["Message id", html`<${Id} id=${l.message_id} label="message id" />`], ["Instance", l.instance && html`<${InstanceLink} id=${l.instance} />`],
      ["Queue", html`<${Text} value=${l.queue} />, goes back to <${Text} value=${l.source} />`], ["Received", plural(l.receive_count, "time")],
      ["Group", l.group && html`<${Id} id=${l.group} label="group" />`], ["Deduplication id", l.dedup_id && html`<${Id} id=${l.dedup_id} label="deduplication id" />`],
      ...Object.entries(whole?.attributes ?? {}).map(([k, v]) => [html`<${Text} value=${k} />`, html`<${Text} value=${v} />`]),
    ]} />
    ${error && html`<${Failure} error=${error} retry=${load} title="Its body could not be read" />`}
    ${!whole && !error && html`<${Loading} rows=${2} label="Reading its body" />`}
    ${whole && html`<div class="payload-body"><${Copy} text=${whole.opened || whole.body} label="body" word="copy" />${whole.opened && html`<p class="muted">Its payloads were sealed, and are opened here.</p>`}<${Json} text=${pretty(whole.opened || whole.body || "")} /></div>`}
    ${redrive && html`<p><${Button} icon="reload" onClick=${redrive}>Redrive it…<//></p>`}</div></details></li>`;
}

function pretty(text) {
  try {
    return text.length < 200_000 ? JSON.stringify(JSON.parse(text), null, 2) : text;
  } catch {
    return text;
  }
}

// Redrive asks first what would happen, then does it.
function Redrive({ letters, onClose, look }) {
  const [plan, setPlan] = useState(null);
  const [done, setDone] = useState(null);
  const ids = letters.map((l) => l.message_id);
  const ask = async (dry) => post("dead-letters/redrive", { message_ids: ids, dry_run: dry });
  const submit = async () => {
    if (!plan) {
      setPlan(await ask(true));
      return false;
    }
    const answer = await ask(false);
    const failed = (answer.removed ?? []).filter((r) => r.error);
    const moved = (answer.removed ?? []).length - failed.length;
    toast(`${plural(moved, "message")} sent back.`);
    if (failed.length > 0 || moved < ids.length) {
      setDone(answer);
      return false;
    }
    look();
  };
  const shown = done ?? plan;
  const close = () => {
    onClose();
    if (done) look();
  };
  return html`<${FormDialog} title=${`Redrive ${plural(ids.length, "message")}`} action=${plan ? "Redrive" : "See what would happen"} onClose=${close} submit=${submit} disabled=${done !== null || (plan && (plan.removed ?? []).every((r) => r.error))} wide=${true}>
    <p>Each is sent back to its queue, and only then deleted here. What is known already is not recorded twice. One whose cause is still there comes back.</p>
    ${shown ? html`<h3>${done ? "What was done" : "What would be done; nothing was sent yet"}</h3><div class="table-wrap"><table><thead><tr><th scope="col">Message</th><th scope="col">Instance</th><th scope="col">To</th></tr></thead>
      <tbody>${(shown.removed ?? []).slice(0, 200).map((r) => html`<tr key=${r.message_id}><td>${r.kind} <span class="muted small"><${Text} value=${r.message_id} /></span></td><td><${Text} value=${r.instance ?? ""} /></td>
        <td>${r.error ? html`<span class="bad">not sent: <${Text} value=${r.error} /></span>` : html`<${Text} value=${r.to ?? ""} />`}</td></tr>`)}</tbody></table></div>
      ${(shown.removed ?? []).length < ids.length && html`<p class="bad">${plural(ids.length - (shown.removed ?? []).length, "message is", "messages are")} not to be seen now: redriven or deleted by somebody, or looked at by someone else.</p>`}`
    : html`<p class="muted">First you see what would happen to each; nothing is sent by that.</p>`}<//>`;
}
