package deadletter

import "github.com/turnstile-go/turnstile/internal/wire"

// Advice says what to do about a dead letter, by its reason; empty is
// the reason of what SQS moved itself.
func Advice(reason wire.Reason) string {
	switch reason {
	case "":
		return "no invocation finished it in 1,000 receives: see the log for the cause (throttling, a crash), fix it, then redrive"
	case wire.ReasonMalformed, wire.ReasonInvalidField:
		return "fix the sender, send again, then delete this one"
	case wire.ReasonUnknownVersion, wire.ReasonUnknownKind:
		return "deploy a build that knows it, then redrive; or fix the sender and delete it"
	case wire.ReasonTooLarge:
		return "let the sender store the value elsewhere and send a reference; after a redrive or a fork, rerun the instance or name another event; then delete this one"
	case wire.ReasonUnknownInstance:
		return "start the instance, then redrive; or delete it"
	case wire.ReasonMisaddressed:
		return "nothing was recorded: find the sender. If only the queue was wrong, redrive with --to; otherwise delete it"
	case wire.ReasonSender:
		return "find out which activity sent it, and why; delete it"
	case wire.ReasonForged:
		return "nothing was recorded: find the sender, which does not have the token; delete it"
	case wire.ReasonCorrupt:
		return "repair the history (`turnstile describe` names the event), then redrive; after a purge delete it"
	case wire.ReasonDamaged:
		return "fix the sender's key and let it send again; then delete this one"
	case wire.ReasonRedriveRefused:
		return "the text says why the instance cannot go on from there: fix the code and redrive this letter, or delete it and rerun the instance"
	case wire.ReasonExpired:
		return "if you still want it, `turnstile dead-letter redrive` sends it as a new one; otherwise delete it"
	}
	return "see docs/troubleshooting.md"
}
