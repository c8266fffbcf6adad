package pausing

import (
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
)

// steps is the order in which event sources are turned off, and on again. First
// those of the orchestrator: no turn is made any more, so that nothing new begins and
// no timeout is acted on. Last activities, which may end meanwhile what was begun. On
// the way back the orchestrator is first too: what it cancels or gives up for what
// came in the meantime is not begun by a worker before.
var steps = []struct {
	queues []string
	what   string
}{
	{[]string{deadletter.Orchestrator}, "turns"},
	{[]string{deadletter.Delay, deadletter.ActivityDead}, "delayed messages"},
	{[]string{deadletter.Activity}, "activities"},
}

// step returns the event sources of a step; the first has those too that nobody
// knows.
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

// ofActivities reports whether a queue is one that activities go through.
func ofActivities(queue string) bool {
	return queue == deadletter.Activity || strings.HasPrefix(queue, deadletter.Activity+":")
}
