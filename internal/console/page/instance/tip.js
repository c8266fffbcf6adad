// What is shown beside the pointer, or beside the row that has the focus.
import { html, useLayoutEffect, useRef } from "../ui.js";
import { Text } from "../components.js";
import { failureKind, moment, span } from "../format.js";
import { useSetting } from "../settings.js";
import { GroupTip } from "./groups.js";
import { actedBy, kindWords, stateWord } from "./model.js";

// Tip. Props: line, left, top (of the pointer), at (the time under it), now. A
// screen reader is told the same by the row itself.
export function Tip({ line, left, top, at, now }) {
  const ref = useRef(null), utc = useSetting("utc") === "yes", r = line.row;
  useLayoutEffect(() => {
    const el = ref.current, box = el.getBoundingClientRect();
    el.style.left = Math.max(4, Math.min(left + 14, window.innerWidth - box.width - 8)) + "px";
    el.style.top = (top + box.height + 24 > window.innerHeight ? top - box.height - 12 : top + 16) + "px";
  }, [left, top, line]);
  if (line.type === "group") return html`<div class="tl-tip" ref=${ref} aria-hidden="true"><${GroupTip} line=${line} />${at !== undefined && html`<p class="num muted small">${moment(at, utc)}</p>`}</div>`;
  return html`<div class="tl-tip" ref=${ref} aria-hidden="true"><p><strong><${Text} value=${r.label} max=${80} /></strong> <span class="muted">${kindWords[r.kind]}, event ${r.event}</span>${r.raw.member && html` <${Text} value=${r.raw.member} max=${80} />`}</p>
    <p>${stateWord(r)}, ${r.end === null ? "for " + span(now - r.at) : span(r.end - r.at)}${r.raw.attempt > 1 ? `, attempt ${r.raw.attempt}${r.raw.max_attempts ? " of " + r.raw.max_attempts : ""}` : ""}</p>
    ${r.spans.length > 1 && html`<ul>${r.spans.map((s, i) => html`<li key=${i}><span class="muted">${words[s.doing] ?? s.doing}</span> <span class="num">${span((s.to ?? now) - s.from)}</span></li>`)}</ul>`}
    ${actedBy(r.raw) && html`<p><span class="muted">${actedBy(r.raw)[0]}</span> <${Text} value=${r.raw.actor} max=${80} /></p>`}
    ${r.raw.text && html`<p class="muted"><${Text} value=${r.raw.text} max=${160} /></p>`}
    ${r.raw.failure && html`<p class=${r.state === "failed" ? "bad" : "muted"}><${Text} value=${failureKind(r.raw.failure.kind) + ": " + (r.raw.failure.message ?? "")} max=${160} /></p>`}
    ${at !== undefined && html`<p class="num muted small">${moment(at, utc)}</p>`}</div>`;
}

export const words = { waiting: "waited", running: "ran", unknown: "waited or ran", retrying: "waited to retry", late: "was due", stopping: "was stopping" };
