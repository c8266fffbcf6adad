// Messages that were given up. Looking receives them, which hides them from
// others for a moment and is counted by the service: so it is done when asked, or
// where it is free.
import { html, useEffect, useRef, useState } from "../ui.js";
import { post } from "../api.js";
import { useAbout, useMayAct } from "../about.js";
import { Ago, Button, Chip, Empty, External, Facts, Failure, FormDialog, Id, InstanceLink, Loading, Payload, Text, toast, useRowKeys } from "../components.js";
import { group, words } from "../deadletters.js";
import { aboutLetter } from "../docs.js";
import { plural } from "../format.js";
import { setQuery } from "../router.js";

const most = 100; // of each queue are looked at
const nothing = { busy: false, error: null, data: null }; // was looked at

// DeadLetters. Props: query: instance, reason ("none" for what the queue
// service moved itself).
export function DeadLetters({ query }) {
  const about = useAbout(), can = about?.capabilities, free = can?.free_looks === true;
  const [state, set] = useState(nothing), asked = useRef(null);
  // What was found for another filter is not shown, and not when it comes late.
  useEffect(() => {
    set(nothing);
    if (free && can.dead_letters) look();
    return () => { asked.current = null; };
  }, [free, query.instance, query.reason]);
  if (about && !can.dead_letters) {
    return html`<div class="view-head"><h1>Dead letters</h1></div><${Empty} title="Dead letters are not available"><p>This console has no access to dead-letter queues. For a deployed stack, use <code>turnstile console</code>.</p><//>`;
  }
  const look = async () => {
    const own = asked.current = {}, answer = (of) => asked.current === own && set({ ...nothing, ...of });
    set({ ...nothing, busy: true });
    try {
      answer({ data: await post("dead-letters/peek", { instance: query.instance || undefined, reason: query.reason || undefined, limit: most }) });
    } catch (error) {
      answer({ error });
    }
  };
  return html`<div class="view-head"><h1>Dead letters</h1>${state.data && html`<${Button} icon="reload" busy=${state.busy} onClick=${look}>Refresh<//>`}</div>
    <p class="lead">Messages that could not be processed. Reading dead letters receives them from their queue, which briefly hides them from other readers and raises their receive count${free ? "" : ". They are read only on request"}.</p>
    ${(query.instance || query.reason) && html`<ul class="filter-chips">${["instance", "reason"].filter((k) => query[k]).map((k) => html`<li key=${k}><button type="button" class="chip accent" aria-label=${`Remove filter: ${k} ${query[k]}`} onClick=${() => setQuery({ [k]: "" })}>${k} <${Text} value=${query[k]} /> ✕</button></li>`)}</ul>`}
    ${state.error && html`<${Failure} error=${state.error} retry=${look} title="The dead letters could not be read" />`}
    ${state.busy && html`<${Loading} label="Reading the dead letters" />`}
    ${state.data ? html`<${Found} data=${state.data} look=${look} />` : !state.busy && html`<div class="empty"><${Button} kind="primary" icon="search" onClick=${look}>Read the dead letters<//><p class="muted">At most ${plural(most, "message")} from each queue.</p></div>`}`;
}

function Found({ data, look }) {
  const list = useRef(null);
  useRowKeys(list);
  const groups = group(data.letters);
  if (groups.length === 0) return html`<${Empty} title="No dead letters"><p>No message is in a dead-letter queue.</p><//>`;
  return html`<div class="groups" ref=${list}>${data.more?.length > 0 && html`<p class="muted">${data.more.join(" and ")} may hold more dead letters than were read. Only the first ten of an instance are visible; the rest appear when these are gone.</p>`}
    ${groups.map((g) => html`<${Group} key=${g.reason} of=${g} look=${look} />`)}</div>`;
}

