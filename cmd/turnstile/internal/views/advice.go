package views

import (
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/store"
)

// ProblemAdvice says in a few lines what to do about an instance that is stuck
// or corrupt, by the kind of its problem. docs/troubleshooting.md says more.
func ProblemAdvice(kind string) string {
	switch kind {
	case string(engine.StuckNondeterminism):
		return "deploy code that agrees with the history (roll back, or give the change a version of its own); the instance then goes on by itself, or at once with `turnstile wake`"
	case string(engine.StuckPanic):
		return "fix the code where the stack says, and deploy it; the instance then goes on by itself, or at once with `turnstile wake`"
	case string(engine.StuckNotRegistered):
		return "deploy a build that has this name and version; the instance then goes on by itself, or at once with `turnstile wake`"
	case string(engine.StuckBlocked):
		return "move the blocking call (see the stack) into an activity, or use a durable call; deploy, then `turnstile wake`"
	case string(engine.StuckDeadlock):
		return "fix the branches that wait for each other and deploy, then `turnstile wake`; or `turnstile terminate`"
	case string(engine.StuckLimit):
		return "look for a loop that schedules and never waits; wait in between, or continue as new; deploy, then `turnstile wake`"
	case store.ProblemKilled:
		return "look in the orchestrator's log for memory or timeout, raise the limit or fix the code, deploy, then `turnstile wake`; messages do not make it try again"
	case store.ProblemCorrupt:
		return "keep the history (`turnstile history --export`), restore the table's items from a backup, then `turnstile wake`; or give the instance up with `turnstile purge --force`"
	}
	return "see docs/troubleshooting.md"
}
