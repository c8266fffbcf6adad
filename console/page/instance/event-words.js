// Events of a history in words. Pure.
import { span } from "../format.js";

const families = [
  [/Scheduled$|Created$|Subscribed$|Chained$/, "scheduled"], [/^SystemCall$/, "call"],
  [/^Orchestration(Completed)$|^(Activity|SubOrchestration)Completed$|^TimerFired$/, "completed"],
  [/Failed$/, "failed"], [/^ExternalEvent$/, "external"], [/CancelRequested$/, "cancelled"],
];

// family is the group that a kind of event belongs to: "scheduled", "call",
// "completed", "failed", "external", "cancelled", else "life".
export function family(kind) {
  return families.find(([pattern]) => pattern.test(kind))?.[1] ?? "life";
}

// detail says in a few words what an event has besides name and payload.
export function detail(e) {
  const out = [];
  if (e.version) out.push("version " + e.version);
  if (e.op) out.push(e.op);
  if (e.inline) out.push("inline");
  if (e.duration_ms) out.push("for " + span(e.duration_ms));
  if (e.instance) out.push("instance " + e.instance);
  if (e.attempt > 1) out.push("attempt " + e.attempt);
  if (e.imposed) out.push(e.imposed);
  if (e.reason) out.push(e.reason);
  if (e.failure) out.push([e.failure.kind, e.failure.message].filter(Boolean).join(": "));
  if (e.actor) out.push("by " + e.actor);
  return out.join(", ");
}

// completions are the events that completed others, by the event_id of these, as
// far as both are among the events.
export function completions(events) {
  return new Map(events.filter((e) => e.source_event_id).map((e) => [e.source_event_id, e.event_id]));
}

// names are the names of the operations, by the event_id that scheduled them.
export function names(events) {
  return new Map(events.filter((e) => e.name).map((e) => [e.event_id, e.name]));
}