function Group({ of, look }) {
  const [asking, setAsking] = useState(null); // { what: "redrive" | "delete", letters }
  const [shown, setShown] = useState(20);
  const may = useMayAct();
  const n = of.letters.length;
  const ask = (what, letters) => () => setAsking({ what, letters });
  return html`<section class="card group"><header><h2><span class="num">${n}</span> ${words(of.reason)} ${of.reason && html`<${Chip}>${of.reason}<//>`}</h2>
      ${may && html`<${Button} icon="reload" onClick=${ask("redrive", of.letters)}>Redrive ${n === 1 ? "it" : `all ${n}`}…<//>
      <${Button} icon="trash" onClick=${ask("delete", of.letters)}>Delete ${n === 1 ? "it" : `all ${n}`}…<//>`}</header>
    <p class="advice"><strong>What to do:</strong> <${Text} value=${sentence(of.letters[0].advice)} /> <${External} href=${aboutLetter(of.reason)}>More about ${of.reason || "letters without a reason"}<//></p>
    <ul class="letters">${of.letters.slice(0, shown).map((l) => html`<${Letter} key=${l.message_id} of=${l} ask=${may ? (what) => setAsking({ what, letters: [l] }) : null} />`)}</ul>
    ${n > shown && html`<${Button} kind="quiet" onClick=${() => setShown(shown + 100)}>Show more (${n - shown})<//>`}
    ${asking && html`<${Remove} ...${asking} onClose=${() => setAsking(null)} look=${look} />`}</section>`;
}

function Letter({ of: l, ask }) {
  const load = async () => {
    const found = await post("dead-letters/peek", { message_ids: [l.message_id], queue: l.queue, limit: 1 });
    if (found.letters.length === 0) throw new Error("The message is gone, or another reader holds it for up to five minutes.");
    return { raw: found.letters[0].opened || found.letters[0].body };
  };
  const folded = l.folded?.includes("body");
  return html`<li data-row data-letter=${l.message_id}><details>
    <summary data-row-link><span class="letter-kind"><${Text} value=${l.kind === "?" ? "message" : l.kind} max=${60} /></span> ${l.instance ? html`for <strong class="mono"><${Text} value=${l.instance} max=${200} /></strong>` : html`<span class="muted">for an unknown instance</span>`}
      <span class="muted small nowrap">sent <${Ago} at=${l.sent_at} /></span>${l.reason_text && html`<span class="letter-why"><${Text} value=${l.reason_text} max=${300} /></span>`}</summary>
    <div class="letter-body"><${Facts} of=${[
      ["Message id", html`<${Id} id=${l.message_id} label="message id" />`], ["Instance", l.instance && html`<${InstanceLink} id=${l.instance} />`],
      ["Queue", html`<code>${l.queue}</code>, redriven to <code>${l.source}</code>`], ["Received", plural(l.receive_count, "time")],
      ["Group", l.group && html`<${Id} id=${l.group} label="group" />`], ["Deduplication id", l.dedup_id && html`<${Id} id=${l.dedup_id} label="deduplication id" />`],
      ...Object.entries(l.attributes ?? {}).filter(([k]) => k !== "turnstile-reason").map(([k, v]) => [html`<${Text} value=${k} max=${100} />`, html`<${Text} value=${v} max=${1000} />`]),
    ]} />
    ${l.unread && html`<p class="bad">Not a valid work item: <${Text} value=${l.unread} /></p>`}
    ${l.decode_error && html`<p class="muted">Its payloads stay encoded: <${Text} value=${l.decode_error} /></p>`}
    ${l.opened && html`<p class="muted">Its payloads are shown decoded.</p>`}
    <${Payload} label="body" open=${true} payload=${folded ? { folded: true, bytes: NaN } : { raw: l.opened || l.body || "" }} load=${load} />
    ${ask && html`<p class="actions"><${Button} icon="reload" onClick=${() => ask("redrive")}>Redrive it…<//><${Button} icon="trash" onClick=${() => ask("delete")}>Delete it…<//></p>`}</div></details></li>`;
}

const verbs = {
  redrive: { title: "Redrive", action: "Redrive", kind: "primary", done: "sent back", text: "Each message is sent back to its queue, then deleted here. No message is recorded twice. If the cause persists, the message becomes a dead letter again." },
  delete: { title: "Delete", action: "Delete permanently", kind: "danger", done: "deleted", text: "The messages are deleted. This cannot be undone." },
};

// Remove redrives or deletes: it asks first what would happen, then does it.
function Remove({ what, letters, onClose, look }) {
  const verb = verbs[what];
  const [plan, setPlan] = useState(null);
  const [done, setDone] = useState(null);
  const ids = letters.map((l) => l.message_id);
  const send = (dry) => post("dead-letters/" + what, { message_ids: ids, dry_run: dry });
  const submit = async () => {
    if (!plan) {
      setPlan(await send(true));
      return false;
    }
    const answer = await send(false);
    const failed = answer.done.filter((r) => r.error).length;
    toast(`${plural(answer.done.length - failed, "message")} ${verb.done}.`);
    if (failed > 0 || answer.missing?.length > 0) {
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
  return html`<${FormDialog} title=${`${verb.title} ${plural(ids.length, "message")}`} action=${plan ? verb.action : "Show the plan"} kind=${plan ? verb.kind : "primary"} onClose=${close} submit=${submit}
      disabled=${done !== null || (plan !== null && plan.done.every((r) => r.error))} wide=${true}>
    <p>${verb.text}</p>
    ${shown ? html`<h3>${done ? "Result" : "Plan (nothing has been done yet)"}</h3>
      ${shown.done.length > 0 && html`<div class="table-wrap"><table><thead><tr><th scope="col">Message</th><th scope="col">Instance</th><th scope="col">${what === "redrive" ? "To" : "From"}</th></tr></thead>
      <tbody>${shown.done.slice(0, 200).map((r) => html`<tr key=${r.message_id}><td><${Text} value=${r.kind === "?" ? "message" : r.kind} max=${60} /><br /><span class="muted small"><${Text} value=${r.message_id} /></span></td><td><${Text} value=${r.instance ?? ""} max=${200} /></td>
        <td>${r.error ? html`<span class="bad">not ${verb.done}: <${Text} value=${r.error} /></span>` : html`<code>${r.to ?? r.queue}</code>`}</td></tr>`)}</tbody></table></div>`}
      ${shown.missing?.length > 0 && html`<p class="bad">${plural(shown.missing.length, "message is", "messages are")} not visible now: redriven, deleted, or held by another reader for up to five minutes.</p>`}`
    : html`<p class="muted">The plan shows what would happen to each message, without doing it.</p>`}<//>`;
}

// sentence makes a sentence of an advice.
function sentence(text) {
  return text ? text[0].toUpperCase() + text.slice(1) + "." : "";
}
