package batch

import (
	"context"
	"sync"
	"time"
)

// Outcome of an instance.
type Outcome int

// The outcomes.
const (
	// Sent: what was to be done was sent.
	Sent Outcome = iota
	// Skipped: there was nothing to do, as of one that has ended meanwhile.
	Skipped
	// Failed: nothing was sent.
	Failed
)

// Progress of a run.
type Progress struct {
	// Done of All, of which so many were sent, skipped and failed in this run.
	Done, All             int
	Sent, Skipped, Failed int
}

// Runner does something to instances, one after the other and some at once.
type Runner struct {
	// Rate is how many instances a second at most, AtOnce how many side by side.
	Rate   float64
	AtOnce int
	// Do does it to one. An error with Failed is told to OnFailed.
	Do       func(ctx context.Context, instance string) (Outcome, error)
	OnFailed func(instance string, err error)
	// OnProgress is told after each instance; done is how many of the first ones are
	// done without a gap.
	OnProgress func(p Progress, done int)
	// Sleep waits, and reports false if the context ended first.
	Sleep func(ctx context.Context, d time.Duration) bool
	Now   func() time.Time
}

// hopeless is after how many failures with nothing sent a run gives up.
const hopeless = 20

// Run does it to all instances behind the first `done`. It returns when all are
// done, the context has ended, or nothing goes through; what was begun is finished
// first.
func (r *Runner) Run(ctx context.Context, instances []string, done int) (p Progress, finished bool) {
	s := state{Progress: Progress{Done: done, All: len(instances)}, ended: make([]bool, len(instances)), prefix: done}
	next := make(chan int)
	var workers sync.WaitGroup
	// What is under way is not torn: it ends by itself.
	working := context.WithoutCancel(ctx)
	for range max(r.AtOnce, 1) {
		workers.Go(func() {
			for i := range next {
				outcome, err := r.Do(working, instances[i])
				r.note(&s, i, instances[i], outcome, err)
			}
		})
	}
	began := r.Now()
	for i := done; i < len(instances) && !s.isHopeless(); i++ {
		due := began.Add(time.Duration(float64(i-done) / r.Rate * float64(time.Second)))
		if wait := due.Sub(r.Now()); wait > 0 && !r.Sleep(ctx, wait) {
			break
		}
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	workers.Wait()
	return s.Progress, s.prefix == len(instances)
}

// state of a run.
type state struct {
	mu sync.Mutex
	Progress
	ended  []bool
	prefix int
}

func (s *state) isHopeless() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Failed >= hopeless && s.Sent+s.Skipped == 0
}

func (r *Runner) note(s *state, i int, instance string, outcome Outcome, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch outcome {
	case Sent:
		s.Sent++
	case Skipped:
		s.Skipped++
	case Failed:
		s.Failed++
		r.OnFailed(instance, err)
	}
	s.Done++
	s.ended[i] = true
	for s.prefix < len(s.ended) && s.ended[s.prefix] {
		s.prefix++
	}
	r.OnProgress(s.Progress, s.prefix)
}
