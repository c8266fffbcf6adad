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

// WithQueues makes the environment serve only these activity queues (turnstile.Queue); "default" is
// the unnamed queue. Attempts for other queues wait, as they do if no function serves their queue.
// By default all queues are served.
func WithQueues(names ...string) Option {
	return option(func(o *options) { o.queues = names })
}

// unserved is the queue of attempts that no worker receives.
const unserved = "unserved"

// serves reports whether the queue of this name is served; "" is the unnamed queue.
func (o *options) serves(name string) bool {
	return o.queues == nil || slices.Contains(o.queues, cmp.Or(name, names.DefaultQueue))
}

// checkQueues returns the problem of the names of WithQueues.
func (o *options) checkQueues() error {
	for _, name := range o.queues {
		if p := names.Queue(name); p != "" {
			return fmt.Errorf("WithQueues: the name %s", p)
		}
	}
	return nil
}

// ofOrchestrators returns the queues for orchestrators. All served activity queues are one queue.
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

// unservedQueue names the queue in which an activity waits because the test does not serve it.
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
