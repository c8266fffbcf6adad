// Values: inputs, results, states, bodies of messages.
import { html, useState } from "../ui.js";
import { bytes } from "../format.js";
import { format, oneLine, parse, tokens } from "../json.js";
import { parts } from "../visible.js";
import { Button } from "./button.js";
import { Copy, Text } from "./text.js";

// What is drawn at once: more makes a browser slow, a line of a megabyte most
// of all.
const step = 16_000;

// Json shows a value, or a text of JSON, in lines and colours. Props: value or
// text.
export function Json({ value, text }) {
  const [max, set] = useState(step);
  const all = text ?? format(value);
  const shown = all.length > max ? all.slice(0, max) : all;
  return html`<pre class="json" dir="ltr" tabindex="0">${tokens(shown).map(([kind, part]) => {
    const inside = visible(part);
    return kind ? html`<span class=${"json-" + kind}>${inside}</span>` : inside;
  })}${all.length > max && html`<span class="more-json"><${Button} kind="quiet" onClick=${() => set(max * 8)}>
    Show more (${bytes(all.length - max)} left)<//></span>`}</pre>`;
}

function visible(text) {
  return parts(text, true).map((p) => (typeof p === "string" ? p : html`<span class="hidden-char" title=${p.title}>${p.label}</span>`));
}

// Payload shows a value that may be large, folded, sealed or no JSON. Props:
// payload: { bytes, value | raw | base64, folded, codec } as the API has it, or
// value: any JSON; label ("input"); load: () => Promise of the whole payload,
// for a folded one; open: not folded at first; line: in a line at first, beside its label;
// sealed: a text why it is not shown.
export function Payload({ payload, value, label = "value", load, open = false, line = false, sealed }) {
  const [whole, setWhole] = useState(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const p = whole ?? payload ?? (value === undefined ? null : { value });
  if (sealed || p?.codec) {
    return html`<p class="sealed"><span class="chip">encoded</span> ${sealed ? html`<${Text} value=${sealed} />` :
      html`by codec <code><${Text} value=${p.codec} /></code>, which this program does not have (${bytes(p.bytes)}).`}</p>`;
  }
  if (!p) return html`<span class="muted">none</span>`;
  if (p.folded) {
    const get = async () => {
      setBusy(true);
      setError(null);
      try {
        setWhole(await load());
      } catch (err) {
        setError(err);
      }
      setBusy(false);
    };
    return html`<p class="folded">${load ? html`<${Button} kind="quiet" icon="down" busy=${busy} onClick=${get}>Show ${label}${Number.isFinite(p.bytes) ? ` (${bytes(p.bytes)})` : ""}<//>`
      : html`<span class="muted">${label} of ${bytes(p.bytes)}, too large to show here</span>`}${error && html` <span class="bad" role="alert">${error.message}</span>`}</p>`;
  }
  const text = textOf(p);
  const json = p.value !== undefined || isJson(p.raw);
  const lines = text.split("\n", 4).length;
  const small = text.length <= 100 && lines === 1;
  if (small) return html`<span class="payload small-payload"><code dir="ltr">${json ? tokens(text).map(([k, t]) => html`<span class=${k && "json-" + k}>${visible(t)}</span>`) : visible(text)}</code><${Copy} text=${text} label=${label} /></span>`;
  const size = p.bytes ? bytes(p.bytes) : "", peek = html`<code class="peek" dir="ltr">${visible(oneLine(text.slice(0, 400).replace(/\s+/g, " "), 120))}</code>`;
  return html`<details class="payload" open=${open || whole !== null || (!line && text.length < 600 && lines < 4)}>
    <summary>${line ? html`${peek}${size && html`<span class="muted small">${size}</span>`}` : html`<span class="muted">${label}${size && `, ${size}`}</span> ${peek}`}</summary>
    <div class="payload-body"><${Copy} text=${text} label=${label} word="copy" />${p.base64 && html`<p class="muted">Not JSON; the bytes are shown in base64.</p>`}<${Json} text=${text} /></div></details>`;
}

function isJson(raw) {
  return typeof raw === "string" && /^\s*[[{"\d\-tfn]/.test(raw) && raw.length < 2_000_000 && (() => {
    try {
      JSON.parse(raw);
      return true;
    } catch {
      return false;
    }
  })();
}

// textOf is the payload as it is shown and copied: JSON in lines, or its text.
export function textOf(p) {
  if (p.raw !== undefined) {
    if (!isJson(p.raw)) return p.raw;
    const one = oneLineIfShort(parse(p.raw));
    return one;
  }
  if (p.base64 !== undefined) return p.base64;
  return oneLineIfShort(p.value);
}

function oneLineIfShort(value) {
  const one = JSON.stringify(value) ?? "";
  return one.length <= 100 ? one : format(value);
}
