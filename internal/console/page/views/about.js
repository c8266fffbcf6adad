// What this console is, what it may do, and what looking costs.
import { html, useContext, useState } from "../ui.js";
import { About } from "../about.js";
import { Copy, Facts, Failure, Field, Loading, Moment, Text } from "../components.js";
import { bytes, count } from "../format.js";
import { problem } from "../links.js";
import { choose, useSetting } from "../settings.js";
import { Workers } from "./workers.js";

export function AboutView() {
  const { about, error, reload } = useContext(About);
  return html`<div class="view-head"><h1>About</h1></div>${about ? html`<${Sections} about=${about} />` : error ? html`<${Failure} error=${error} retry=${reload} />` : html`<${Loading} />`}`;
}

function Sections({ about }) {
  const { build, place, capabilities: can, limits, cost } = about;
  const yes = (b, words, not) => (b ? words : not);
  return html`<div class="cards"><section class="card"><h2>Where</h2><${Facts} list=${true} of=${[
      ["Storage", html`<${Text} value=${place.kind} />`],
      ...Object.entries(place.settings ?? {}).map(([k, v]) => [k, html`<code><${Text} value=${v} /></code> <${Copy} text=${v} label=${k} />`]),
      ["Server clock", html`<${Moment} at=${about.now} />`],
      ["Payloads opened by", about.codecs?.length ? about.codecs.join(", ") : null],
    ]} /></section>
    <section class="card"><h2>This console</h2><${Facts} list=${true} of=${[
      ["Turnstile", build.version], ["Revision", build.revision && html`<code>${build.revision.slice(0, 12)}</code>${build.modified ? ", with changes" : ""} <${Copy} text=${build.revision} label="revision" />`], ["Go", build.go],
      ["Actions", yes(about.actions, "allowed", "not allowed: it only reads")],
      ["Changes", can.live === "push" ? "pushed as they happen" : `looked for every ${cost.poll_seconds} s or more`],
      ["Dead letters", yes(can.dead_letters, "shown", "not shown")], ["Queues", yes(can.queues, "shown", "not shown")],
    ]} /></section>
    <${Workers} />
    <section class="card"><h2>What an open page costs</h2>
      ${can.live === "push" ? html`<p>Nothing: changes are told of inside this program, and nothing is read from a service that charges for it.</p>`
      : html`<p>All open pages share one look at the store. While a tab is hidden, its page asks for nothing; when no page is open, nothing is read.</p>
        <${Facts} list=${true} of=${[["Read in the last minute", `${count(cost.records_last_minute)} records`], ["At most", `${count(cost.records_a_minute)} records a minute, all pages together`], ["A record of up to 4 KB", "one read unit of DynamoDB"]]} />
        <p>Besides, whenever an instance moves, its page reads up to 50 activities, as many for each unfolded child, what it waits for in up to 200 requests, and on the tab Tree up to 450.</p>`}
      <p class="muted">Read only when you ask for it: ${can.free_looks ? "" : "dead letters (looking receives them), ages of queues (a metric that is charged), "}large payloads.</p></section>
    <section class="card"><h2>Limits</h2><${Facts} list=${true} of=${[
      ["Payload", bytes(limits.payload_bytes)], ["Shown at once, up to", bytes(limits.folded_over_bytes)], ["Instances a page", count(limits.page_size)], ["Events a page", count(limits.events_page)],
      ["A request", bytes(limits.request_bytes)], ["A history to inspect", limits.import_bytes ? bytes(limits.import_bytes) : null], ["Live pages at once", limits.live_pages ? count(limits.live_pages) : null],
    ]} /></section>
    <${Settings} links=${about.links ?? {}} /></div>`;
}

// Template asks for the template of an address: only one that can be used is kept.
function Template({ name, label, hint, own }) {
  const kept = useSetting(name), [text, set] = useState(kept), wrong = problem(text.trim());
  const take = (e) => {
    set(e.target.value);
    if (problem(e.target.value.trim()) === "") choose(name, e.target.value.trim());
  };
  return html`<${Field} label=${label} hint=${html`${hint}${own && html` Without one, that of this console is used.`}`} error=${wrong}>${(p) => html`<input ...${p} type="url" placeholder=${own ?? ""} value=${text} spellcheck=${false} autocomplete="off" onInput=${take} />`}<//>`;
}

function Settings({ links }) {
  const theme = useSetting("theme"), utc = useSetting("utc"), keys = useSetting("keys");
  const select = (label, name, value, options) => html`<div class="field"><label for=${"set-" + name}>${label}</label><select id=${"set-" + name} value=${value} onChange=${(e) => choose(name, e.target.value)}>${options.map(([v, w]) => html`<option key=${v} value=${v}>${w}</option>`)}</select></div>`;
  return html`<section class="card"><h2>In this browser</h2><div class="fields">
    ${select("Theme", "theme", theme, [["system", "as the system"], ["light", "light"], ["dark", "dark"]])}
    ${select("Times", "utc", utc, [["no", "in your time zone"], ["yes", "in UTC"]])}
    <${Template} name="logs" own=${links.logs} label="Link to logs" hint=${html`A template with <code>{instance}</code>, <code>{request}</code>, <code>{from}</code> and <code>{to}</code>. A star, as in <code>{instance*}</code>, encodes as the addresses of CloudWatch do.`} />
    <${Template} name="traces" own=${links.traces} label="Link to traces" hint=${html`A template with <code>{trace}</code>, the id of the trace, and the times.`} />
    ${select("Keys without Ctrl", "keys", keys, [["yes", "on"], ["no", "off"]])}</div></section>`;
}
