package deadletter

import "github.com/turnstile-go/turnstile/internal/wire"

// Advice says what to do about a dead letter, by its reason. SQS moves messages with an empty reason.
func Advice(reason wire.Reason) string {
	switch reason {
	case "":
		return "no invocation finished it in 1,000 receives: find the cause in the log (throttling, a crash), fix it, then redrive"
	case wire.ReasonMalformed, wire.ReasonInvalidField:
		return "fix the sender and send the message again, then delete this one"
	case wire.ReasonUnknownVersion, wire.ReasonUnknownKind:
		return "deploy a build that knows it, then redrive; or fix the sender and delete it"
	case wire.ReasonTooLarge:
		return "store the value elsewhere and send a reference to it; after a redrive or a fork, restart the instance or give another event; then delete this one"
	case wire.ReasonUnknownInstance:
		return "start the instance, then redrive; or delete it"
	case wire.ReasonMisaddressed:
		return "nothing was recorded: find the sender. If only the queue was wrong, redrive with --to; otherwise delete it"
	case wire.ReasonSender:
		return "find out which activity sent it and why, then delete it"
	case wire.ReasonForged:
		return "nothing was recorded: find the sender, which does not have the token, then delete it"
	case wire.ReasonCorrupt:
		return "repair the history (`turnstile describe` shows the event), then redrive; if the instance was purged, delete it"
	case wire.ReasonDamaged:
		return "fix the sender's key and send the message again, then delete this one"
	case wire.ReasonRedriveRefused:
		return "the text says why the instance cannot continue from there: delete it, and redrive from another event or restart the instance"
	case wire.ReasonExpired:
		return "if you still need it, `turnstile dead-letter redrive` sends it as a new message; otherwise delete it"
	}
	return "see docs/troubleshooting.md"
}
