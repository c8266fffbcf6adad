// Starting an orchestration.
import { html, useState } from "../ui.js";
import { post } from "../api.js";
import { Field, FormDialog, JsonField, jsonError, toast } from "../components.js";
import { instance as address } from "../location.js";
import { knownNames } from "../names.js";
import { go } from "../router.js";
import { newID, withJSON } from "./send.js";

// StartDialog. Props: onClose, name, version, input (a text) to begin with.
export function StartDialog({ onClose, name: name0 = "", version: version0 = "", input: input0 = "" }) {
  const [name, setName] = useState(name0), [version, setVersion] = useState(version0), [instance, setInstance] = useState("");
  const [input, setInput] = useState(input0), [attributes, setAttributes] = useState(""), [event, setEvent] = useState(""), [data, setData] = useState("");
  const [id] = useState(newID);
  const wrong = name.trim() === "" || [input, attributes, data].some((t) => jsonError(t) !== "");
  const submit = async () => {
    const events = event.trim() === "" ? "" : `[${withJSON({ name: event }, { data })}]`;
    const started = await post("instances", withJSON({ name, version, instance, start_id: id }, { input, search_attributes: attributes, events }));
    toast({ text: "Start sent." });
    go(address(started.instance));
  };
  const text = (label, hint, value, set, more = {}) => html`<${Field} label=${label} hint=${hint}>${(p) => html`<input ...${p} value=${value} autocomplete="off" spellcheck=${false} onInput=${(e) => set(e.target.value)} ...${more} />`}<//>`;
  return html`<${FormDialog} title="Start an orchestration" action="Start" onClose=${onClose} disabled=${wrong} submit=${submit}>
    ${text("Orchestration", "Its name, as the code registers it.", name, setName, { required: true, list: "known-names" })}
    <datalist id="known-names">${knownNames().map((n) => html`<option key=${n} value=${n} />`)}</datalist>
    <${JsonField} label="Input" hint="JSON; empty for none." value=${input} onInput=${setInput} />
    <div class="fields">${text("Instance id", "Empty for a random one.", instance, setInstance)}${text("Version", "Empty for the newest.", version, setVersion)}</div>
    <details><summary>Search attributes, a first event</summary><div class="form">
      <${JsonField} label="Search attributes" hint='An object of texts and numbers, such as {"customer":"c-1","total":99.5}' value=${attributes} onInput=${setAttributes} rows=${2} />
      ${text("First event", "The name of an event that it finds when it starts.", event, setEvent)}
      <${JsonField} label="Data of the event" value=${data} onInput=${setData} rows=${2} /></div></details><//>`;
}
