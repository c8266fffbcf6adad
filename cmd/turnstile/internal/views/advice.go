package views

import (
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/store"
)

// ProblemAdvice returns what to do about a stuck or corrupt instance, by the kind of its problem. See
// docs/troubleshooting.md for more.
func ProblemAdvice(kind string) string {
	switch kind {
	case string(engine.StuckNondeterminism):
		return "deploy code that agrees with the history (roll back, or put the change behind a new version); the instance then continues automatically, or immediately with `turnstile wake`"
	case string(engine.StuckPanic):
		return "fix the code that the stack points to, and deploy it; the instance then continues automatically, or immediately with `turnstile wake`"
	case string(engine.StuckNotRegistered):
		return "deploy a build that has this name and version; the instance then continues automatically, or immediately with `turnstile wake`"
	case string(engine.StuckBlocked):
		return "move the blocking call (see the stack) into an activity, or use a durable call; deploy, then `turnstile wake`"
	case string(engine.StuckDeadlock):
		return "fix the branches that wait for each other; deploy, then `turnstile wake`; or `turnstile terminate`"
	case string(engine.StuckLimit):
		return "look for a loop that schedules operations and never waits; wait inside it, or continue as new; deploy, then `turnstile wake`"
	case store.ProblemKilled:
		return "check the orchestrator's log for an out-of-memory error or a timeout; raise the limit or fix the code, deploy, then `turnstile wake` (new messages do not make the instance retry)"
	case store.ProblemCorrupt:
		return "keep the history (`turnstile history --export`) and restore the table's items from a backup, then `turnstile wake`; or discard the instance with `turnstile purge --force`"
	}
	return "see docs/troubleshooting.md"
}
