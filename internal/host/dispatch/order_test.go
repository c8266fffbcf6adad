package dispatch

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/host/sharing"
	"github.com/turnstile-go/turnstile/internal/queue"
)

// refusingQueue records its calls, each of which takes eight milliseconds, and refuses one message.
type refusingQueue struct {
	queue.Queue
	refuses string

	mu    sync.Mutex
	calls [][]string
}

func (*refusingQueue) FIFO() bool { return true }

func (q *refusingQueue) Send(_ context.Context, msgs ...queue.Outgoing) error {
	time.Sleep(8 * time.Millisecond)
	var names []string
	failed := map[int]error{}
	for i, m := range msgs {
		names = append(names, m.Body)
		if m.Body == q.refuses {
			failed[i] = &queue.RejectedError{Index: i, Code: m.Body}
		}
	}
	slices.Sort(names)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.calls = append(q.calls, names)
	return queue.Partial(failed, len(msgs))
}

// A message that must stay after another message is sent once the queue has accepted that other
// message, even if messages of other senders share the call in which it is refused.
func TestMessagesAfterARefusedOneOfTheirGroupAreNotSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &refusingQueue{refuses: "0-1"}
		together := sharing.OnGoroutines(func(f func()) { go f() })
		var shared queue.Queue = q
		sharing.Queues(&shared)
		ctx := sharing.Start(t.Context(), clock.Wall{}, 20*time.Millisecond)
		sharing.SideBySide(ctx, 2, 2, together, func(i int) {
			s := &Sender{To: Targets{Queues: platform.Queues{Orchestrator: shared}}, Clock: clock.Wall{}, Composer: Composer{Settings: &host.DispatchSettings{Parallelism: 32}}, Together: together}
			var messages []outgoing
			for n := range 3 {
				messages = append(messages, outgoing{route: toOrchestrator, msg: queue.Outgoing{Body: strconv.Itoa(i) + "-" + strconv.Itoa(n), Group: "g"}})
			}
			err := s.send(ctx, messages)
			if (err != nil) != (i == 0) {
				t.Errorf("sender %d: %v", i, err)
			}
			for n := range messages {
				if want := i == 1 || n == 0; messages[n].done != want {
					t.Errorf("message %d-%d counts as sent: %t, want %t", i, n, messages[n].done, want)
				}
			}
		})
		if got, want := fmt.Sprint(q.calls), "[[0-0 1-0] [0-1 1-1] [1-2]]"; got != want {
			t.Errorf("calls %s, want %s", got, want)
		}
	})
}
