// Dead letters by their reason, and what to do about each. Pure.

// reasons: word, what it means, what to do. "" is that of what the queue service
// moved itself.
const reasons = {
  "": ["given up by the queue", "No turn took it in all its receives. See the log for why (throttling, a crash), put that right, then redrive."],
  malformed: ["not readable", "Mend its sender and let it send again; then delete this one."],
  invalid_field: ["a field that cannot be", "Mend its sender and let it send again; then delete this one."],
  unknown_version: ["of an unknown version", "Deploy a build that knows it, then redrive; or mend its sender and delete it."],
  unknown_kind: ["of an unknown kind", "Deploy a build that knows it, then redrive; or mend its sender and delete it."],
  too_large: ["too large", "Let its sender put the value elsewhere and send a reference; then delete this one."],
  unknown_instance: ["for an instance that is not there", "Start the instance, then redrive; delete it if there will be none."],
  misaddressed: ["misaddressed", "Find its sender; nothing was recorded. If it was only on the wrong queue, redrive it to the right one with the command line; else delete it."],
  sender: ["from a sender that may not send it", "Find out which activity sent it, and why; delete it."],
  forged: ["without the token that it takes", "Find its sender: it does not have the token of what it completes. Nothing was recorded; delete it."],
  corrupt: ["for a history that is corrupt", "Put the history right, then redrive; after a purge delete it."],
  expired: ["too old", "Redrive it if it is still wanted: it is sent as a new one. Else delete it."],
};

// words says what a reason means.
export function words(reason) {
  return reasons[reason ?? ""]?.[0] ?? reason;
}

// advice says what to do about it.
export function advice(reason) {
  return reasons[reason ?? ""]?.[1] ?? "See the documentation on troubleshooting.";
}

// group puts dead letters with the same reason together, the largest group
// first: { reason, letters }.
export function group(letters) {
  const groups = new Map();
  for (const l of letters) {
    const reason = l.reason ?? "";
    if (!groups.has(reason)) groups.set(reason, { reason, letters: [] });
    groups.get(reason).letters.push(l);
  }
  return [...groups.values()].sort((a, b) => b.letters.length - a.letters.length || (a.reason < b.reason ? -1 : 1));
}
