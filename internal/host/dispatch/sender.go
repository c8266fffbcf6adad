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

// ErrUnsent is wrapped by errors of sending what a commit asked for.
var ErrUnsent = errors.New("host: not everything was dispatched")

// ErrCutShort is wrapped by the error of a dispatch that stopped because the
// invocation was about to end. Its messages are handed back, and their next delivery
// goes on with it.
var ErrCutShort = errors.New("host: the invocation has no time left to go on with the dispatch")

const (
	// stepParcels is how many parcels a step has for each of the calls that are
	// made side by side: a batch. A step begins when all of the one before is sent
	// and there is time for all of it. If it stops all the same, everything after
	// its first unsent parcel is sent again, so a step has to fit into an
	// invocation.
	stepParcels = queue.MaxBatch
	// timerAttempts is how often a call of the timer service is made that is
	// throttled, or fails for another passing reason: within eleven seconds.
	// Queues and stores repeat their calls by themselves.
	timerAttempts = 8
	// maxSendErrors is how many errors of one dispatch are told.
	maxSendErrors = 3
)

// Sender sends what outboxes have. It knows queues, requests to stop and the timer
// service, and nothing of instances.
type Sender struct {
	Composer
	To     Targets
	Clock  clock.Clock
	Random *random.Source
	// Together runs the calls of a dispatch side by side.
	Together func(n int, f func())
	Logger   *slog.Logger
	Observer host.Observer
}

// Targets are the services that take what is sent.
type Targets struct {
	Queues platform.Queues
	Stops  store.Activities
	// Timer is nil without a timer service.
	Timer timer.Timer
	// Bus takes events about instances, where somebody subscribes.
	Bus publishing.Bus
}

// New returns an empty outbox.
func (s *Sender) New() *Outbox {
	return &Outbox{Composer: s.Composer, Now: s.Clock.Now(), with: services{timer: s.To.Timer != nil, bus: s.To.Bus.To != nil}}
}

// Send sends everything of an outbox that is not done, step by step, and notes what is
// in. Within a step it goes route by route; the calls of a route are made side by
// side. Order is kept where somebody can see it: messages of one FIFO group go one
// after the other. It stops after the first failure, and when the invocation is about
// to end. An error wraps ErrUnsent: some may not have been sent, and the messages of
// the turn must be handed back.
func (s *Sender) Send(ctx context.Context, out *Outbox) error {
	s.tell(ctx, out.told.refused)
	out.told.refused = nil
	if out.told.slowed.Messages > 0 {
		s.Logger.WarnContext(ctx, "loop without a pause: what the instance sends waits; continue as new, or send, behind a timer or an activity, or raise Settings.Loop.Depth",
			"messages", out.told.slowed.Messages, "pause", out.told.slowed.Longest.String(), "limit", s.Loop.Depth)
		s.Observer.Count(host.CountLooping, "message", out.told.slowed.Messages)
	}
	began := s.Clock.Now()
	defer func() { s.Observer.Timing(host.TimeDispatch, s.Clock.Now().Sub(began)) }()
	err := out.err
	if err == nil {
		err = s.send(ctx, out.parcels)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnsent, err)
	}
	return nil
}

// tell says which dead letters are sent in place of something.
func (s *Sender) tell(ctx context.Context, refused []refusal) {
	for _, r := range refused {
		s.Logger.ErrorContext(ctx, r.what, "instance", r.Instance, "execution_id", r.ExecutionID, "event_id", r.EventID, "error", r.err)
		s.Observer.Count(host.CountDeadLettered, string(r.reason), 1)
	}
}

func (s *Sender) send(ctx context.Context, parcels []parcel) error {
	d := &dispatcher{by: s, deadline: ctx}
	if left, bounded := clock.Left(ctx, s.Clock); bounded && len(parcels) > 0 {
		// Calls that are under way near the end are given up while there is time
		// left to hand the messages back: were the process killed in them, their
		// turn would be suspected of it.
		within, cancel := context.WithCancel(ctx)
		defer cancel()
		defer s.Clock.AfterFunc(left-s.Settings.Time/2, cancel)()
		ctx = within
	}
	for rest, first := parcels, true; len(rest) > 0; first = false {
		if !first && !clock.HasTime(d.deadline, s.Clock, 2*s.Settings.Time) {
			d.stop(nil)
			return d.err()
		}
		var step []*parcel
		for len(rest) > 0 && len(step) < stepParcels*max(s.Settings.Parallelism, 1) {
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

// of returns the queue of a route, and what it is called.
func (t *Targets) of(r route) (to queue.Queue, name string) {
	switch r {
	case toDelay:
		return t.Queues.Delay, "delay"
	case toOrchestrator:
		return t.Queues.Orchestrator, "orchestrator"
	}
	return t.Queues.DeadStandard, "dead-letter"
}
