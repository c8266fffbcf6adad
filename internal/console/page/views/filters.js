// The filters above the list of instances. They stand in the address.
import { html, useState } from "../ui.js";
import { Button, Combo, Field, FormDialog, Icon, StatusShape, Text, statuses } from "../components.js";
import { useAbout } from "../about.js";
import { count } from "../format.js";
import { useIDs } from "../ids.js";
import { and, begun, filters, scans, spans, suggestions } from "../listquery.js";
import { format, instance } from "../location.js";
import { knownAttributes } from "../names.js";
import { go, setQuery } from "../router.js";
import { plainText } from "../visible.js";

// StatusFilter shows the statuses with their counts, as links. Props: query,
// counts (a resource).
export function StatusFilter({ query, counts }) {
  const of = counts?.data?.counts;
  const link = (status, word, meaning) => {
    const c = status ? of?.[status] : null;
    const none = c && c.count === 0;
    return html`<a key=${status} href=${format(["instances"], { ...query, status, page: "" })} aria-current=${(query.status ?? "") === status ? "true" : null}
      class=${`${status} ${none ? "none" : ""}`} title=${meaning}>${status && html`<${StatusShape} status=${status} />`}<span>${word}</span>${c && html` <span class="num counted">${count(c.count, c.more)}</span>`}</a>`;
  };
  return html`<nav class="status-filter" aria-label="Status">${link("", "All", "Instances in any status")}${statuses.map(([s, meaning]) => link(s, s, meaning))}</nav>`;
}

// Filters shows the search field, the time and what narrows the list. Props:
// query, names (of orchestrations that are known), searchRef, hidden (how many
// rows are children that are not shown).
export function Filters({ query, names, searchRef, hidden }) {
  const about = useAbout();
  const [between, setBetween] = useState(false), [typed, setTyped] = useState("");
  const ids = useIDs(typed);
  const options = (text) => suggestions(text, names, ids, knownAttributes(text.trim())).map(({ kind, text }) => ({ ...meant[kind](text, query), key: kind + text }));
  const dates = query.from || query.to || query.ended_from || query.ended_to, chosen = dates ? "dates" : query.ended ? "ended " + query.ended : query.since ?? "";
  const pick = (e) => {
    const value = e.target.value;
    if (value === "between") {
      e.target.value = chosen;
      setBetween(true);
    } else {
      setQuery({ ...anyTime, ...(value.startsWith("ended ") ? { ended: value.slice(6) } : { since: value }) });
    }
  };
  const inSpans = (verb, before, of) => [...Object.keys(spans), ...(of && !spans[of] ? [of] : [])].map((value) => html`<option key=${before + value} value=${before + value}>${begun(verb, value)}</option>`);
  return html`<div class="filters">
      <${Combo} label="Search instances" placeholder='Id, orchestration, words or customer = "c-1"' inputRef=${searchRef} options=${options} onText=${setTyped} keys="/" />
      <select aria-label="Time range" value=${chosen} onChange=${pick}>
        <option value="">Started at any time</option>
        ${inSpans("Started", "", query.since)}
        ${inSpans("Ended", "ended ", query.ended)}
        ${dates && html`<option value="dates">Custom range</option>`}
        <option value="between">Custom range…</option>
      </select>
      <select aria-label="Children" value=${query.roots ?? ""} onChange=${(e) => setQuery({ roots: e.target.value })}>
        <option value="">Children collapsed</option><option value="no">Children as rows</option><option value="yes">Children hidden${hidden > 0 ? ` (${hidden})` : ""}</option></select>
    </div>
    ${filters(query).length > 0 && html`<ul class="filter-chips" aria-label="Filters">${filters(query).map(([field, words]) => html`<li key=${field}>
      <button type="button" class="chip accent" onClick=${() => setQuery({ [field]: "", page: "" })} aria-label=${"Remove filter: " + plainText(words)}><${Text} value=${words} max=${200} /><${Icon} name="cross" size=${10} /></button></li>`)}
      <li><${Button} kind="quiet" onClick=${() => go(format(["instances"], { status: query.status, hide: query.hide, sort: query.sort }))}>Clear filters<//></li>
      ${scans(query) && about?.capabilities.live === "poll" && html`<li class="muted">No index covers these filters: each read scans up to 1,000 records ($0.000125 on DynamoDB)</li>`}</ul>`}
    ${between && html`<${Between} query=${query} onClose=${() => setBetween(false)} />`}`;
}

const meant = {
  instance: (text) => ({ icon: "right", text, note: "open the instance with this id", run: () => go(instance(text)) }),
  prefix: (text) => ({ icon: "search", text, note: "only ids with this prefix", run: () => setQuery({ prefix: text, page: "" }) }),
  name: (text) => ({ icon: "search", text, note: "only this orchestration", run: () => setQuery({ name: text, page: "" }) }),
  words: (text) => ({ icon: "search", text, note: "only with these words in the failure, problem or state “status”", run: () => setQuery({ words: text, page: "" }) }),
  where: (text, query) => ({ icon: "search", text, note: "only with these search attributes", run: () => setQuery({ where: and(query.where, text), page: "" }) }),
};

// anyTime takes away what the address has of times.
const anyTime = { since: "", from: "", to: "", ended: "", ended_from: "", ended_to: "", page: "" };

function Between({ query, onClose }) {
  const [before, setBefore] = useState(query.ended || query.ended_from || query.ended_to ? "ended_" : "");
  const [from, setFrom] = useState(local(query[before + "from"])), [to, setTo] = useState(local(query[before + "to"]));
  const submit = async () => setQuery({ ...anyTime, [before + "from"]: from && new Date(from).toISOString(), [before + "to"]: to && new Date(to).toISOString() });
  const wrong = from && to && from >= to ? "The end must be after the start." : "";
  return html`<${FormDialog} title="Custom range" action="Show instances" onClose=${onClose} disabled=${wrong !== ""} submit=${submit}>
    <div class="fields"><${Field} label="Filter by">${(p) => html`<select ...${p} value=${before} onChange=${(e) => setBefore(e.target.value)}><option value="">Start</option><option value="ended_">End</option></select>`}<//>
    <${Field} label="From" hint="In the time zone of this browser.">${(p) => html`<input ...${p} type="datetime-local" value=${from} onInput=${(e) => setFrom(e.target.value)} />`}<//>
    <${Field} label="To" error=${wrong} hint="Leave empty for no end.">${(p) => html`<input ...${p} type="datetime-local" value=${to} onInput=${(e) => setTo(e.target.value)} />`}<//></div><//>`;
}

// local is a time as a field of the browser takes it.
function local(at) {
  const d = new Date(at ?? "");
  return Number.isNaN(d.getTime()) ? "" : new Date(d.getTime() - d.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
