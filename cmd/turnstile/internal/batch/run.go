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
	// Sent means that the message was sent.
	Sent Outcome = iota
	// Skipped means that there was nothing to do, because the instance has ended or does not exist.
	Skipped
	// Failed means that nothing was sent.
	Failed
)

// Progress of a run.
type Progress struct {
	// Done of All instances are done. Sent, Skipped and Failed count the outcomes of this run.
	Done, All             int
	Sent, Skipped, Failed int
}

// Runner takes an action on instances in order, several at a time.
type Runner struct {
	// Rate is the largest number of instances per second, AtOnce the concurrency.
	Rate   float64
	AtOnce int
	// Do takes the action on one instance. OnFailed receives its error if the outcome is Failed.
	Do       func(ctx context.Context, instance string) (Outcome, error)
	OnFailed func(instance string, err error)
	// OnProgress is called after each instance; done is the length of the prefix of instances that
	// are all done.
	OnProgress func(p Progress, done int)
	// Sleep waits, and reports false if the context ended first.
	Sleep func(ctx context.Context, d time.Duration) bool
	Now   func() time.Time
}

// hopeless is the number of failures after which a run stops if nothing has succeeded.
const hopeless = 20

// Run takes the action on all instances after the first done ones. It returns when all are done, when
// the context ends, or after hopeless failures without a success. Started actions finish first.
func (r *Runner) Run(ctx context.Context, instances []string, done int) (p Progress, finished bool) {
	s := state{Progress: Progress{Done: done, All: len(instances)}, ended: make([]bool, len(instances)), prefix: done}
	next := make(chan int)
	var workers sync.WaitGroup
	// Started actions are not cancelled.
	working := context.WithoutCancel(ctx)
	for range max(r.AtOnce, 1) {
		workers.Go(func() {
			for i := range next {
				outcome, err := r.Do(working, instances[i])
				r.note(&s, i, instances[i], outcome, err)
			}
		})
	}
	startedAt := r.Now()
	for i := done; i < len(instances) && !s.isHopeless(); i++ {
		due := startedAt.Add(time.Duration(float64(i-done) / r.Rate * float64(time.Second)))
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
