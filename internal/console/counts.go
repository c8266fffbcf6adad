package console

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

const (
	// countTo is the number at which counting the instances of a status stops on DynamoDB. For all seven
	// statuses that is at most a thousand read units, $0.000125.
	countTo = 10_000
	// countsKeepPushed and countsKeepPolled are how long counts are kept if changes are pushed or polled.
	countsKeepPushed, countsKeepPolled = 2 * time.Second, 30 * time.Second
	// countsKept is how many different counts are kept.
	countsKept = 50
)

// counter counts instances, and keeps the counts for a while, because counting reads the table.
type counter struct {
	client *client.Client
	now    func() time.Time
	// paused returns the paused queues.
	paused func(context.Context) []api.PausedQueue
	// keep is how long counts are kept, in real time.
	keep time.Duration

	mu   sync.Mutex
	kept map[string]kept
}

type kept struct {
	counts api.Counts
	until  time.Time
}

func (h *handler) counts(r *request) (api.Counts, error) {
	q, err := listQuery(r.query)
	if err != nil {
		return api.Counts{}, err
	}
	of := client.ListQuery{Name: q.Name, Prefix: q.Prefix, Where: q.Where, From: q.From, To: q.To}
	if h.liveBy() != "push" && (of.Prefix != "" || len(of.Where) > 0 || !of.From.IsZero() || !of.To.IsZero()) {
		return api.Counts{}, api.Errorf(api.CodeNotOffered, "this store counts only all instances or those of an orchestration: to count by prefix, where, from or to, it would have to read each record")
	}
	return h.counter.of(r.Context(), of)
}

// forget makes the next request count again.
func (c *counter) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept = nil
}

// of counts the instances that a query selects. Requests that arrive in the meantime wait for the same
// counts.
func (c *counter) of(ctx context.Context, q client.ListQuery) (api.Counts, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := fmt.Sprintf("%q %q %q %d %d", q.Name, q.Prefix, q.Where, q.From.UnixNano(), q.To.UnixNano())
	if k, ok := c.kept[name]; ok && time.Now().Before(k.until) {
		return k.counts, nil
	}
	counts := api.Counts{CountedAt: c.now().UTC(), Counts: map[string]api.Count{}}
	n, more, err := c.client.CountByStatus(ctx, q, countTo)
	if err != nil {
		return api.Counts{}, err
	}
	for _, status := range instanceStatuses {
		counts.Counts[string(status)] = api.Count{Count: n[status], More: more[status]}
	}
	if q.Name == "" && q.Prefix == "" && len(q.Where) == 0 && q.From.IsZero() && q.To.IsZero() {
		counts.PausedQueues = c.paused(ctx)
	}
	if c.kept == nil || len(c.kept) >= countsKept {
		c.kept = map[string]kept{}
	}
	c.kept[name] = kept{counts, time.Now().Add(c.keep)}
	return counts, nil
}
