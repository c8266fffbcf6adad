package worker

import (
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/queue"
)

// Of the two messages of an attempt that was made early neither ends beside the other: which
// of them makes the attempt is known only when the first has been decided.
func TestA18NoMessageOfAnEarlyAttemptEndsBesideTheOther(t *testing.T) {
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
		w.running.leave(&c.first)
	}
}
