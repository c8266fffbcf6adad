// Starting an orchestration.
import { html, useState } from "../ui.js";
import { get, path, post } from "../api.js";
import { find, useCatalog, useCheck } from "../catalog.js";
import { Button, Field, FormDialog, JsonField, TypedField, jsonError, toast } from "../components.js";
import { instance as address } from "../location.js";
import { knownNames } from "../names.js";
import { go } from "../router.js";
import { newID, withJSON } from "./send.js";

// StartDialog. Props: onClose, name, version, input (a text) to begin with.
export function StartDialog({ onClose, name: name0 = "", version: version0 = "", input: input0 = "" }) {
  const [name, setName] = useState(name0), [version, setVersion] = useState(version0), [instance, setInstance] = useState("");
  const [input, setInput] = useState(input0), [attributes, setAttributes] = useState(""), [event, setEvent] = useState(""), [data, setData] = useState("");
  const [id] = useState(newID);
  const catalog = useCatalog(), names = [...new Set([...catalog.orchestrations.map((o) => o.name), ...knownNames()])].sort();
  const versions = catalog.orchestrations.filter((o) => o.name === name.trim() && o.version).map((o) => o.version);
  const inputs = useCheck("orchestration", name, version, input), events = useCheck("event", event, "", data);
  const odd = inputs.problems.length + events.problems.length > 0;
  const wrong = name.trim() === "" || [input, attributes, data].some((t) => jsonError(t) !== "");
  const submit = async () => {
    if (!(await inputs.sure()) || !(await events.sure())) return false;
    const first = event.trim() === "" ? "" : `[${withJSON({ name: event }, { data })}]`;
    const started = await post("instances", withJSON({ name, version, instance, start_id: id }, { input, search_attributes: attributes, events: first }));
    toast({ text: "Start sent." });
    go(address(started.instance));
  };
  const text = (label, hint, value, set, more = {}) => html`<${Field} label=${label} hint=${hint}>${(p) => html`<input ...${p} value=${value} autocomplete="off" spellcheck=${false} onInput=${(e) => set(e.target.value)} ...${more} />`}<//>`;
  return html`<${FormDialog} title="Start an orchestration" action=${odd ? "Start anyway" : "Start"} onClose=${onClose} disabled=${wrong} submit=${submit}>
    ${text("Orchestration", "The registered name.", name, setName, { required: true, list: "known-names" })}
    <datalist id="known-names">${names.map((n) => html`<option key=${n} value=${n} />`)}</datalist>
    <${TypedField} label="Input" hint="JSON, or empty for none." value=${input} onInput=${setInput} type=${find(catalog.orchestrations, name.trim(), version)?.takes} check=${inputs}>${name.trim() !== "" && html`<${LastInput} name=${name.trim()} onInput=${setInput} />`}<//>
    <div class="fields">${text("Instance id", "Leave empty for a random id.", instance, setInstance)}${text("Version", "Leave empty for the newest version.", version, setVersion, { list: "known-versions" })}</div>
    <datalist id="known-versions">${versions.map((v) => html`<option key=${v} value=${v} />`)}</datalist>
    <details><summary>Search attributes and a first event</summary><div class="form">
      <${JsonField} label="Search attributes" hint='A JSON object of strings and numbers, such as {"customer":"c-1","total":99.5}' value=${attributes} onInput=${setAttributes} rows=${2} />
      ${text("First event", "Optional. The name of an event to send together with the start.", event, setEvent, { list: "known-events" })}
      <datalist id="known-events">${catalog.events.map((e) => html`<option key=${e.name} value=${e.name} />`)}</datalist>
      <${TypedField} label="Event data" hint="JSON, or empty for none." value=${data} onInput=${setData} rows=${2} type=${find(catalog.events, event.trim())?.takes} check=${events} /></div></details><//>`;
}

// LastInput takes over what the newest instance of a name was started with.
function LastInput({ name, onInput }) {
  const [said, say] = useState(""), [busy, setBusy] = useState(false);
  const take = async () => {
    setBusy(true);
    say("");
    try {
      const { instances } = await get("instances", { name, page_size: 1 });
      const started = instances[0] && (await get(path("instances", instances[0].instance, "executions", 1, "events", 1))).payload;
      if (started?.raw !== undefined) onInput(started.raw);
      else say(!instances[0] ? "It has no instances yet." : started ? "The last input cannot be shown here." : "The last instance had no input.");
    } catch (error) {
      say(error.message);
    }
    setBusy(false);
  };
  return html`<${Button} kind="quiet" busy=${busy} onClick=${take}>Use the last input<//>${said && html`<span class="muted small" role="status">${said}</span>`}`;
}
