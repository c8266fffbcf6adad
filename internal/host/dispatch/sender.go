package dispatch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/host/publishing"
	"github.com/turnstile-go/turnstile/internal/host/random"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/timer"
	"github.com/turnstile-go/turnstile/store"
)

// ErrUnsent is wrapped by errors of sending the messages of a commit.
var ErrUnsent = errors.New("host: not everything was dispatched")

// ErrCutShort is wrapped by the error of a dispatch that stopped because the invocation was about
// to end. Its messages return to their queue, and their next delivery continues the dispatch.
var ErrCutShort = errors.New("host: the invocation has no time left to continue the dispatch")

const (
	// stepMessages is the number of outgoing messages that a step has for each concurrent call: one
	// batch. A step starts when the previous step is sent completely and there is time for the
	// whole step. If a step nevertheless stops early, everything after its first unsent message is
	// sent again, so a step must fit into an invocation.
	stepMessages = queue.MaxBatch
	// timerAttempts is the maximum number of attempts at a call of the timer service that is
	// throttled or fails for another temporary reason; the attempts take at most eleven seconds.
	// Clients of queues and stores retry by themselves.
	timerAttempts = 8
	// maxSendErrors is the maximum number of errors of one dispatch that are reported.
	maxSendErrors = 3
)

// Sender sends the messages of outboxes. It knows queues, stop requests and the timer service, but
// no instances.
type Sender struct {
	Composer
	To     Targets
	Clock  clock.Clock
	Random *random.Source
	// Together runs the calls of a dispatch concurrently.
	Together func(n int, f func())
	Logger   *slog.Logger
	Observer host.Observer
}

// Targets are the services that receive outgoing messages.
type Targets struct {
	Queues  platform.Queues
	Answers store.Answers
	Stops   store.Activities
	// Timer is nil without a timer service.
	Timer timer.Timer
	// Bus receives events about instances; nil without a subscriber.
	Bus *publishing.Bus
}

// New returns an empty outbox.
func (s *Sender) New() *Outbox {
	return &Outbox{Composer: s.Composer, Now: s.Clock.Now(), with: services{timer: s.To.Timer != nil, bus: s.To.Bus != nil}}
}

// Send sends the messages of an outbox that are not done, step by step, and marks those that are
// sent. Within a step it takes one route after the other; the calls of a route run concurrently.
// Where the order can be observed it is kept: messages of one FIFO group are sent one after the
// other. Send stops after the first failure, and when the invocation is about to end. If some
// messages may not have been sent, the error wraps ErrUnsent, and the messages of the turn must
// return to their queue.
func (s *Sender) Send(ctx context.Context, out *Outbox) error {
	s.tell(ctx, out.reported.refused)
	out.reported.refused = nil
	if out.reported.slowed.Messages > 0 {
		s.Logger.WarnContext(ctx, "loop without a pause: the instance's messages are delayed; continue as new, or send, after a timer or after more work, or raise Settings.Loop.Depth",
			"messages", out.reported.slowed.Messages, "pause", out.reported.slowed.Longest.String(), "limit", s.Loop.Depth)
		s.Observer.Count(host.CountLooping, "message", out.reported.slowed.Messages)
	}
	startedAt := s.Clock.Now()
	defer func() { s.Observer.Timing(host.TimeDispatch, s.Clock.Now().Sub(startedAt)) }()
	err := out.err
	if err == nil {
		err = s.send(ctx, out.messages)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnsent, err)
	}
	return nil
}

// tell logs and counts the dead letters that replace messages.
func (s *Sender) tell(ctx context.Context, refused []refusal) {
	for _, r := range refused {
		s.Logger.ErrorContext(ctx, r.what, "instance", r.Instance, "execution_id", r.ExecutionID, "event_id", r.EventID, "error", r.err)
		s.Observer.Count(host.CountDeadLettered, string(r.reason), 1)
	}
}

func (s *Sender) send(ctx context.Context, messages []outgoing) error {
	d := &dispatcher{by: s, deadline: ctx}
	if left, bounded := clock.Left(ctx, s.Clock); bounded && len(messages) > 0 {
		// Calls in progress near the end are abandoned while there is time left to return the messages to
		// their queue. If the process were killed during a call, the turn would be suspected of killing
		// it.
		within, cancel := context.WithCancel(ctx)
		defer cancel()
		defer s.Clock.AfterFunc(left-s.Settings.MinRemaining/2, cancel)()
		ctx = within
	}
	for rest, first := messages, true; len(rest) > 0; first = false {
		if !first && !clock.HasTime(d.deadline, s.Clock, 2*s.Settings.MinRemaining) {
			d.stop(nil)
			return d.err()
		}
		var step []*outgoing
		for len(rest) > 0 && len(step) < stepMessages*max(s.Settings.Parallelism, 1) {
			if !rest[0].done {
				step = append(step, &rest[0])
			}
			rest = rest[1:]
		}
		for again := true; again; again = d.replacements() {
			for r := range routes {
				if d.take(ctx, r, step); d.stopped() {
					return d.err()
				}
			}
		}
	}
	return nil
}

// of returns the queue of a route and its name.
func (t *Targets) of(r route) (to queue.Queue, name string) {
	switch r {
	case toDelay:
		return t.Queues.Delay, "delay"
	case toOrchestrator:
		return t.Queues.Orchestrator, "orchestrator"
	}
	return t.Queues.DeadStandard, "dead-letter"
}
