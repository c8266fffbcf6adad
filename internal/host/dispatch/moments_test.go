package dispatch

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"testing"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/host/publishing"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// The instance events of a commit depend only on the commit, and their numbers increase.
func TestTheInstanceEventsOfACommit(t *testing.T) {
	t.Parallel()
	failed := func(f history.Failure, forced string) history.Event {
		return history.Event{Kind: history.OrchestrationFailed, EventID: 2, Failure: &f, Forced: forced}
	}
	for _, c := range []struct {
		name      string
		execution int64
		carried   bool
		event     history.Event
		what      string
		code      string
	}{
		{"a start", 1, false, history.Event{Kind: history.OrchestrationStarted}, "started", ""},
		{"a restart", 2, false, history.Event{Kind: history.OrchestrationStarted}, "restarted", ""},
		{"an instance that continues as new has not started", 2, true, history.Event{Kind: history.OrchestrationStarted}, "", ""},
		{"it has said so itself", 1, false, history.Event{Kind: history.OrchestrationContinuedAsNew}, "continued_as_new", ""},
		{"a redrive", 2, false, history.Event{Kind: history.OrchestrationRedriven}, "restarted", ""},
		{"a fork", 1, false, history.Event{Kind: history.OrchestrationRedriven}, "started", ""},
		{"a suspend", 1, false, history.Event{Kind: history.OrchestrationSuspended}, "suspended", ""},
		{"a resume", 1, false, history.Event{Kind: history.OrchestrationResumed}, "resumed", ""},
		{"a completion", 1, false, history.Event{Kind: history.OrchestrationCompleted}, "completed", ""},
		{"a failure with its code", 1, false, failed(history.Failure{Code: "declined"}, ""), "failed", "declined"},
		{"a cancel", 1, false, failed(history.Failure{Kind: history.FailureCancelled, Code: "c"}, ""), "cancelled", ""},
		{"a terminate", 1, false, failed(history.Failure{}, history.ForcedByOperator), "terminated", ""},
		{"anything else", 1, false, history.Event{Kind: history.ExternalEvent}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.event.EventID = 2
			turn := turnOf(c.event)
			turn.ExecutionID, turn.Messaged = c.execution, !c.carried
			commit := Commit{Turn: turn, Start: &history.Start{}, Name: "Order"}
			out := newOutbox(newComposer(t))
			out.with.bus = true
			out.Add(commit)
			reported := slices.DeleteFunc(slices.Clone(out.messages), func(p outgoing) bool { return p.route != toBus })
			if c.what == "" {
				if len(reported) > 0 {
					t.Fatalf("it says %+v", reported[0].moment)
				}
				return
			}
			want := host.InstanceEvent{Schema: 1, Type: c.what, Instance: turn.Instance, Execution: c.execution, Orchestration: "Order",
				Number: publishing.Number(c.execution, 2, 0), At: reported[0].moment.At, EventID: 2, Code: c.code}
			if len(reported) != 1 || reported[0].moment != want {
				t.Fatalf("got %+v\nwant %+v", reported, want)
			}
			silent := newOutbox(newComposer(t))
			if silent.Add(commit); slices.ContainsFunc(silent.messages, func(p outgoing) bool { return p.route == toBus }) {
				t.Error("it is told to nobody")
			}
		})
	}
}

// halfBus accepts every second event.
type halfBus struct{ taken []string }

func (b *halfBus) Publish(_ context.Context, events []host.InstanceEvent) error {
	failed := map[int]error{}
	for i := range events {
		if i%2 == 0 {
			b.taken = append(b.taken, events[i].Type)
		} else {
			failed[i] = errors.New("throttled")
		}
	}
	return queue.Partial(failed, len(events))
}

// delayQueue keeps the sent messages.
type delayQueue struct {
	queue.Queue
	sent []queue.Outgoing
}

func (q *delayQueue) FIFO() bool { return false }
func (q *delayQueue) Send(_ context.Context, m ...queue.Outgoing) error {
	q.sent = append(q.sent, m...)
	return nil
}

func TestEventsThatTheBusDoesNotAcceptGoToTheDelayQueue(t *testing.T) {
	t.Parallel()
	composer := newComposer(t)
	composer.Settings.Parallelism = 1
	b, q, wall := &halfBus{}, &delayQueue{}, clock.Wall{}
	s := &Sender{Composer: composer, Clock: wall, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), Observer: host.NoObserver{},
		Together: func(n int, f func()) {
			for range n {
				f()
			}
		},
		To: Targets{Queues: platform.Queues{Delay: q}, Bus: &publishing.Bus{To: b, Clock: wall, Observer: host.NoObserver{}}}}
	out := s.New()
	turn := turnOf(history.Event{Kind: history.OrchestrationSuspended, EventID: 2}, history.Event{Kind: history.OrchestrationResumed, EventID: 3})
	out.Add(Commit{Turn: turn, Start: &history.Start{}, Name: "Order"})
	if err := s.Send(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(b.taken, []string{"suspended"}) || len(q.sent) != 1 || q.sent[0].Delay != publishAgain {
		t.Fatalf("the bus has taken %q, and sent to the delay queue is %+v", b.taken, q.sent)
	}
	item, err := wire.Parse([]byte(q.sent[0].Body))
	if err != nil || item.Kind != wire.InstanceEvent || item.ID != publishing.Number(turn.ExecutionID, 3, 0) {
		t.Fatalf("%+v, %v", item, err)
	}
}
