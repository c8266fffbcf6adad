package main

import (
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/wire"
)

// Kinds of problem that the host adds to those of engine.StuckKind.
const (
	problemKilled  = "killed"
	problemCorrupt = "corrupt"
)

// problemAdvice says in a few lines what to do about an instance that is stuck
// or corrupt, by the kind of its problem. docs/troubleshooting.md says more.
func problemAdvice(kind string) string {
	switch kind {
	case string(engine.StuckNondeterminism):
		return "deploy code that agrees with the history (roll back, or give the change a version of its own); the instance then goes on by itself, or at once with `turnstile wake`"
	case string(engine.StuckPanic):
		return "mend the code where the stack says and deploy it; the instance then goes on by itself, or at once with `turnstile wake`"
	case string(engine.StuckNotRegistered):
		return "deploy a build that has this name and version; the instance then goes on by itself, or at once with `turnstile wake`"
	case string(engine.StuckBlocked):
		return "take what blocks (see the stack) out of the orchestration: use durable calls, or an activity; deploy, then `turnstile wake`"
	case string(engine.StuckDeadlock):
		return "mend the branches that wait for each other and deploy, then `turnstile wake`; or `turnstile terminate`"
	case string(engine.StuckLimit):
		return "look for a loop that schedules and never waits; wait in between, or continue as new; deploy, then `turnstile wake`"
	case problemKilled:
		return "look into the orchestrator's log for memory or timeout, raise the limit or mend the code, deploy, then `turnstile wake`; messages alone do not try again"
	case problemCorrupt:
		return "keep the history (`turnstile history --json`), restore the table's items from a backup, then `turnstile wake`; or give the instance up with `turnstile purge --force`"
	}
	return "see docs/troubleshooting.md"
}

// reasonAdvice says what to do about a dead letter, by its reason; empty is
// the reason of what SQS moved itself.
func reasonAdvice(reason wire.Reason) string {
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
	case wire.ReasonExpired:
		return "redrive it with `turnstile dead-letter redrive`, which sends it as a new one, if it is still wanted; else delete it"
	}
	return "see docs/troubleshooting.md"
}
