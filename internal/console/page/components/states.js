// What stands in place of data: empty, loading, failed, not connected.
import { html } from "../ui.js";
import { useConnection } from "../connection.js";
import { clock } from "../format.js";
import { useSetting } from "../settings.js";
import { Button } from "./button.js";
import { Text } from "./text.js";

// Empty says that there is nothing, and what to do. Props: title, children,
// alone (it is all that the view has, so its title is the heading of the page).
export function Empty({ title, children, alone = false }) {
  return html`<div class="empty"><svg width="56" height="40" viewBox="0 0 56 40" fill="none" stroke="currentColor" stroke-width="1.5" aria-hidden="true">
    <path d="M4 36h48M28 36V20M28 20V6M28 20l13 8M28 20l-13 8" stroke-linecap="round" /><circle cx="28" cy="20" r="3.5" class="hollow" /></svg>
    <${alone ? "h1" : "h2"}>${title}<//>${children && html`<div class="muted">${children}</div>`}</div>`;
}

// Loading takes the place of what is read. Props: rows (3), label.
export function Loading({ rows = 3, label = "Loading" }) {
  return html`<div class="loading" role="status" aria-label=${label}><span class="sr">${label}</span>${
    Array.from({ length: rows }, (_, i) => html`<div class=${"bone w" + (i % 3)} key=${i} />`)}</div>`;
}

// Failure says what went wrong and what to do. Props: error (ApiError or Error),
// retry (function), title.
export function Failure({ error, retry, title = "This could not be read" }) {
  return html`<div class="notice failed" role="alert"><div class="grow"><h2>${title}</h2>
    <p><${Text} value=${error.message} lines=${true} /></p>${error.advice && html`<p class="muted"><${Text} value=${error.advice} lines=${true} /></p>`}
    ${error.code && html`<p class="small muted">${error.status ? `HTTP ${error.status}, ` : ""}${error.code}</p>`}</div>
    ${retry && html`<${Button} icon="reload" onClick=${retry}>Try again<//>`}</div>`;
}

// Stale stands above data that could not be read again. Props: error, retry, at.
export function Stale({ error, retry, at }) {
  const utc = useSetting("utc") === "yes";
  return html`<div class="notice stuck slim" role="status"><span class="grow">Shown as of ${clock(at, utc)}: <${Text} value=${error.message} /></span>
    ${retry && html`<${Button} kind="quiet" icon="reload" onClick=${retry}>Try again<//>`}</div>`;
}

// Resource shows what useResource returned: its loading, failed and stale
// states, and children(data). Props: of, rows, children (a function), title.
export function Resource({ of, rows = 6, children, title }) {
  if (of.data === undefined) {
    return of.error ? html`<${Failure} error=${of.error} retry=${of.reload} title=${title} />` : html`<${Loading} rows=${rows} />`;
  }
  return html`${of.error && html`<${Stale} error=${of.error} retry=${of.reload} at=${of.at} />`}${children(of.data)}`;
}

const words = {
  idle: ["", ""],
  live: ["Live", "Changes are shown as they happen."],
  waiting: ["Connecting", "The page is connecting to the server for live changes."],
  off: ["Not live", "The server responds but sends no changes. The page retries automatically. Refresh the view to see changes."],
  lost: ["Not connected", "The server does not respond. The page retries automatically."],
  hidden: ["Paused", "The page reads nothing while the tab is hidden."],
};

// Connection is the sign in the head of the page.
export function Connection() {
  const state = useConnection();
  const [word, title] = words[state];
  return html`<span class=${"connection " + state} role="status" title=${title}>${word && html`<span class="dot" aria-hidden="true" />${word}`}</span>`;
}

// Disconnected is the bar under the head while the server does not answer.
export function Disconnected() {
  if (useConnection() !== "lost") return null;
  return html`<div class="bar" role="alert"><strong>Not connected.</strong> The server does not respond, so the data shown may be out of date. The page retries automatically.</div>`;
}
