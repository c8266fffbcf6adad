// Instances that are selected in a list, and what is done with all of them.
import { html, useEffect, useRef, useState } from "../ui.js";
import { get } from "../api.js";
import { useActs, useMayAct } from "../about.js";
import { fits, leftBy, planned, run, targets } from "../actions/many.js";
import { now } from "../clock.js";
import { Button, Dialog, Field, InstanceLink, Text } from "../components.js";
import { listChanged } from "../counts.js";
import { count, plural } from "../format.js";
import { format } from "../location.js";
import { apiQuery, filters, selects } from "../listquery.js";

// mostSelected is how many instances one selection holds.
const mostSelected = 10_000;

// useSelection is which instances of a list are selected: by id, with what is needed to
// know what can be done with them. It is empty again when the query changes.
export function useSelection(query) {
  const key = JSON.stringify([selects(query), query.roots ?? ""]);
  const [state, set] = useState({ on: false, of: new Map() });
  // starts are the ids of what is sent for them (run), for as long as the selection is the same.
  const starts = useRef(new Map()).current;
  useEffect(() => { starts.clear(); set((s) => (s.of.size === 0 ? s : { ...s, of: new Map() })); }, [key]);
  const change = (f) => set((s) => { const of = new Map(s.of); f(of); return { ...s, of }; });
  const add = (of, i) => of.size < mostSelected && of.set(i.instance, { instance: i.instance, status: i.status, problem: i.problem, parent: i.parent });
  return {
    ...state, starts, turn: () => { starts.clear(); set((s) => ({ on: !s.on, of: new Map() })); }, add: (rows) => change((of) => rows.forEach((i) => add(of, i))),
    pick: (i, yes) => change((of) => (yes ? add(of, i) : of.delete(i.instance))), clear: () => { starts.clear(); change((of) => of.clear()); }, drop: (ids) => change((of) => ids.forEach((id) => of.delete(id))),
  };
}

