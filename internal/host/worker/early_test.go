package worker

import (
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/lease"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/store"
)

// If an operator starts an attempt early, neither of its two messages ends in the same batch as the other, because which
// of them runs the attempt is known only after the first was decided.
func TestA18TheTwoMessagesOfAnEarlyAttemptNeverBothRunIt(t *testing.T) {
	t.Parallel()
	due, early := task{Message: queue.Message{ID: "due"}, item: *third(&history.Retry{MaxAttempts: 5})}, task{Message: queue.Message{ID: "early"}, item: *third(&history.Retry{MaxAttempts: 5})}
	early.item.ID = activities.EarlyID(noon.Add(time.Hour), "ada")
	for _, c := range []struct{ first, second task }{{early, due}, {due, early}} {
		w := &Worker{}
		if other := w.running.enter(&c.first); other != nil {
			t.Fatalf("%+v is made already", other)
		}
		other := w.running.enter(&c.second)
		if other == nil {
			t.Fatalf("%s is made beside %s", c.second.ID, c.first.ID)
		}
		if _, back := errors.AsType[*underWay](w.beside(t.Context(), &c.second, other)); !back {
			t.Errorf("%s ends beside %s", c.second.ID, c.first.ID)
		}
		w.running.leave(c.first.attemptID())
	}
}

// An operator's message that arrives when the due message may have started the attempt claims the attempt for the due
// message; a message that arrives in time runs the attempt.
func TestA18ALateOperatorsMessageLeavesTheAttemptToTheDueOne(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		until time.Duration // the other is due
		makes bool
	}{{time.Hour, true}, {lease.Skew + time.Second, true}, {lease.Skew, false}, {0, false}, {-time.Hour, false}} {
		stops := memory.NewActivities(func() time.Time { return noon })
		w := &Worker{Config: Config{Stops: stops, Environment: platform.Environment{Clock: clock.NewVirtual(noon)}}}
		due := noon.Add(c.until)
		early := task{item: *third(&history.Retry{MaxAttempts: 5})}
		early.item.ID = activities.EarlyID(due, "ada")
		instead, err := w.early(t.Context(), &early, store.Claim{})
		if err != nil || (instead == nil) != c.makes {
			t.Errorf("%s before it is due: %+v, %v; want that it makes the attempt: %t", c.until, instead, err, c.makes)
		}
		state, err := stops.State(t.Context(), early.key())
		if err != nil {
			t.Fatal(err)
		}
		// The due message ends without an attempt only if the early one runs it.
		dated := task{item: early.item}
		dated.item.ID, dated.item.SentMS = "", due.UnixMilli()
		if instead, err := w.early(t.Context(), &dated, state.Claim); err != nil || (instead == nil) == c.makes {
			t.Errorf("%s before it is due: the other one gets %+v, %v", c.until, instead, err)
		}
	}
}
