// How many failed when, as bars.
import { html } from "../ui.js";
import { count, moment, plural } from "../format.js";
import { useSetting } from "../settings.js";

// Bars. Props: bars (numbers), data (from, width_ms), kind (a status, for the colour),
// caption (times stand below), word (what is counted).
export function Bars({ bars, data, kind, caption = false, word = "failure" }) {
  const utc = useSetting("utc") === "yes", most = Math.max(1, ...bars), top = bars.indexOf(most);
  const at = (i) => moment(Date.parse(data.from) + i * data.width_ms, utc).replace(/:\d\d\.\d{3}/, "");
  const words = `${plural(bars.reduce((n, b) => n + b, 0), word)} from ${at(0)} to ${at(bars.length)}; peak ${count(most)}, from ${at(top)} to ${at(top + 1)}`;
  return html`<figure class=${"failure-bars " + kind}><svg role="img" aria-label=${words} viewBox=${`0 0 ${bars.length * 10} 30`} preserveAspectRatio="none">
      ${bars.map((n, i) => html`<rect key=${i} x=${i * 10 + 1} width="8" y=${n ? 29 - (n / most) * 28 : 29} height=${n ? (n / most) * 28 + 1 : 1} class=${n ? "some" : ""}><title>${`${at(i)}: ${count(n)}`}</title></rect>`)}</svg>
    ${caption && html`<figcaption class="muted small num" aria-hidden="true"><span>${at(0)}</span><span>peak ${count(most)}</span><span>${at(bars.length)}</span></figcaption>`}</figure>`;
}
