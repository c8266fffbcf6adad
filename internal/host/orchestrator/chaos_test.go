package orchestrator

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/store"
)

// TestRandomFaults runs the programs while processes die at random calls, commits have unknown
// outcomes, stores are unavailable, and messages are delivered twice. The outcome must always be
// that of an undisturbed run.
func TestRandomFaults(t *testing.T) {
	t.Parallel()
	const seeds = 40
	for _, p := range programs() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(seeds) {
				if !t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { runWithFaults(t, &p, seed) }) {
					return
				}
			}
		})
	}
}

func runWithFaults(t *testing.T, p *program, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 7))
	// left is the number of remaining faults. After the last one nothing fails, and everything must
	// end.
	left := 60
	chance := func(percent int) bool {
		if left == 0 || random.IntN(100) >= percent {
			return false
		}
		left--
		return true
	}
	w := newWorld(t, p.set)
	w.die = func() (dies, after bool) { return chance(4), random.IntN(2) == 0 }
	w.beforeCommit = func(*store.Commit) error {
		switch {
		case chance(4):
			return store.ErrUnavailable
		case chance(4):
			return store.ErrUnknownOutcome
		}
		return nil
	}
	w.afterCommit = func(_ *store.Commit, err error) error {
		if err == nil && chance(4) {
			return store.ErrUnknownOutcome
		}
		return err
	}
	w.beforeSend = func(string, []queue.Outgoing) error {
		if chance(3) {
			return queue.ErrUnavailable
		}
		return nil
	}
	w.twice = func() bool { return chance(8) }
	w.evict = func() bool { return random.IntN(4) == 0 }
	w.maxReceive = 1 + random.IntN(10)
	p.begin(w)
	w.run()
	p.check(w)
}
