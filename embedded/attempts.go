package embedded

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/queue"
	memoryqueue "github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// attempts are the attempts that workers of this process run, for a console that shows them.
// Messages are parsed only when the console asks.
type attempts struct {
	clock  clock.Clock
	queues []*memoryqueue.Queue

	mu  sync.Mutex
	has map[*begun]struct{}
}

type begun struct {
	batch []queue.Message
	at    time.Time
}

func newAttempts(c clock.Clock, activities []*memoryqueue.Queue) *attempts {
	return &attempts{clock: c, queues: activities, has: map[*begun]struct{}{}}
}

func (a *attempts) begin(batch []queue.Message) *begun {
	b := &begun{batch: batch, at: a.clock.Now()}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.has[b] = struct{}{}
	return b
}

func (a *attempts) end(b *begun) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.has, b)
}

// Attempts implements console.AttemptReader.
func (a *attempts) Attempts(instance string) []console.Attempt {
	var out []console.Attempt
	for _, q := range a.queues {
		for _, m := range q.Snapshot() {
			if m.Visible {
				out = appendAttempt(out, instance, &m.Message, time.Time{})
			}
		}
	}
	a.mu.Lock()
	running := make([]*begun, 0, len(a.has))
	for b := range a.has {
		running = append(running, b)
	}
	a.mu.Unlock()
	for _, b := range running {
		for i := range b.batch {
			out = appendAttempt(out, instance, &b.batch[i], b.at)
		}
	}
	// If an attempt is found twice, the running copy counts.
	slices.SortStableFunc(out, func(x, y console.Attempt) int { return x.Since.Compare(y.Since) })
	return out
}

func appendAttempt(out []console.Attempt, instance string, m *queue.Message, since time.Time) []console.Attempt {
	// Most messages belong to other instances, and need not be parsed.
	if !strings.Contains(m.Body, "ActivityExecute") {
		return out
	}
	item, err := wire.Parse([]byte(m.Body))
	if err != nil || item.Kind != wire.ActivityExecute || item.Instance != instance {
		return out
	}
	return append(out, console.Attempt{ExecutionID: item.ExecutionID, EventID: item.SchedulingEventID, Number: max(item.Attempt, 1), Since: since})
}
