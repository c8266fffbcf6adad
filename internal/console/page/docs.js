// Where the documentation says more: the sections of docs/troubleshooting.md, in
// the repository, by what is wrong. A Go test holds them against that file.
const troubleshooting = "https://github.com/turnstile-go/turnstile/blob/main/docs/troubleshooting.md";

const problems = {
  nondeterminism: "nondeterminism", panic: "panic", not_registered: "not_registered", blocked: "blocked", deadlock: "deadlock",
  limit: "limit", killed: "killed", corrupt: "corrupt-1",
};

const letters = {
  "": "no-reason", malformed: "malformed", unknown_version: "unknown_version", unknown_kind: "unknown_kind", invalid_field: "invalid_field",
  damaged: "damaged", too_large: "too_large", unknown_instance: "unknown_instance", misaddressed: "misaddressed",
  sender_refused: "sender_refused", forged: "forged", corrupt: "corrupt-2", expired: "expired",
};

// aboutProblem is the address of the section on why an instance is stuck or
// corrupt; that of the document for a reason that this page does not know.
export function aboutProblem(kind) {
  return address(problems, kind);
}

// aboutLetter is that on the reason of a dead letter, "" for none.
export function aboutLetter(reason) {
  return address(letters, reason);
}

function address(sections, of) {
  return Object.hasOwn(sections, of) ? troubleshooting + "#" + sections[of] : troubleshooting;
}
