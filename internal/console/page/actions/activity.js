// Ending an activity that somebody else does, by its token.
import { html, useState } from "../ui.js";
import { post } from "../api.js";
import { Field, FormDialog, JsonField, jsonError, toast } from "../components.js";
import { withJSON } from "./send.js";

// ActivityDialog completes an activity or lets it fail. Props: onClose. The token
// is sent in the body of the request, and is kept nowhere.
export function ActivityDialog({ onClose }) {
  const [token, setToken] = useState(""), [what, setWhat] = useState("complete");
  const [result, setResult] = useState(""), [message, setMessage] = useState(""), [code, setCode] = useState("");
  const fails = what === "fail";
  const wrong = token.trim() === "" || (fails ? message.trim() === "" : jsonError(result) !== "");
  const submit = async () => {
    await (fails ? post("activities/fail", { token: token.trim(), message, code: code || undefined }) : post("activities/complete", withJSON({ token: token.trim() }, { result })));
    toast(fails ? "The failure was sent." : "The result was sent.");
  };
  return html`<${FormDialog} title="End an activity by its token" action=${fails ? "Let it fail" : "Complete it"} kind=${fails ? "danger" : "primary"} onClose=${onClose} disabled=${wrong} submit=${submit}>
    <${Field} label="Completion token" hint="The text that the activity handed out.">${(p) => html`<textarea ...${p} rows="3" required spellcheck=${false} autocomplete="off" value=${token} onInput=${(e) => setToken(e.target.value)} />`}<//>
    <${Field} label="How it ends">${(p) => html`<select ...${p} value=${what} onChange=${(e) => setWhat(e.target.value)}><option value="complete">with a result</option><option value="fail">with a failure, which is final</option></select>`}<//>
    ${fails ? html`<${Field} label="Message">${(p) => html`<input ...${p} required value=${message} onInput=${(e) => setMessage(e.target.value)} />`}<//>
      <${Field} label="Code" hint="A word that the orchestration may act on; empty for none.">${(p) => html`<input ...${p} value=${code} spellcheck=${false} onInput=${(e) => setCode(e.target.value)} />`}<//>`
      : html`<${JsonField} label="Result" hint="JSON; empty for none." value=${result} onInput=${setResult} />`}<//>`;
}
