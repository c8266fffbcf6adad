package memory_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/turnstile-go/turnstile/internal/timer"
	"github.com/turnstile-go/turnstile/internal/timer/memory"
	"github.com/turnstile-go/turnstile/journal"
)

// notes is a journal in a slice.
type notes struct {
	schedules []journal.Schedule
	refuses   error
}

func (n *notes) Load() ([]journal.Schedule, error) { return slices.Clone(n.schedules), n.refuses }
func (n *notes) Ready() error                      { return n.refuses }
func (n *notes) Created(s journal.Schedule)        { n.schedules = append(n.schedules, s) }
func (n *notes) Removed(name string) {
	n.schedules = slices.DeleteFunc(n.schedules, func(s journal.Schedule) bool { return s.Name == name })
}

func TestSchedulesOutliveTheTimerInItsJournal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &notes{}
		var mu sync.Mutex
		var names []string
		delivered := func() []string {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(names)
		}
		opts := memory.Options{Journal: n, Deliver: func(_ context.Context, s timer.Schedule) error {
			mu.Lock()
			defer mu.Unlock()
			names = append(names, s.Name)
			return nil
		}}
		first := open(t, opts)
		begin := time.Now()
		for name, in := range map[string]time.Duration{"cancelled": time.Hour, "soon": time.Minute, "missed": 2 * time.Minute, "later": 10 * time.Minute} {
			if err := first.Schedule(t.Context(), timer.Schedule{Name: name, Due: begin.Add(in), Body: "x"}); err != nil {
				t.Fatal(err)
			}
		}
		if err := first.Cancel(t.Context(), "cancelled"); err != nil {
			t.Fatal(err)
		}
		pass(time.Minute)
		first.Close()
		pass(5 * time.Minute)
		second := open(t, opts)
		pass(0)
		if want := []string{"soon", "missed"}; !slices.Equal(delivered(), want) {
			t.Errorf("delivered %v, want %v", delivered(), want)
		}
		pass(5 * time.Minute)
		if want := []string{"soon", "missed", "later"}; !slices.Equal(delivered(), want) || len(n.schedules) != 0 {
			t.Errorf("delivered %v, want %v; kept are %v", delivered(), want, n.schedules)
		}
		n.refuses = fmt.Errorf("the disk is full: %w", journal.ErrUnavailable)
		if err := second.Schedule(t.Context(), timer.Schedule{Name: "x", Due: time.Now(), Body: "x"}); !errors.Is(err, n.refuses) || !errors.Is(err, timer.ErrUnavailable) || len(second.Pending()) != 0 {
			t.Errorf("Schedule: %v, and pending are %v", err, second.Pending())
		}
		if _, err := memory.New(opts); !errors.Is(err, n.refuses) {
			t.Errorf("New: %v", err)
		}
	})
}

// pass lets d pass, and what is due then happen.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}
