package pausing

import (
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
)

// steps is the order in which event sources are turned off, and on again. The orchestrator comes first:
// without turns, nothing new starts and no timeout takes effect. Activities come last, so that running
// ones can finish. Unpause starts with the orchestrator too, so that a worker does not start an activity
// that a waiting message cancels.
var steps = []struct {
	queues []string
	what   string
}{
	{[]string{deadletter.Orchestrator}, "turns"},
	{[]string{deadletter.Delay, deadletter.ActivityDead}, "delayed messages"},
	{[]string{deadletter.Activity}, "activities"},
}

// step returns the event sources of a step. The first step includes unknown event sources.
func (p *Pausing) step(n int) []api.EventSource {
	var out []api.EventSource
	for _, s := range p.Sources {
		at := slices.IndexFunc(steps, func(step struct {
			queues []string
			what   string
		}) bool {
			return slices.Contains(step.queues, s.Queue) || ofActivities(s.Queue) && slices.Contains(step.queues, deadletter.Activity)
		})
		if max(at, 0) == n {
			out = append(out, s)
		}
	}
	return out
}

// ofActivities reports whether a queue is an activity queue.
func ofActivities(queue string) bool {
	return queue == deadletter.Activity || strings.HasPrefix(queue, deadletter.Activity+":")
}
