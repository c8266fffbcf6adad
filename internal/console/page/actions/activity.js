// Ending an activity that somebody else does, by its token.
import { html, useState } from "../ui.js";
import { post } from "../api.js";
import { find, useCatalog, useCheck } from "../catalog.js";
import { Field, FormDialog, Id, JsonField, Text, TypedField, jsonError, toast } from "../components.js";
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
  return html`<${FormDialog} title="Complete or fail an activity" action=${fails ? "Fail the activity" : "Complete the activity"} kind=${fails ? "danger" : "primary"} onClose=${onClose} disabled=${wrong} submit=${submit}>
    <${Field} label="Completion token" hint="The token that the activity handed out.">${(p) => html`<textarea ...${p} rows="3" required spellcheck=${false} autocomplete="off" value=${token} onInput=${(e) => setToken(e.target.value)} />`}<//>
    <${Ends} value=${what} onInput=${setWhat} />
    ${fails ? html`<${FailureFields} message=${message} setMessage=${setMessage} code=${code} setCode=${setCode} />`
      : html`<${JsonField} label="Result" hint="JSON, or empty for none." value=${result} onInput=${setResult} />`}<//>`;
}

function Ends({ value, onInput }) {
  return html`<${Field} label="Outcome">${(p) => html`<select ...${p} value=${value} onChange=${(e) => onInput(e.target.value)}><option value="complete">Completed with a result</option><option value="fail">Failed; it is not retried</option></select>`}<//>`;
}

function FailureFields({ message, setMessage, code, setCode }) {
  return html`<${Field} label="Message">${(p) => html`<input ...${p} required value=${message} onInput=${(e) => setMessage(e.target.value)} />`}<//>
    <${Field} label="Code" hint="Optional. The orchestration can act on it.">${(p) => html`<input ...${p} value=${code} spellcheck=${false} onInput=${(e) => setCode(e.target.value)} />`}<//>`;
}

// CompleteDialog ends an activity that stands in a row. Props: instance (its id), row
// (as the API has it), onClose, onDone.
export function CompleteDialog({ instance, row, onClose, onDone }) {
  const [what, setWhat] = useState("complete"), [result, setResult] = useState(""), [message, setMessage] = useState(""), [code, setCode] = useState("");
  const catalog = useCatalog(), check = useCheck("activity", row.name, "", result), fails = what === "fail";
  const of = { instance: instance.instance, execution_id: row.execution_id, event_id: row.event_id };
  const submit = async () => {
    if (!fails && !(await check.sure())) return false;
    try {
      await (fails ? post("activities/fail", { ...of, message, code: code || undefined }) : post("activities/complete", withJSON(of, { result })));
    } finally {
      onDone?.();
    }
    toast(fails ? "The failure was sent." : "The result was sent.");
  };
  const odd = !fails && check.problems.length > 0;
  return html`<${FormDialog} title="Complete an activity by hand" action=${fails ? "Fail the activity" : odd ? "Complete it anyway" : "Complete the activity"} kind=${fails ? "danger" : "primary"} onClose=${onClose} disabled=${fails ? message.trim() === "" : jsonError(result) !== ""} submit=${submit}>
    <p>Activity <strong><${Text} value=${row.name} max=${120} /></strong>, event ${row.event_id} of <${Id} id=${instance.instance} copy=${false} />. The orchestration continues with this outcome. An attempt that is already running is not stopped, and its result is ignored.</p>
    <${Ends} value=${what} onInput=${setWhat} />
    ${fails ? html`<${FailureFields} message=${message} setMessage=${setMessage} code=${code} setCode=${setCode} />`
      : html`<${TypedField} label="Result" hint="JSON, or empty for none." value=${result} onInput=${setResult} type=${find(catalog.activities, row.name)?.returns} check=${check} />`}<//>`;
}
