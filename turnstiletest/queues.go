package turnstiletest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/names"
	"github.com/turnstile-go/turnstile/internal/queue"
)

// WithQueues has the environment serve these activity queues alone (turnstile.Queue),
// "default" for the one that has no name: attempts of others wait, as where no function
// serves their queue. Default: all are served.
func WithQueues(names ...string) Option {
	return option(func(o *options) { o.queues = names })
}

// unserved is the queue of attempts that nobody makes.
const unserved = "unserved"

// serves reports whether attempts of a queue are made; "" for the one without a name.
func (o *options) serves(name string) bool {
	return o.queues == nil || slices.Contains(o.queues, cmp.Or(name, names.DefaultQueue))
}

// checkQueues returns what is wrong with the names of WithQueues.
func (o *options) checkQueues() error {
	for _, name := range o.queues {
		if p := names.Queue(name); p != "" {
			return fmt.Errorf("WithQueues: the name %s", p)
		}
	}
	return nil
}

// ofOrchestrators are the queues as orchestrators have them: all that is served goes
// through one queue.
func (e *Env) ofOrchestrators(q platform.Queues) platform.Queues {
	served, waits := q.Activity, q.Activity
	if e.opts.queues != nil {
		waits = e.meter.Queue(boundedQueue{e.queues.Named[unserved], &e.boundary})
	}
	of := func(name string) queue.Queue {
		if e.opts.serves(name) {
			return served
		}
		return waits
	}
	q.Activity, q.Named = of(""), of
	return q
}

// unservedQueue says which queue an activity waits in that this test does not serve.
func (e *Env) unservedQueue(instance string, eventID int64) string {
	for _, ev := range e.history(instance, 0) {
		if ev.EventID != eventID || ev.Kind != history.ActivityScheduled {
			continue
		}
		name := ""
		if ev.Retry != nil {
			name = ev.Retry.Queue
		}
		if !e.opts.serves(name) {
			return fmt.Sprintf(" in queue %q, which WithQueues does not name", cmp.Or(name, names.DefaultQueue))
		}
	}
	return ""
}
