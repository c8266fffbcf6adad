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
  return html`<div class="cards"><section class="card"><h2>Environment</h2><${Facts} list=${true} of=${[
      ["Storage", html`<${Text} value=${place.kind} />`],
      ...Object.entries(place.settings ?? {}).map(([k, v]) => [k, html`<code><${Text} value=${v} /></code> <${Copy} text=${v} label=${k} />`]),
      ["Server clock", html`<${Moment} at=${about.now} />`],
      ["Codecs", about.codecs?.length ? about.codecs.join(", ") : null],
    ]} /></section>
    <section class="card"><h2>This console</h2><${Facts} list=${true} of=${[
      ["Turnstile", build.version], ["Revision", build.revision && html`<code>${build.revision.slice(0, 12)}</code>${build.modified ? ", with changes" : ""} <${Copy} text=${build.revision} label="revision" />`], ["Go", build.go],
      ["Actions", yes(about.actions, "allowed", "not allowed (read-only)")],
      ["Live changes", can.live === "push" ? "pushed as they happen" : `polled every ${cost.poll_seconds} s or more`],
      ["Dead letters", yes(can.dead_letters, "shown", "not available")], ["Queues", yes(can.queues, "shown", "not available")],
      ["Queries", yes(can.queries, "answered", "not available: there is neither the code nor the stack's query function")],
    ]} /></section>
    <${Workers} />
    <section class="card"><h2>What an open page costs</h2>
      ${can.live === "push" ? html`<p>Nothing: changes are pushed within this program, and no paid service is read.</p>`
      : html`<p>All open pages share the same reads of the store. A page in a hidden tab requests nothing. While no page is open, nothing is read.</p>
        <${Facts} list=${true} of=${[["Read in the last minute", `${count(cost.records_last_minute)} records`], ["Limit", `${count(cost.records_a_minute)} records per minute for all pages together`], ["A record of up to 4 KB", "one DynamoDB read unit"]]} />
        <p>In addition, whenever an instance changes, its page reads up to 50 activities, and as many for each expanded child. It makes up to 200 requests for what the instance waits for, and up to 450 on the Tree tab.</p>`}
      <p class="muted">Read only on request: ${can.free_looks ? "" : "dead letters (reading receives them), queue ages (a metric that AWS charges for), "}large payloads.</p></section>
    <section class="card"><h2>Limits</h2><${Facts} list=${true} of=${[
      ["Payload", bytes(limits.payload_bytes)], ["Payload shown without a click", bytes(limits.folded_over_bytes)], ["Instances per page", count(limits.page_size)], ["Events per page", count(limits.events_page)],
      ["Request", bytes(limits.request_bytes)], ["History to inspect", limits.import_bytes ? bytes(limits.import_bytes) : null], ["Open live pages", limits.live_pages ? count(limits.live_pages) : null],
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
  return html`<${Field} label=${label} hint=${html`${hint}${own && html` If empty, the console's own template is used.`}`} error=${wrong}>${(p) => html`<input ...${p} type="url" placeholder=${own ?? ""} value=${text} spellcheck=${false} autocomplete="off" onInput=${take} />`}<//>`;
}

function Settings({ links }) {
  const theme = useSetting("theme"), utc = useSetting("utc"), keys = useSetting("keys");
  const select = (label, name, value, options) => html`<div class="field"><label for=${"set-" + name}>${label}</label><select id=${"set-" + name} value=${value} onChange=${(e) => choose(name, e.target.value)}>${options.map(([v, w]) => html`<option key=${v} value=${v}>${w}</option>`)}</select></div>`;
  return html`<section class="card"><h2>In this browser</h2><div class="fields">
    ${select("Theme", "theme", theme, [["system", "system default"], ["light", "light"], ["dark", "dark"]])}
    ${select("Times", "utc", utc, [["no", "in your time zone"], ["yes", "in UTC"]])}
    <${Template} name="logs" own=${links.logs} label="Log link" hint=${html`A template with <code>{instance}</code>, <code>{request}</code>, <code>{from}</code> and <code>{to}</code>. A star, as in <code>{instance*}</code>, encodes the value as CloudWatch URLs require.`} />
    <${Template} name="traces" own=${links.traces} label="Trace link" hint=${html`A template with <code>{trace}</code>, which is the trace id, <code>{from}</code> and <code>{to}</code>.`} />
    ${select("Shortcuts without Ctrl", "keys", keys, [["yes", "on"], ["no", "off"]])}</div></section>`;
}
