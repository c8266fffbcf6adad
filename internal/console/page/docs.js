// Where the documentation says more, by what is wrong: the sections of two pages in the
// repository. A Go test holds them against those files.
const stuck = "https://github.com/turnstile-go/turnstile/blob/main/docs/guide/stuck.md";
const troubleshooting = "https://github.com/turnstile-go/turnstile/blob/main/docs/troubleshooting.md";

const problems = {
  nondeterminism: "nondeterminism", panic: "panic", not_registered: "not_registered", blocked: "blocked", deadlock: "deadlock",
  limit: "limit", killed: "killed", corrupt: "corrupt-1",
};

const letters = {
  "": "no-reason", malformed: "malformed", unknown_version: "unknown_version", unknown_kind: "unknown_kind", invalid_field: "invalid_field",
  damaged: "damaged", too_large: "too_large", unknown_instance: "unknown_instance", misaddressed: "misaddressed",
  sender_refused: "sender_refused", forged: "forged", corrupt: "corrupt", expired: "expired",
  redrive_refused: "redrive_refused",
};

// aboutProblem is the address of the section on why an instance is stuck or
// corrupt; that of the document for a reason that this page does not know.
export function aboutProblem(kind) {
  return address(stuck, problems, kind);
}

// aboutLetter is that on the reason of a dead letter, "" for none.
export function aboutLetter(reason) {
  return address(troubleshooting, letters, reason);
}

function address(page, sections, of) {
  return Object.hasOwn(sections, of) ? page + "#" + sections[of] : page;
}
