// Which builds of the code have said what they serve.
import { html } from "../ui.js";
import { useCatalog } from "../catalog.js";
import { Ago, Text } from "../components.js";
import { plural } from "../format.js";

const serves = { all: "orchestrations and activities", orchestrations: "orchestrations", activities: "activities" };

// Workers shows nothing where no build has said anything.
export function Workers() {
  const { builds } = useCatalog();
  if (builds.length === 0) return null;
  return html`<section class="card"><h2>Builds of the code</h2><ul class="builds">${builds.map((b) => html`<li key=${b.serves + b.build}><strong>${serves[b.serves] ?? html`<${Text} value=${b.serves} />`}</strong> ${b.build ? html`<code><${Text} value=${b.build} max=${20} /></code>` : html`<span class="muted">this process</span>`} <span class="muted">${[b.orchestrations && plural(b.orchestrations, "orchestration"), b.activities && plural(b.activities, "activity", "activities"), b.events && plural(b.events, "event"), ""].filter((t) => t !== 0).join(", ")}since <${Ago} at=${b.since} /></span></li>`)}</ul>
    <p class="muted">Newest first. An older build may still be running, or may run again.</p></section>`;
}
