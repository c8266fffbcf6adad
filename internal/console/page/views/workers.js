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
  return html`<section class="card"><h2>Builds of the code</h2><div class="table-wrap"><table><caption class="sr">Builds of the code</caption><thead><tr><th scope="col">Serves</th><th scope="col">Build</th><th scope="col">Has</th><th scope="col">Since</th></tr></thead>
    <tbody>${builds.map((b) => html`<tr key=${b.serves + b.build}><td>${serves[b.serves] ?? html`<${Text} value=${b.serves} />`}</td><td>${b.build ? html`<code><${Text} value=${b.build} max=${20} /></code>` : html`<span class="muted">this process</span>`}</td>
      <td>${[b.orchestrations && plural(b.orchestrations, "orchestration"), b.activities && plural(b.activities, "activity", "activities"), b.events && plural(b.events, "event")].filter(Boolean).join(", ")}</td><td><${Ago} at=${b.since} /></td></tr>`)}</tbody></table></div>
    <p class="muted">The newest first. An older build may serve again, or serve still.</p></section>`;
}
