package deadletter

import "github.com/turnstile-go/turnstile/internal/wire"

// Advice says what to do about a dead letter, by its reason; empty is
// the reason of what SQS moved itself.
func Advice(reason wire.Reason) string {
	switch reason {
	case "":
		return "no turn took it in all its receives: see the log for why (throttling, a crash), put that right, then redrive"
	case wire.ReasonMalformed, wire.ReasonInvalidField:
		return "mend its sender and let it send again; then delete this one"
	case wire.ReasonUnknownVersion, wire.ReasonUnknownKind:
		return "deploy a build that knows it, then redrive; or mend its sender and delete it"
	case wire.ReasonTooLarge:
		return "let its sender put the value elsewhere and send a reference; then delete this one"
	case wire.ReasonUnknownInstance:
		return "start the instance, then redrive; delete it if there will be none"
	case wire.ReasonMisaddressed:
		return "find its sender; nothing was recorded. If it was only on the wrong queue, redrive with --to; else delete it"
	case wire.ReasonSender:
		return "find out which activity sent it, and why; delete it"
	case wire.ReasonForged:
		return "find its sender: it does not have the token of what it completes. Nothing was recorded; delete it"
	case wire.ReasonCorrupt:
		return "put the history right (`turnstile describe` names the event), then redrive; after a purge delete it"
	case wire.ReasonDamaged:
		return "mend its sender's key and let it send again; then delete this one"
	case wire.ReasonRedriveRefused:
		return "the text says why the instance cannot go on from there: fix the code and redrive this letter, or delete it and rerun the instance"
	case wire.ReasonExpired:
		return "redrive it with `turnstile dead-letter redrive`, which sends it as a new one, if it is still wanted; else delete it"
	}
	return "see docs/troubleshooting.md"
}
