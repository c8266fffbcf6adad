// Dead letters by their reason. Pure.

// What a reason means; "" is that of what the queue service moved itself.
const reasons = {
  "": "given up by the queue after the last receive",
  malformed: "not readable",
  invalid_field: "with a field that cannot be",
  unknown_version: "of an unknown version",
  unknown_kind: "of an unknown kind",
  too_large: "too large",
  unknown_instance: "for an instance that is not there",
  misaddressed: "misaddressed",
  damaged: "with a payload that its codec cannot open",
  sender_refused: "from a sender that may not send it",
  forged: "without the token that it takes",
  corrupt: "for a history that is corrupt",
  expired: "too old",
  redrive_refused: "that ask to redrive an instance, which was refused",
};

// words says what a reason means.
export function words(reason) {
  return reasons[reason ?? ""] ?? reason;
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
