// The timeline as a table: the same rows for those who do not see the chart.
import { html, useState } from "../ui.js";
import { Button, Moment, Text } from "../components.js";
import { count, span } from "../format.js";
import { groupStates, groupTitle, kinds } from "./groups.js";
import { kindWords, stateWord } from "./model.js";
import { words } from "./tip.js";

const size = 200;

// TimelineTable. Props: lines, onSelect(line), toggle(line), now.
export function TimelineTable({ lines, onSelect, toggle, now }) {
  const [page, setPage] = useState(0);
  const from = Math.min(page * size, Math.max(0, lines.length - 1)), shown = lines.slice(from, from + size);
  return html`<div class="table-wrap"><table class="tl-table"><caption class="sr">Operations of the timeline</caption>
    <thead><tr><th scope="col">Event</th><th scope="col">Operation</th><th scope="col">State</th><th scope="col">Scheduled</th><th scope="col">Duration</th><th scope="col">Breakdown</th></tr></thead>
    <tbody>${shown.map((l) => l.type === "group" ? html`<tr key=${l.id} data-row><td class="num">${l.group.event_id}</td>
      <td>${l.depth > 0 && html`<span class="muted">${"› ".repeat(l.depth)}</span>`}<button type="button" class="link" data-row-link onClick=${() => onSelect(l)}>${count(l.group.rows)} ${kinds(l.group.kind)} <${Text} value=${groupTitle(l)} max=${120} /></button> <${Button} kind="quiet" aria-expanded=${l.unfolded ? "true" : "false"} onClick=${() => toggle(l)}>${l.unfolded ? "Collapse" : "Expand"}<//></td>
      <td>${groupStates(l.group)}</td><td><${Moment} at=${l.group.from} /></td><td class="num">${l.group.took && `${span(l.group.took.min_ms)} to ${span(l.group.took.max_ms)}`}</td><td></td></tr>` : l.type !== "row" ? html`<tr key=${l.id}><th scope="rowgroup" colspan="6">${l.type === "band" ? `Execution ${l.execution.id}` : l.text}</th></tr>` : html`<tr key=${l.id} data-row>
      <td class="num">${l.row.x > 1 ? l.row.x + "." : ""}${l.row.event}</td>
      <td>${l.depth > 0 && html`<span class="muted">${"› ".repeat(l.depth)}</span>`}<button type="button" class="link" data-row-link onClick=${() => onSelect(l)}>${kindWords[l.row.kind]} <${Text} value=${l.row.label} max=${120} />${l.grouped && l.row.raw.member && html` <${Text} value=${l.row.raw.member} max=${80} />`}</button>
        ${l.foldable && html` <${Button} kind="quiet" aria-expanded=${l.unfolded ? "true" : "false"} onClick=${() => toggle(l)}>${l.unfolded ? "Collapse" : "Expand"}<//>`}</td>
      <td>${stateWord(l.row)}${l.row.raw.attempt > 1 ? `, attempt ${l.row.raw.attempt}` : ""}</td>
      <td><${Moment} at=${l.row.at} /></td><td class="num">${span((l.row.end ?? now) - l.row.at)}</td>
      <td>${l.row.spans.length > 1 && l.row.spans.map((s) => `${words[s.doing] ?? s.doing} ${span((s.to ?? now) - s.from)}`).join(", ")}</td></tr>`)}</tbody></table>
    ${lines.length > size && html`<div class="pager"><${Button} aria-disabled=${page === 0 ? "true" : null} onClick=${() => page > 0 && setPage(page - 1)}>Previous<//><${Button} aria-disabled=${from + size >= lines.length ? "true" : null} onClick=${() => from + size < lines.length && setPage(page + 1)}>Next<//>
      <span class="muted num">${count(from + 1)} to ${count(Math.min(from + size, lines.length))} of ${count(lines.length)}</span></div>`}</div>`;
}
