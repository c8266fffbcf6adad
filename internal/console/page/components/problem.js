// Why an instance is not well.
import { html } from "../ui.js";
import { aboutProblem } from "../docs.js";
import { difference } from "../difference.js";
import { plural } from "../format.js";
import { instance as address } from "../location.js";
import { advice, isProblem } from "../problems.js";
import { Moment, Span } from "./time.js";
import { Diff } from "./diff.js";
import { Chip } from "./status.js";
import { Copy, External, Text } from "./text.js";

// ProblemLine is the problem, the failure with
// what failed first, or why it is suspended, in a line. Props: instance.
export function ProblemLine({ instance: i }) {
  if (i.awaits && !i.problem) return html`<span class="problem-line stuck">${awaits(i.awaits)}</span>`;
  const p = i.suspension?.reason && !i.problem ? { message: i.suspension.reason } : i.problem ?? i.failure;
  if (!p || (!p.message && !p.kind)) return null;
  if (i.cause && p === i.failure) return html`<span class=${"problem-line " + i.status}><${Text} value=${i.cause} max=${300} /></span>`;
  const kind = p === i.failure && p.kind === "application" ? "" : p.kind ?? "", message = p.message ?? "";
  return html`<span class=${"problem-line " + i.status}>${kind && kind !== i.status && !message.startsWith(kind) && html`<strong>${kind}</strong> `}<${Text} value=${message} max=${300} /></span>`;
}

// awaits says for which build an instance waits. Pure.
function awaits(a) {
  if (a.kind === "patch") return html`It is waiting for a build that agrees about patch <code><${Text} value=${a.patch} max=${120} /></code>`;
  return a.kind === "codec" ? "It is waiting for a build that has the codec of its payloads" : "It is waiting for a newer build that knows the events of its history";
}

// Awaits is a notice that an instance waits for another build. Props: instance.
export function Awaits({ instance: { awaits: a } }) {
  if (!a) return null;
  return html`<section class="problem notice stuck" aria-label="Waits for another build"><div class="grow"><h2>${awaits(a)} <small class="muted">since <${Moment} at=${a.since_ms} /></small></h2>
    <p class="problem-text"><${Text} value=${a.message} lines=${true} /></p>
    <p class="advice"><strong>What to do:</strong> ${a.kind === "patch" ? "Deploy a build that has the patch. The last deployed build does not ask for the patch, or retired it too early. Messages wait 15 minutes for such a build; then the instance is stuck, and nothing is lost." : "Deploy such a build. Until then, its messages wait."}</p></div></section>`;
}

// Problem shows all that is known of it. Props: instance, bare (without frame
// and heading, where what is around it has them).
export function Problem({ instance: i, bare = false }) {
  const p = i.problem;
  if (!p || !(isProblem(i) || i.suspension)) return null;
  const differs = p.kind === "nondeterminism" ? difference(p) : null;
  return html`<${bare ? "div" : "section"} class=${bare ? "problem" : "problem notice " + i.status} aria-label=${bare ? null : "Problem"}><div class="grow">
    ${!bare && html`<h2><${Chip} kind=${i.status}>${p.kind}<//> ${p.event_id ? html`at event ${p.event_id}` : ""} <small class="muted">${p.since_ms ? html`for <${Span} from=${p.since_ms} />` : ""}${
      p.tries ? `, ${plural(p.tries, "try", "tries")}` : ""}</small></h2>`}
    ${differs ? html`<${Difference} of=${differs} instance=${i} message=${p.message} />` : html`<p class="problem-text"><${Text} value=${p.message} lines=${true} /></p>`}
    <p class="advice"><strong>What to do:</strong> ${p.advice ? html`<${Text} value=${p.advice} lines=${true} />` : advice(p.kind)} <${External} href=${aboutProblem(p.kind)}>More about ${p.kind || "this"}<//></p>
    ${p.stack && html`<details class="stack"><summary>Stack</summary><${Copy} text=${p.stack} label="stack" word="copy" /><pre dir="ltr" tabindex="0"><${Text} value=${p.stack} lines=${true} max=${40000} /></pre></details>`}
  </div><//>`;
}

// Difference shows a nondeterminism: the history and the code side by side.
function Difference({ of, instance: i, message }) {
  return html`<p class="problem-text">At ${of.event ? html`<a href=${address(i.instance, "history", { event: of.event })}>event ${of.event}</a>` : "an event"} the code did something different from when the history was written${
      of.differs && html`: the <strong>${of.differs}</strong> differs`}.${of.place && html` In <code><${Text} value=${of.place} /></code> <${Copy} text=${of.place} label="file and line" />`}</p>
    <${Diff} have=${of.have} did=${of.did} />
    <details class="stack"><summary>Message</summary><${Copy} text=${message} label="message" word="copy" /><p class="mono"><${Text} value=${message} lines=${true} /></p></details>`;
}
