// A history that somebody has kept, opened from a file: looked at, and stored
// nowhere.
import { html, useEffect, useMemo, useRef, useState } from "../ui.js";
import { post } from "../api.js";
import { Button, Failure, Loading, Status, Text } from "../components.js";
import { useAbout } from "../about.js";
import { bytes } from "../format.js";
import { format } from "../location.js";
import { fileSource, read } from "./source.js";
import { View } from "./index.js";

// What was opened last, so that going elsewhere and back keeps it.
let opened = null;

// Inspect. Props: query: instance, tab, row, event, execution.
export function Inspect({ query }) {
  const [state, set] = useState(opened ?? { file: null, name: "", error: null, reading: false });
  const [over, setOver] = useState(false), input = useRef(null), limit = useAbout()?.limits?.import_bytes || 8 << 20;
  opened = state.file ? state : null;
  const open = async (file) => {
    if (!file) return;
    set({ file: null, name: file.name, error: null, reading: true });
    try {
      if (file.size > limit) throw new Error(`The file has ${bytes(file.size)}; the limit is ${bytes(limit)}.`);
      const found = await post("inspect", { text: await file.text() });
      set({ file: found, name: file.name, error: null, reading: false });
    } catch (error) {
      set({ file: null, name: file.name, error, reading: false });
    }
  };
  useEffect(() => {
    // A file that is dropped anywhere on the page is opened, and not left to the
    // browser, which would show it in place of the page.
    const enter = (e) => {
      if (![...(e.dataTransfer?.types ?? [])].includes("Files")) return;
      e.preventDefault();
      setOver(true);
    };
    const leave = (e) => { if (!e.relatedTarget) setOver(false); };
    const drop = (e) => {
      e.preventDefault();
      setOver(false);
      open(e.dataTransfer.files[0]);
    };
    document.addEventListener("dragover", enter);
    document.addEventListener("dragleave", leave);
    document.addEventListener("drop", drop);
    return () => {
      document.removeEventListener("dragover", enter);
      document.removeEventListener("dragleave", leave);
      document.removeEventListener("drop", drop);
    };
  }, []);
  const choose = html`<input ref=${input} type="file" hidden id="inspect-file" accept=".json,.txt,application/json,text/plain" onChange=${(e) => { open(e.target.files[0]); e.target.value = ""; }} aria-label="File" />`;
  if (state.file) return html`${choose}<${Opened} key=${state.name} file=${state.file} name=${state.name} query=${query} another=${() => input.current.click()} />`;
  return html`<div class="view-head"><h1>Inspect a history</h1></div>${choose}
    <div class=${"drop" + (over ? " over" : "")}><p><${Button} kind="primary" icon="file" busy=${state.reading} onClick=${() => input.current.click()}>Choose a file<//> or drop one here</p>
      <p class="muted">An exported history (<code>turnstile history INSTANCE --export</code>, or Export on the History tab of an instance), several of them in one file, or a story of the simulation. The file is not stored.</p></div>
    ${state.reading && html`<${Loading} rows=${4} label="Reading the file" />`}
    ${state.error && html`<${Failure} error=${state.error} title=${"This file could not be read: " + state.name} />`}`;
}

function Opened({ file, name, query, another }) {
  const instance = file.instances.some((i) => i.instance === query.instance) ? query.instance : file.instances[0].instance;
  const of = file.instances.find((i) => i.instance === instance);
  const source = useMemo(() => {
    const s = fileSource(file, instance);
    s.sibling = (id) => fileSource(file, id);
    return s;
  }, [file, instance]);
  const model = useMemo(() => read(of.timeline), [of]);
  const to = (more) => format(["inspect"], { instance, ...more });
  const several = file.instances.length > 1;
  const record = { ...of, execution_id: of.timeline.executions.at(-1).execution_id, failure: of.timeline.executions.at(-1).failure };
  const end = of.histories.at(-1).events.at(-1);
  if (end?.kind === "OrchestrationCompleted") record.output = end.payload?.value;
  return html`<div class="notice slim file-notice"><span class="grow"><strong>${{ history: "An exported history", run: "A recorded run", story: "A story of the simulation" }[file.kind] ?? "A file"}</strong> <${Text} value=${name} max=${120} />${file.title && html`: <${Text} value=${file.title} max=${300} />`}</span><${Button} kind="quiet" icon="file" onClick=${another}>Open another file<//></div>
    ${several && html`<nav class="file-instances" aria-label="Instances in the file">${file.instances.map((i) => html`<a key=${i.instance} href=${format(["inspect"], { instance: i.instance })} aria-current=${i.instance === instance ? "page" : null}><${Status} status=${i.status} /> <span class="mono"><${Text} value=${i.instance} max=${80} /></span></a>`)}</nav>`}
    <${View} key=${instance} source=${source} instance=${record} model=${model} tab=${query.tab ?? "timeline"} query=${query}
      link=${(execution, event) => to({ tab: "history", execution, event: event || "" })} tabLink=${(tab) => to({ tab: tab === "timeline" ? "" : tab })} rowLink=${(row) => to({ row })}
      extra=${file.text ? html`<section class="card"><pre dir="ltr" tabindex="0" class="story"><${Text} value=${file.text} lines=${true} max=${200000} /></pre></section>` : null} />`;
}
