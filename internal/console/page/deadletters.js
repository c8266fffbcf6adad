// Dead letters by their reason. Pure.

// What a reason means; "" is that of what the queue service moved itself.
const reasons = {
  "": "moved by the queue after the last receive",
  malformed: "not parsable",
  invalid_field: "with an invalid field",
  unknown_version: "with an unknown version",
  unknown_kind: "with an unknown kind",
  too_large: "too large",
  unknown_instance: "for an unknown instance",
  misaddressed: "misaddressed",
  damaged: "with a payload that its codec cannot decode",
  sender_refused: "from a sender that is not allowed to send it",
  forged: "with a wrong token",
  corrupt: "for a corrupt history",
  expired: "too old",
  redrive_refused: "with a refused redrive",
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