// SelectionBar says how many are selected, and offers what can be done: where only reading is allowed, comparing two. Props: selection
// (useSelection), rows (that are shown), query, more (there are other pages), here (the
// word for all rows), onActed (something was sent).
export function SelectionBar({ selection: s, rows, query, more, here = "Select this page", onActed }) {
  const [open, setOpen] = useState(null), [reading, setReading] = useState(0), [error, setError] = useState("");
  const abort = useRef(null), may = useMayAct(), acts = useActs();
  const stop = () => { abort.current?.abort(); setReading(0); setError(""); };
  useEffect(() => stop, [selects(query), query.roots]);
  const all = async () => {
    stop();
    const { signal } = abort.current = new AbortController();
    // A page token belongs to one query, so a span begins at the same time for all pages.
    const asked = apiQuery(query, now());
    let token = "", found = 0;
    try {
      do {
        const page = await get("instances", { ...asked, page_size: 200, page_token: token }, { signal });
        if (signal.aborted) return; // The selection is of another query by now, or was cleared.
        const of = query.roots === "yes" ? page.instances.filter((i) => !i.parent) : page.instances;
        s.add(of);
        found += of.length;
        setReading(page.instances.length > 0 ? found : 0);
        token = page.next_page_token ?? "";
      } while (token && found < mostSelected);
      if (token) setError(`Only the newest ${count(mostSelected)} are selected. Act on those, then select again.`);
    } catch (e) {
      if (signal.aborted) return;
      if (e.name !== "AbortError") setError(e.message);
    }
    setReading(0);
  };
  const selected = [...s.of.values()];
  const offered = !may ? [] : [...acts.values()].filter((act) => act.many).map((act) => [act, targets(act.name, selected).length]).filter(([, n]) => n > 0);
  const narrowed = query.status || filters(query).length > 0;
  return html`<section class="card selection" aria-label="Selection"><p role="status"><strong>${count(selected.length)} selected</strong>${reading > 0 && html` <span class="muted">${count(reading)} read…</span>`}${error && html` <span class="bad"><${Text} value=${error} max=${300} /></span>`}</p>
    <div class="actions"><${Button} onClick=${() => s.add(rows)}>${here}<//>${more && html`<${Button} busy=${reading > 0} onClick=${all} title="Reads one record per instance">Select all ${narrowed ? "that match" : "instances"}<//>`}${selected.length > 0 && html`<${Button} onClick=${() => { stop(); s.clear(); }}>Clear<//>`}${selected.length === 2 && html`<${Button} href=${format(["difference"], { a: selected[0].instance, b: selected[1].instance })}>Compare the two<//>`}
      ${offered.map(([act, n]) => html`<${Button} key=${act.name} kind=${act.destroys ? "danger" : ""} onClick=${() => setOpen(act)}>${act.title} ${count(n)}<//>`)}</div>
    ${open && html`<${ManyDialog} of=${open} instances=${selected} starts=${s.starts} onClose=${() => { setOpen(null); onActed?.(); }} onSent=${s.drop} />`}</section>`;
}

// AllButtons offers actions on all of some instances, none of which is selected by hand. Props:
// instances, of (keys of actions), onActed.
export function AllButtons({ instances, of, onActed }) {
  const [open, setOpen] = useState(null), may = useMayAct(), acts = useActs(), starts = useRef(new Map()).current;
  const offered = !may ? [] : of.map((key) => [acts.get(key), targets(key, instances).length]).filter(([, n]) => n > 0);
  return html`${offered.map(([act, n]) => html`<${Button} key=${act.name} kind="primary" onClick=${() => setOpen(act)}>${act.title} ${n === 1 ? "it" : `all ${count(n)}`}<//>`)}
    ${open && html`<${ManyDialog} of=${open} instances=${instances} starts=${starts} onClose=${() => { setOpen(null); onActed?.(); }} onSent=${() => {}} />`}`;
}

// ManyDialog says what is about to happen, does it, shows how far it is, and stops. Props:
// of (the act), instances (that are selected), starts (see run), onClose, onSent(ids).
function ManyDialog({ of: act, instances, starts, onClose, onSent }) {
  const { name: of, title: word, destroys: danger } = act;
  const [ids] = useState(() => targets(of, instances).map((i) => i.instance)), [others] = useState(instances.filter((i) => !fits(of, i)).length), [children] = useState(instances.length - others - ids.length);
  const [reason, setReason] = useState(""), [typed, setTyped] = useState(""), [state, set] = useState({ doing: "", sent: 0, failed: [] });
  const stop = useRef(false);
  const [plans, setPlans] = useState(null);
  useEffect(() => {
    if (of === "purge") leftBy(ids, () => stop.current).then((p) => stop.current || setPlans(p));
    if (of === "redrive") planned(ids, () => stop.current).then((p) => stop.current || setPlans(p));
    return () => { stop.current = true; };
  }, []);
  const n = ids.length, doing = state.doing === "yes", ended = state.doing === "ended";
  const go = async (e) => {
    e.preventDefault();
    if (state.doing !== "" || (danger && typed.trim() !== String(n))) return;
    const sent = [], failed = [];
    const show = () => set({ doing: "yes", sent: sent.length, failed: [...failed] });
    show();
    await run(act, ids, reason, starts, () => stop.current, (id, error) => {
      if (error) failed.push({ id, message: error.message });
      else sent.push(id);
      show();
    });
    set({ doing: "ended", sent: sent.length, failed });
    onSent(sent);
    listChanged();
  };
  const done = state.sent + state.failed.length;
  return html`<${Dialog} title=${`${word} ${plural(n, "instance")}`} onClose=${doing ? () => {} : onClose} footer=${ended ? html`<${Button} kind="primary" onClick=${onClose}>Close<//>` : doing ? html`<${Button} onClick=${() => { stop.current = true; }}>Stop<//>` : html`
      <${Button} onClick=${onClose}>Close<//><${Button} kind=${danger ? "danger" : "primary"} type="submit" form="many" disabled=${danger && typed.trim() !== String(n)}>${word} ${plural(n, "instance")}<//>`}>
    <form id="many" class="form" onSubmit=${go}><p>${n > 1 && "For each instance: "}${act.does}</p>
    ${others > 0 && html`<p class="muted">${plural(others, "selected instance is", "selected instances are")} skipped: their status does not allow ${word}.</p>`}
    ${children > 0 && html`<p class="muted">${plural(children, "child is", "children are")} skipped: redriving ${children === 1 ? "its parent, which is also" : "their parents, which are also"} selected, redrives ${children === 1 ? "it" : "them"}.</p>`}
    ${of === "purge" && plans?.left.length > 0 && html`<div class="notice slim" role="status"><div class="grow"><p>${plural(plans.left.length, "child remains", "children remain")}, with inputs and results: ${plans.left.slice(0, 8).map((id, n) => html`${n > 0 && ", "}<${InstanceLink} key=${id} id=${id} copy=${false} />`)}${plans.left.length > 8 && ` and ${count(plans.left.length - 8)} more`}. To purge them as well, select them too.</p></div></div>`}
    ${of === "redrive" && state.doing === "" && html`<${Plans} of=${plans} />`}
    ${state.doing === "" && html`<ul class="names">${ids.slice(0, 8).map((id) => html`<li key=${id}><code><${Text} value=${id} max=${120} /></code></li>`)}${n > 8 && html`<li class="muted">and ${count(n - 8)} more</li>`}</ul>
      ${act.reason && html`<${Field} label="Reason" hint="Recorded in the history of each instance.">${(p) => html`<input ...${p} value=${reason} autocomplete="off" onInput=${(e) => setReason(e.target.value)} />`}<//>`}
      ${danger && html`<${Field} label=${`Type ${n} to confirm`}>${(p) => html`<input ...${p} value=${typed} inputmode="numeric" autocomplete="off" onInput=${(e) => setTyped(e.target.value)} />`}<//>`}`}
    ${state.doing !== "" && html`<progress max=${n} value=${done} aria-label="Done" />
      <p role="status">${ended ? (done < n ? "Stopped. " : "") : ""}Sent to ${count(state.sent)} of ${count(n)}${state.failed.length > 0 ? `, refused for ${count(state.failed.length)}` : ""}.${ended && done < n ? " The others are still selected." : ""}</p>`}
    ${state.failed.length > 0 && html`<ul class="problems-list">${state.failed.slice(0, 20).map((f) => html`<li key=${f.id}><${InstanceLink} id=${f.id} copy=${false} /> <${Text} value=${f.message} max=${300} /></li>`)}${state.failed.length > 20 && html`<li class="muted">and ${count(state.failed.length - 20)} more</li>`}</ul>`}</form><//>`;
}

// Plans says what the redrives of some instances would do. Props: of (planned), null while it is read.
function Plans({ of: p }) {
  if (!p) return html`<p class="muted" role="status">Reading the plans…</p>`;
  return html`<div class="notice slim" role="status"><div class="grow">
    ${p.continue > 0 && html`<p>${plural(p.continue, "instance would continue and start", "instances would continue and start")} ${plural(p.operations, "operation", "operations")} again.</p>`}
    ${p.from_start > 0 && html`<p>${plural(p.from_start, "instance would run", "instances would run")} from the beginning, because nothing completed before the failure.</p>`}
    ${p.nothing.length > 0 && html`<p>${plural(p.nothing.length, "instance would not start", "instances would not start")} any operation again, and would fail as before with the same code. Restart: ${p.nothing.slice(0, 8).map((id, n) => html`${n > 0 && ", "}<${InstanceLink} key=${id} id=${id} copy=${false} />`)}${p.nothing.length > 8 && ` and ${count(p.nothing.length - 8)} more`}.</p>`}
    ${p.refused.length > 0 && html`<p>${plural(p.refused.length, "instance cannot be", "instances cannot be")} redriven.</p>`}
    ${p.unread > 0 && html`<p>${plural(p.unread, "history was", "histories were")} not read.</p>`}</div></div>`;
}
