// Dead letters by their reason. Pure.

// What a reason means; "" is that of what the queue service moved itself.
const reasons = {
  "": "moved by the queue after the last receive",
  malformed: "not readable",
  invalid_field: "with an invalid field",
  unknown_version: "of an unknown version",
  unknown_kind: "of an unknown kind",
  too_large: "too large",
  unknown_instance: "for an unknown instance",
  misaddressed: "misaddressed",
  damaged: "with a payload that its codec cannot open",
  sender_refused: "from a sender that may not send this",
  forged: "with a wrong token",
  corrupt: "for a corrupt history",
  expired: "too old",
  redrive_refused: "whose redrive of an instance was refused",
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
