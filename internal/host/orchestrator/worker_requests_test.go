package orchestrator

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
)

// Each request costs money, and takes as long as a short activity.
func TestTheRequestsThatAWorkerMakesForAnAttempt(t *testing.T) {
	t.Parallel()
	const age = 10 * time.Second
	for _, c := range []struct {
		name  string
		retry *history.Retry
		late  time.Duration
		want  []string
	}{
		{"a young first attempt: nothing", nil, age - time.Millisecond, []string{"Send fifo"}},
		{"one that has waited looks whether it is to stop", nil, age, []string{"State", "Send fifo"}},
		{"one with a time limit of its own hides its message for as long", &history.Retry{TimeoutMS: 1000}, 0, []string{"SetVisibility activity", "Send fifo"}},
		{"one that has to give heartbeats does too", &history.Retry{HeartbeatTimeoutMS: 1000}, 0, []string{"SetVisibility activity", "Send fifo"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Main", once(c.retry))
			w.activityFunc("Work", func(context.Context, []byte) ([]byte, error) { return []byte("1"), nil })
			w.start("a", "Main", "1")
			w.settleFIFO()
			w.clock.Advance(c.late)
			w.run()
			w.expectOutput("a", "1")
			if got := w.worker.faults.log; !slices.Equal(got, c.want) {
				t.Errorf("asked for %v, want %v", got, c.want)
			}
		})
	}
}

// The second delivery and the second attempt make the check.
func TestALaterAttemptChecksWhetherToStop(t *testing.T) {
	t.Parallel()
	for _, dies := range []bool{false, true} {
		t.Run(fmt.Sprintf("the worker dies: %t", dies), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Main", once(&history.Retry{MaxAttempts: 2, TimeoutMS: 1000}))
			runs := 0
			w.activityFunc("Work", func(context.Context, []byte) ([]byte, error) {
				if runs++; runs == 1 && dies {
					w.worker.kill()
				}
				if runs == 1 {
					return nil, fmt.Errorf("again")
				}
				return []byte("1"), nil
			})
			w.start("a", "Main", "1")
			w.run()
			w.expectOutput("a", "1")
			if looked := slices.Contains(w.worker.faults.log, "State"); runs != 2 || !looked {
				t.Errorf("%d runs, looked: %t; calls %v", runs, looked, w.worker.faults.log)
			}
		})
	}
}
