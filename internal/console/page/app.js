// The shell: head, navigation, and the view that the address names.
import { html, render, useEffect, useMemo, useRef, useState } from "./ui.js";
import { get } from "./api.js";
import { About } from "./about.js";
import { Connection, Disconnected, Empty, Icon, IconButton, Mark, Toasts, Button, Text } from "./components.js";
import { count } from "./format.js";
import { format } from "./location.js";
import { modKey, useKeys } from "./keyboard.js";
import { setServerTime } from "./clock.js";
import { Counts, useAllCounts, useCounts } from "./counts.js";
import { choose, useSetting } from "./settings.js";
import { go, useLocation } from "./router.js";
import { plainText } from "./visible.js";
import { Instance } from "./instance/index.js";
import { Inspect } from "./instance/inspect.js";
import { Instances } from "./views/instances.js";
import { Failures } from "./views/failures.js";
import { Metrics } from "./views/metrics.js";
import { Stuck } from "./views/stuck.js";
import { DeadLetters } from "./views/deadletters.js";
import { Queues } from "./views/queues.js";
import { Schedules } from "./views/schedules.js";
import { AboutView } from "./views/about.js";
import { Difference } from "./views/difference.js";
import { Palette } from "./views/palette.js";
import { Help } from "./views/help.js";
import { ActivityDialog } from "./actions/activity.js";
import { StartDialog } from "./actions/start.js";

// The views of the navigation: segment, word, key behind g.
const views = [
  ["instances", "Instances", "i"],
  ["failures", "Failures", "f"],
  ["stuck", "Stuck", "s"],
  ["metrics", "Metrics", "m"],
  ["schedules", "Schedules", "c"],
  ["dead-letters", "Dead letters", "d"],
  ["queues", "Queues", "q"],
  ["about", "About", "a"],
];

// start draws the page into the element.
export function start(root) {
  root.dataset.started = "yes";
  root.textContent = "";
  render(html`<${App} />`, root);
}

function App() {
  const [state, setState] = useState({ about: null, error: null });
  const [open, setOpen] = useState(null); // "palette", "help", "start", "activity"
  const close = () => setOpen(null);
  const where = useLocation();
  const view = where.segments[0] ?? "instances";
  const read = async () => {
    try {
      const about = await get("about");
      setServerTime(about.now);
      setState({ about, error: null });
    } catch (error) {
      setState((s) => ({ ...s, error }));
    }
  };
  useEffect(() => { read(); }, []);
  const counts = useCounts({}, state.about);
  const may = state.about?.actions === true;
  useKeys({
    "mod+k": () => setOpen((o) => (o === "palette" ? null : "palette")),
    "?": () => setOpen("help"),
    n: () => (may ? setOpen("start") : false),
    ...Object.fromEntries(views.map(([segment, , key]) => ["g " + key, () => go(format([segment]))])),
  });
  const shared = useMemo(() => ({ ...state, reload: read, open: setOpen }), [state]);
  return html`<${About.Provider} value=${shared}><${Counts.Provider} value=${counts}>
    <a class="skip" href="#main" onClick=${(e) => { e.preventDefault(); document.getElementById("main").focus(); }}>Skip to content</a>
    <${Head} view=${view} about=${state.about} open=${setOpen} />
    <${Disconnected} />
    <main id="main" tabindex="-1"><${View} where=${where} /></main>
    <${Toasts} />
    ${open === "palette" && html`<${Palette} onClose=${close} views=${views} open=${setOpen} />`}
    ${open === "help" && html`<${Help} onClose=${close} views=${views} />`}
    ${open === "activity" && html`<${ActivityDialog} onClose=${close} />`}
    ${open === "start" && html`<${StartDialog} onClose=${close} />`}
  <//><//>`;
}

function Head({ view, about, open }) {
  const all = useAllCounts()?.data, counts = all?.counts ?? {}, paused = all?.paused_queues?.length ?? 0;
  const stuck = (counts.stuck?.count ?? 0) + (counts.corrupt?.count ?? 0), more = counts.stuck?.more || counts.corrupt?.more;
  const place = about?.place;
  return html`<header class="head">
    <a class="brand" href="#/instances"><${Mark} /><span class="brand-word">Turnstile</span></a>
    ${place && html`<span class="place" title=${plainText(Object.entries(place.settings ?? {}).map(([k, v]) => `${k}: ${v}`).join("\n"))}><${Text} value=${place.kind} />${place.settings?.region && html` <${Text} value=${place.settings.region} />`}</span>`}
    <nav class="nav" aria-label="Views">${views.map(([segment, word]) => html`<a key=${segment} href=${format([segment])} aria-current=${segment === view ? "page" : null}>${word}${
      segment === "stuck" && stuck > 0 && html`<span class="badge"><span class="sr">(</span>${count(stuck, more)}<span class="sr">)</span></span>`}${
      segment === "queues" && paused > 0 && html`<span class="badge">${count(paused)} paused</span>`}</a>`)}</nav>
    <span class="grow"></span>
    <${Connection} />
    <div class="tools">
      <button type="button" class="search-button" onClick=${() => open("palette")} title="Search and commands" aria-keyshortcuts="Control+K Meta+K"><${Icon} name="search" /><span class="search-words">Go to…</span><kbd class="search-keys" aria-hidden="true">${modKey} K</kbd></button>
      <${ThemeButton} />
      <${IconButton} icon="keyboard" label="Keyboard shortcuts" onClick=${() => open("help")} />
      ${about?.actions && html`<${Button} kind="primary" icon="plus" class="start-button" onClick=${() => open("start")}>Start<//>`}
    </div></header>`;
}

const themes = { system: ["screen", "light"], light: ["sun", "dark"], dark: ["moon", "system"] };

function ThemeButton() {
  const theme = useSetting("theme");
  const [icon, next] = themes[theme] ?? themes.system;
  return html`<${IconButton} icon=${icon} label=${`Theme: ${theme}. Change to ${next}`} onClick=${() => choose("theme", next)} />`;
}

// View draws the view of an address. The title says what it is, and the focus
// goes to it when the address changes to another one.
function View({ where }) {
  const { segments, query } = where;
  const [view = "instances", id, ...rest] = segments;
  const title = id !== undefined ? plainText(id) : views.find(([s]) => s === view)?.[1] ?? ({ inspect: "Inspect a history", difference: "Comparison" }[view] ?? "Page not found");
  const first = useRef(true);
  useEffect(() => {
    document.title = title + " · Turnstile";
    if (first.current) {
      first.current = false;
      return;
    }
    window.scrollTo(0, 0);
    document.getElementById("main")?.focus({ preventScroll: true });
  }, [view, id]);
  if (view === "instances" && id !== undefined) return html`<${Instance} key=${id} id=${id} rest=${rest} query=${query} />`;
  switch (view) {
    case "instances": return html`<${Instances} query=${query} />`;
    case "failures": return html`<${Failures} query=${query} />`;
    case "metrics": return html`<${Metrics} query=${query} />`;
    case "stuck": return html`<${Stuck} query=${query} />`;
    case "schedules": return html`<${Schedules} name=${id} />`;
    case "dead-letters": return html`<${DeadLetters} query=${query} />`;
    case "queues": return html`<${Queues} query=${query} />`;
    case "about": return html`<${AboutView} />`;
    case "difference": return html`<${Difference} query=${query} />`;
    case "inspect": return html`<${Inspect} query=${query} />`;
  }
  return html`<${Empty} alone=${true} title="Page not found"><p>The link may be incomplete. <a href="#/instances">Show all instances</a></p><//>`;
}
