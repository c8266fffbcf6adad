// What was logged about an instance, and where else to look.
import { html } from "../ui.js";
import { useAbout } from "../about.js";
import { get, path } from "../api.js";
import { Chip, External, Facts, Moment, Resource, Text } from "../components.js";
import { fill } from "../links.js";
import { useResource } from "../resource.js";
import { useSetting } from "../settings.js";

const chips = { ERROR: "failed", WARN: "stuck" };

// Logs are the lines about an instance. Props: instance (record), link(execution, event),
// version (changes when it has moved).
export function Logs({ instance: i, link, version }) {
  const of = useResource(`logs ${i.instance}`, (signal) => get(path("instances", i.instance, "logs"), {}, { signal }), { poll: 5_000, version });
  return html`<${Resource} of=${of} title="The log could not be read">${(data) => html`<section class="card" aria-label="Log">
    ${data.more && html`<p class="muted">Earlier lines are not kept.</p>`}
    ${data.lines.length === 0 ? html`<p>Nothing was logged about it.</p>` : html`<ol class="log-lines">${data.lines.map((l, n) => html`<li key=${n} data-level=${l.level}><p><${Chip} kind=${chips[l.level] ?? ""}>${l.level}<//> <strong><${Text} value=${l.message} lines=${true} max=${2000} /></strong>
      <span class="muted small"><${Moment} at=${l.at} />${l.event_id ? html` <a href=${link(l.execution_id ?? i.execution_id, l.event_id)}>event ${l.event_id}</a>` : ""}${l.attempt ? `, attempt ${l.attempt}` : ""}</span></p>
      ${l.attributes && html`<${Facts} list=${true} of=${Object.entries(l.attributes).map(([k, v]) => [html`<${Text} value=${k} max=${100} />`, html`<${Text} value=${v} lines=${true} max=${2000} />`])} />`}</li>`)}</ol>`}
    <p class="muted small">${data.kept}</p></section>`}<//>`;
}

// useLogs reports whether this console has the log itself.
export function useLogs() {
  return useAbout()?.capabilities.logs === true;
}

// useElsewhere links the log and the trace, by the templates that this browser was given, or those
// of the console; null without one. It takes instance, from, to (ms or RFC 3339; to none while it goes on), trace
// (its id), request.
export function useElsewhere({ trace = "", ...rest }) {
  const values = { trace, ...rest }, own = useAbout()?.links ?? {};
  const logs = fill(useSetting("logs") || own.logs, values), traces = trace ? fill(useSetting("traces") || own.traces, values) : "";
  return logs === "" && traces === "" ? null : html`${logs && html`<${External} href=${logs}>Logs<//>`}${logs && traces && " "}${traces && html`<${External} href=${traces}>Trace<//>`}`;
}
