// Where the code of an instance waits, where the console has the code.
import { html } from "../ui.js";
import { useAbout } from "../about.js";
import { get, path } from "../api.js";
import { Text } from "../components.js";
import { useResource } from "../resource.js";

// useCode asks for it, of an instance that runs, or of how it stood after an event, at; version
// changes when it has moved.
export function useCode(id, wanted, version, at = "") {
  const known = useAbout()?.capabilities.code;
  return useResource(known && wanted ? `code ${id} ${version} ${at}` : null, (signal) => get(path("instances", id, "code"), { at }, { signal })).data;
}

// short is a file without its folders, and a line. Pure.
export const short = (b) => b.file.replace(/^.*[/\\]/, "") + ":" + b.line;

// awaits is the branch that waits for an event. Pure.
export const awaits = (code, event) => code?.branches.find((b) => b.events?.includes(event));

// At says at which line the code waits for an event. Props: code (useCode), event.
export function At({ code, event }) {
  const b = awaits(code, event);
  return b && html` <span class="at-line"><span class="muted">at</span> <code title=${b.file + ":" + b.line}><${Text} value=${short(b)} max=${80} /></code></span>`;
}

// Waited says where the code waited, beside what one steps with. Props: code, model (how it
// stood).
export function Waited({ code, model }) {
  if (!code || code.problem || code.branches.length === 0) return null;
  const named = (id) => model?.rows[model.index.get(code.execution_id + "." + id)]?.label ?? "event " + id;
  return html`<p class="waited"><span class="muted num">After event ${code.event_id}, the code waits at</span> ${code.branches.slice(0, 5).map((b, i) => html`${i > 0 && ", "}<code title=${b.file + ":" + b.line}><${Text} value=${short(b)} max=${80} /></code>${b.events?.length > 0 && html` <span class="muted">for <${Text} value=${b.events.slice(0, 3).map(named).join(", ") + (b.events.length > 3 ? ` and ${b.events.length - 3} more` : "")} max=${200} /></span>`}`)}${code.branches.length > 5 && html` <span class="muted">and ${code.branches.length - 5} more</span>`}</p>`;
}

// Lines are all places at which the code waits. Props: code.
export function Lines({ code }) {
  if (!code || code.branches.length + (code.problem ? 1 : 0) === 0) return null;
  return html`<section class="card"><h2>The code waits at</h2>${code.problem ? html`<p class="bad"><${Text} value=${code.problem} lines=${true} max=${2000} /></p>` : html`<ul class="operations code-lines">${code.branches.slice(0, 50).map((b, i) => html`<li key=${i}><code><${Text} value=${b.file + ":" + b.line} max=${300} /></code> <span class="muted">${
    [...(b.events ?? []).slice(0, 5).map((e) => "event " + e), b.events?.length > 5 && `${b.events.length - 5} more`, b.branches && (b.branches > 1 ? b.branches + " branches" : "1 branch")].filter(Boolean).join(", ")}</span></li>`)}${code.branches.length > 50 && html`<li class="muted">and ${code.branches.length - 50} more</li>`}</ul>`}</section>`;
}
