package console

import (
	"context"
	"fmt"

	"github.com/turnstile-go/turnstile/internal/console/api"
)

// QueueReader says how full the queues are. One that is a QueueAger too says how
// long the oldest messages have waited.
type QueueReader interface {
	Queues(ctx context.Context) ([]api.Queue, error)
}

// QueueAger says how long the oldest messages of queues have waited. It is asked
// only when somebody wants to know: on AWS the ages are metrics of CloudWatch,
// which are charged for.
type QueueAger interface {
	QueueAges(ctx context.Context) ([]api.QueueAge, error)
}

// WithQueues lets the console show how full the queues are.
func WithQueues(r QueueReader) Option { return option(func(o *options) { o.queues = r }) }

func (h *handler) readQueues(r *request) (api.Queues, error) {
	if h.queues == nil {
		return api.Queues{}, api.Errorf(api.CodeNotOffered, "this console was not given the queues (console.WithQueues)")
	}
	all, err := h.queues.Queues(r.Context())
	return api.Queues{At: h.now().UTC(), Queues: all}, err
}

func (h *handler) queueAges(r *request, _ api.Nothing) (api.QueueAges, error) {
	ager, ok := h.queues.(QueueAger)
	if !ok {
		return api.QueueAges{}, api.Errorf(api.CodeNotOffered, "this console was not given what knows the age of messages (console.QueueAger)")
	}
	ages, err := ager.QueueAges(r.Context())
	return api.QueueAges{Ages: ages}, err
}

func plural(n int) string {
	if n == 1 {
		return "1 was"
	}
	return fmt.Sprintf("%d were", n)
}
