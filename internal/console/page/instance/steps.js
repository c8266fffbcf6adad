// Stepping through a history: how the instance stood after each event.
import { html, useRef } from "../ui.js";
import { get, path } from "../api.js";
import { Button, Failure, IconButton, Moment, Text } from "../components.js";
import { useResource } from "../resource.js";
import { go } from "../router.js";
import { Waited } from "./code.js";
import { brief, nameOf, useEvent } from "./event.js";
import { read } from "./source.js";

// usePast reads how an instance stood after an event: at is "execution.event", empty for
// now. It returns { at, execution, event, model, error }. The model before is kept while
// the next one is read.
export function usePast(source, at) {
  const [execution, event] = at.split(".").map(Number);
  const found = useResource(at ? JSON.stringify([source.id, at]) : null, async (signal) => read(await get(path("instances", source.id, "timeline"), { at }, { signal })));
  const last = useRef({ id: "", model: null });
  if (found.data) last.current = { id: source.id, model: found.data };
  return { at, execution, event, model: at ? found.data ?? (last.current.id === source.id ? last.current.model : null) : null, error: at ? found.error : null };
}

// Steps are what one steps with. Props: source, model (how it stands), past (usePast), code
// (where the code waited, if known), link(at) an address.
export function Steps({ source, model, past, code, link }) {
  const newest = model.executions.at(-1);
  const x = past.at ? model.executions.find((e) => e.id === past.execution) ?? newest : newest;
  const { event } = useEvent(source, x?.id ?? 0, past.at ? Math.min(past.event, x?.events ?? 0) : 0);
  if (!x || x.events < 2) return null;
  if (!past.at) return html`<p class="steps"><${Button} kind="quiet" icon="left" onClick=${() => go(link(`${x.id}.${x.events}`), { replace: true })}>Step through<//></p>`;
  const n = Math.min(Math.max(past.event || 1, 1), x.events);
  const to = (id) => go(link(`${x.id}.${Math.min(Math.max(id, 1), x.events)}`), { replace: true });
  const between = (e, by) => { const at = model.executions.indexOf(e) + by; return model.executions[at]; };
  return html`<section class="card steps" aria-label="Step through">
    <${IconButton} icon="left" label="Previous event" aria-disabled=${n === 1 ? "true" : null} onClick=${() => to(n - 1)} /><${IconButton} icon="right" label="Next event" aria-disabled=${n === x.events ? "true" : null} onClick=${() => to(n + 1)} />
    <input type="range" min="1" max=${x.events} value=${n} aria-label="Event" onInput=${(e) => to(Number(e.target.value))} />
    ${between(x, -1) && html`<${Button} kind="quiet" onClick=${() => go(link(`${between(x, -1).id}.${between(x, -1).events}`), { replace: true })}>Execution ${between(x, -1).id}<//>`}
    ${between(x, 1) && html`<${Button} kind="quiet" onClick=${() => go(link(`${between(x, 1).id}.1`), { replace: true })}>Execution ${between(x, 1).id}<//>`}
    <${Button} onClick=${() => go(link(""), { replace: true })}>Now<//>
    <p role="status"><span class="num">Event ${n} of ${x.events}</span>${event && html`: <strong>${event.kind}</strong> ${event.name && html`<${Text} value=${nameOf(event)} max=${80} /> `}<${Moment} at=${event.at} /> <span class="muted"><${Text} value=${brief(event, 120)} max=${240} /></span>`}</p>
    <${Waited} code=${code} model=${past.model} />
    ${past.error && html`<${Failure} error=${past.error} title="The state after this event could not be read" />`}</section>`;
}
