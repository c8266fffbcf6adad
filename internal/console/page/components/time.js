// Moments and spans.
import { html } from "../ui.js";
import { useNow } from "../clock.js";
import { ago, coarse, moment, span } from "../format.js";
import { useSetting } from "../settings.js";

// Moment shows when something was, in full. Props: at (RFC 3339, or ms), both (in the
// reader's zone and in UTC, where these differ).
export function Moment({ at, both = false }) {
  const utc = useSetting("utc") === "yes";
  const d = new Date(at);
  if (!at || Number.isNaN(d.getTime())) return null;
  return html`<time class="num" datetime=${d.toISOString()} title=${moment(d, !utc)}>${moment(d, utc)}${both && d.getTimezoneOffset() !== 0 && html` <span class="muted nowrap">${other(d, !utc)}</span>`}</time>`;
}

// other is a time in the other zone: its day is left out where that is the same.
function other(d, utc) {
  const [day, ...rest] = moment(d, utc).split(" ");
  return (moment(d, !utc).startsWith(day) ? rest : [day, ...rest]).join(" ").replace(/\.\d+/, "");
}

// Ago shows how long ago something was ("3m ago"), in full in its tooltip.
// Props: at.
export function Ago({ at }) {
  const now = useNow();
  const utc = useSetting("utc") === "yes";
  const d = new Date(at);
  if (!at || Number.isNaN(d.getTime())) return null;
  return html`<time class="num nowrap" datetime=${d.toISOString()} title=${moment(d, utc)}>${ago(d.getTime(), now)}</time>`;
}

// Span shows how long something took, or has taken so far. Props: from, to
// (absent while it goes on).
export function Span({ from, to }) {
  return to ? html`<span class="num nowrap">${span(new Date(to) - new Date(from))}</span>` : html`<${Growing} from=${from} />`;
}

function Growing({ from }) {
  const now = useNow();
  return html`<span class="num nowrap growing">${coarse(Math.max(1000, now - new Date(from)))}</span>`;
}
