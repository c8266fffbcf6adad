package console

import (
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/internal/console/api"
)

// interval returns how long a topic waits for its next poll, so that all topics together stay
// within the records per minute. Each gets an equal share, and what one does not need goes to the
// others. The caller holds the lock.
func (w *watcher) interval(of *topic) time.Duration {
	if w.records <= 0 {
		return w.pause
	}
	topics := make([]*topic, 0, len(w.topics))
	for _, t := range w.topics {
		topics = append(topics, t)
	}
	slices.SortFunc(topics, func(a, b *topic) int { return a.read - b.read })
	left := float64(w.records)
	for i, t := range topics {
		need := float64(t.read) * float64(time.Minute) / float64(w.pause)
		share := min(need, left/float64(len(topics)-i))
		left -= share
		if t.read >= of.read {
			return max(w.pause, time.Duration(float64(of.read)/share*float64(time.Minute)))
		}
	}
	return w.pause
}

// spent has the number of records read in each second of the last minute.
type spent struct {
	seconds [60]int
	last    int64 // Unix second of the newest.
}

func (s *spent) add(now time.Time, n int) {
	s.pass(now)
	s.seconds[now.Unix()%60] += n
}

// minute returns how many records were read in the last minute.
func (s *spent) minute(now time.Time) int {
	s.pass(now)
	sum := 0
	for _, n := range s.seconds {
		sum += n
	}
	return sum
}

// pass drops the seconds that are a minute old.
func (s *spent) pass(now time.Time) {
	second := now.Unix()
	for at := max(s.last+1, second-59); at <= second; at++ {
		s.seconds[at%60] = 0
	}
	s.last = max(s.last, second)
}

// cost returns what open pages read.
func (w *watcher) cost() api.Cost {
	if w.changed != nil {
		return api.Cost{}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return api.Cost{PollSeconds: w.pause.Seconds(), RecordsAMinute: w.records, RecordsLastMinute: w.spent.minute(time.Now())}
}
