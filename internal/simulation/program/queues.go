package program

import (
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
)

// In some runs statements name the queue of their activities, and the key by which these share
// its workers. All programs of a run share the few queues and keys, so that attempts of several
// instances wait for each other.

// queuesOf are the queues that a statement may name. The first is the one without a name.
var queuesOf = [...]string{"", "gpu", "urgent"}

// Queues returns the names of queues that programs name.
func Queues() []string { return queuesOf[1:] }

// keysOf are the keys by which a statement may share a queue: none, a common one, or the name
// of its instance.
var keysOf = [...]string{"", "many", "instance"}

const byInstance = 2

// drawQueue decides which queue a statement names, and which key.
func (s *Statement) drawQueue(c *choice.Choices, at choice.Spot) {
	if !s.Kind.goesByQueue() {
		return
	}
	s.Queue = []int{0, 1, 1, 2}[c.IntN(at, 4)]
	s.Key = c.IntN(at, len(keysOf))
	s.Spread = c.OneIn(at, 3)
}

// queueOf returns the queue of the i-th activity of a statement.
func (s *Statement) queueOf(i int) string {
	n := s.Queue
	if s.Spread {
		n = (n + i) % len(queuesOf)
	}
	return queuesOf[n]
}

// queued adds the queue and the key of the i-th activity of a statement to its policy.
func (s *Statement) queued(r *history.Retry, i int, instance string) *history.Retry {
	name, key := s.queueOf(i), keysOf[s.Key]
	if s.Key == byInstance {
		key = instance
	}
	if name == "" && key == "" {
		return r
	}
	if r == nil {
		r = &history.Retry{}
	}
	r.Queue, r.FairKey = name, key
	return r
}

// inQueue describes the queue and the key of the statement.
func (s *Statement) inQueue() (text string) {
	switch {
	case s.Spread:
		text = fmt.Sprintf(", queues after %q", queuesOf[s.Queue])
	case s.Queue > 0:
		text = fmt.Sprintf(", queue(%s)", queuesOf[s.Queue])
	}
	if s.Key > 0 {
		text += fmt.Sprintf(", fair by %s", keysOf[s.Key])
	}
	return text
}
