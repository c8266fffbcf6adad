// Sending an action, so that a repeat of it counts once.
import { post } from "../api.js";
import { toast } from "../components.js";
import { clip } from "../format.js";
import { plainText } from "../visible.js";

// newID is a random id, by which a repeat is known: a dialog makes one when it
// is opened, so that pressing its button twice acts once.
export function newID() {
  const b = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(b, (x) => x.toString(16).padStart(2, "0")).join("");
}

// json reads a text of JSON as the API takes it: undefined for an empty one. It
// stands in the request as it was written, for numbers that JavaScript can't hold.
export function withJSON(body, fields) {
  const parts = Object.entries(body).filter(([, v]) => v !== undefined && v !== "").map(([k, v]) => `${JSON.stringify(k)}:${JSON.stringify(v)}`);
  for (const [k, text] of Object.entries(fields)) if (text.trim() !== "") parts.push(`${JSON.stringify(k)}:${text}`);
  return "{" + parts.join(",") + "}";
}

// bodyOf is the body of the request of an act. id makes a repeat of a start count once.
export function bodyOf(act, reason, id) {
  return { ...(act.reason && { reason }), ...(["redrive", "restart"].includes(act.name) && { start_id: id }) };
}

// send posts an action for an instance and says so. What it changes is seen
// when the orchestrator has handled it.
export async function send(path, body, did, instance) {
  const answer = await post(path, body);
  toast({ text: `${did} ${clip(plainText(instance), 60)}.${answer?.no_record ? " It has no record yet, so this takes effect only if its start is queued." : ""}` });
  return answer;
}
