package guide_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// fairQueue is a model of an SQS fair queue that an event source of Lambda receives from, by
// what "How Amazon SQS fair queues work" in the SQS Developer Guide says: a tenant is noisy with more than a
// tenth of the messages in flight and at least 30, or with more than a tenth of the recent
// processing time; messages of quiet tenants are handed out before those of noisy ones; and
// who has sent nothing for five minutes is quiet. All else is as bad as it may be: within each
// class the oldest message is first, and a tenant is noisy only while the rule holds.
type fairQueue struct {
	functions, batch int
	// byTime is set if the rule of processing time holds too.
	byTime bool

	// waiting and inFlight count the messages of a tenant, sent is when it has sent them, and
	// done when those were done that are.
	waiting, inFlight map[string]int
	sent              map[string]time.Duration
	done              map[string][]time.Duration
	now               time.Duration
}

const (
	// attemptTakes is the processing time of a message, and that of a minute counts.
	attemptTakes = time.Second
	recent       = time.Minute
)

func (q *fairQueue) noisy(tenant string) bool {
	if q.now-q.sent[tenant] >= 5*time.Minute {
		return false
	}
	all, own := 0, q.inFlight[tenant]
	for _, n := range q.inFlight {
		all += n
	}
	if own >= 30 && own*10 > all {
		return true
	}
	all, own = 0, 0
	for of, ends := range q.done {
		before, _ := slices.BinarySearch(ends, q.now-recent)
		all += len(ends) - before
		if of == tenant {
			own = len(ends) - before
		}
	}
	return q.byTime && own*10 > all
}

// receive hands out a batch: the tenant of each message.
func (q *fairQueue) receive() (got []string) {
	noisy := map[string]bool{}
	for tenant := range q.sent {
		noisy[tenant] = q.noisy(tenant)
	}
	for len(got) < q.batch {
		next := ""
		for _, tenant := range []string{"many", "few"} { // in the order of sending
			if q.waiting[tenant] > 0 && q.sent[tenant] <= q.now && (next == "" || noisy[next] && !noisy[tenant]) {
				next = tenant
			}
		}
		if next == "" {
			break
		}
		got = append(got, next)
		q.waiting[next]--
		q.inFlight[next]++
	}
	return got
}

// fewTake is how long the attempts of a tenant with few take in all, which are sent at a time while
// another has many waiting.
func (q *fairQueue) fewTake(many, few int, at time.Duration) time.Duration {
	q.waiting, q.inFlight, q.done = map[string]int{"many": many, "few": few}, map[string]int{}, map[string][]time.Duration{}
	q.sent = map[string]time.Duration{"many": 0, "few": at}
	// Functions become free one after the other.
	free, batches := make([]time.Duration, q.functions), make([][]string, q.functions)
	for i := range free {
		free[i] = time.Duration(i) * attemptTakes / time.Duration(q.functions)
	}
	for {
		i := 0
		for j := range free {
			if free[j] < free[i] {
				i = j
			}
		}
		q.now = free[i]
		for _, tenant := range batches[i] {
			q.inFlight[tenant]--
			q.done[tenant] = append(q.done[tenant], q.now)
			if tenant == "few" {
				if few--; few == 0 {
					return q.now - at
				}
			}
		}
		batches[i] = q.receive()
		free[i] += attemptTakes
	}
}

// The page on queues says from which size on SQS's fair queues help; the figures are those of the model.
func TestTheFiguresSayFromWhichSizeOnFairQueuesHelp(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../internal/guide-figures.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := func(d time.Duration) string {
		if d < time.Minute {
			return fmt.Sprintf("%.0f s", d.Seconds())
		}
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	for _, size := range []int{1, 3, 4, 10} {
		times := make([]time.Duration, 3)
		for i, c := range []struct {
			byTime bool
			at     time.Duration
		}{{false, 30 * time.Second}, {true, 30 * time.Second}, {true, 6 * time.Minute}} {
			q := fairQueue{functions: size, batch: 10, byTime: c.byTime}
			times[i] = q.fewTake(50_000, 10, c.at)
		}
		row := fmt.Sprintf("| %d × 10 | %s | %s | %s |", size, shown(times[0]), shown(times[1]), shown(times[2]))
		if !strings.Contains(string(page), row) {
			t.Errorf("the figures do not have this row of the model:\n%s", row)
		}
	}
}
