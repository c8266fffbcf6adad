package console

import (
	"context"
	"fmt"

	"github.com/turnstile-go/turnstile/internal/console/api"
)

// QueueReader returns the numbers of messages in the queues. If it is also a QueueAger, it returns
// how long the oldest messages have waited.
type QueueReader interface {
	Queues(ctx context.Context) ([]api.Queue, error)
}

// QueueAger returns how long the oldest messages of the queues have waited. It is called only on
// request, because on AWS the ages are CloudWatch metrics, which AWS charges for.
type QueueAger interface {
	QueueAges(ctx context.Context) ([]api.QueueAge, error)
}

// QueuePauser pauses and unpauses activity queues.
type QueuePauser interface {
	// PauseQueue pauses or unpauses the queue "default", or the one with a name, on behalf of an
	// actor. The error is client.ErrNotFound (wrapped) if the queue does not exist.
	PauseQueue(ctx context.Context, queue, actor string, paused bool) error
}

// QueuePauseReader is a QueueReader that returns the paused queues.
type QueuePauseReader interface {
	PausedQueues(ctx context.Context) ([]api.PausedQueue, error)
}

// pausedQueues returns the paused queues, if they can be read.
func (h *handler) pausedQueues(ctx context.Context) []api.PausedQueue {
	r, ok := h.queues.(QueuePauseReader)
	if !ok {
		return nil
	}
	paused, err := r.PausedQueues(ctx)
	if err != nil {
		return nil // The caller shows everything else.
	}
	return paused
}

// WithQueues makes the console show the numbers of messages in the queues.
func WithQueues(r QueueReader) Option { return option(func(o *options) { o.queues = r }) }

func (h *handler) readQueues(r *request) (api.Queues, error) {
	if h.queues == nil {
		return api.Queues{}, api.Errorf(api.CodeNotOffered, "this console has no access to the queues: give it console.WithQueues")
	}
	all, err := h.queues.Queues(r.Context())
	return api.Queues{At: h.now().UTC(), Queues: all}, err
}

func (h *handler) queueAges(r *request, _ api.Nothing) (api.QueueAges, error) {
	ager, ok := h.queues.(QueueAger)
	if !ok {
		return api.QueueAges{}, api.Errorf(api.CodeNotOffered, "this console cannot read the age of messages: its queues do not implement console.QueueAger")
	}
	ages, err := ager.QueueAges(r.Context())
	return api.QueueAges{Ages: ages}, err
}

func (h *handler) pauseQueue(r *request, in api.PauseQueue) (api.Queues, error) {
	return h.pausedQueue(r, in, true)
}

func (h *handler) unpauseQueue(r *request, in api.PauseQueue) (api.Queues, error) {
	return h.pausedQueue(r, in, false)
}

func (h *handler) pausedQueue(r *request, in api.PauseQueue, paused bool) (api.Queues, error) {
	pauser, ok := h.queues.(QueuePauser)
	if !ok {
		return api.Queues{}, api.Errorf(api.CodeNotOffered, "this console cannot pause a queue: `turnstile pause --queue NAME` pauses one of a stack on AWS")
	}
	if in.Queue == "" {
		return api.Queues{}, api.Errorf(api.CodeInvalid, `queue is missing: give "default" or the name of an activity queue`)
	}
	if err := pauser.PauseQueue(r.Context(), in.Queue, h.actorOf(r.Request), paused); err != nil {
		return api.Queues{}, err
	}
	h.counter.forget() // Its counts include the paused queues.
	return h.readQueues(r)
}

func plural(n int) string {
	if n == 1 {
		return "1 was"
	}
	return fmt.Sprintf("%d were", n)
}
