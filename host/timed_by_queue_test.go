package host

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/timer"
)

// A timer that went through the delay queue has no schedule to remove: a loop
// of short timeouts must not cost a call to the timer service each.
func TestOnlyTimersWithAScheduleAreRemoved(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name          string
		wait          time.Duration
		border, least time.Duration
		service       timer.Timer
		removed       bool
	}{
		{"T-03 up to the border", 15 * time.Minute, 15 * time.Minute, 2 * time.Minute, faultyTimer{}, false},
		{"T-03 above the border", 15*time.Minute + time.Second, 15 * time.Minute, 2 * time.Minute, faultyTimer{}, true},
		{"T-03 no border, but too short for a schedule", time.Minute, -1, 2 * time.Minute, faultyTimer{}, false},
		{"T-03 no border", 2 * time.Minute, -1, 2 * time.Minute, faultyTimer{}, true},
		{"no timer service", time.Hour, -1, 2 * time.Minute, nil, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := &Orchestrator{OrchestratorConfig: OrchestratorConfig{Environment: Environment{Clock: newVirtualClock()}, Timer: test.service,
				Settings: Settings{TimerBorder: test.border, TimerLeast: test.least}}}
			out := o.newOutbox()
			created := history.Event{Kind: history.TimerCreated, EventID: 2, AtMS: 1000, FireAtMS: 1000 + test.wait.Milliseconds()}
			out.cancel(&sending{Turn: &store.Turn{Instance: "i", ExecutionID: 1}}, 2, opened(&created))
			if got := len(out.parcels) == 1; got != test.removed {
				t.Errorf("removed: %v, want %v", got, test.removed)
			}
		})
	}
}

// T-07, I-08: a timer is sent again by a process whose clock is far behind
// that of the one that created it. Whether it has a schedule goes by its
// events, for so does its removal.
func TestATimerThatGoesByTheQueueDoesSoByEveryClock(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.settings.TimerBorder = -1 })
	out := w.process().o.newOutbox()
	ahead := w.clock.Now().Add(4 * time.Minute).UnixMilli()
	e := history.Event{Kind: history.TimerCreated, EventID: 2, AtMS: ahead, FireAtMS: ahead}
	out.timer(&sending{Turn: &store.Turn{Instance: "a", ExecutionID: 1}, start: &history.Start{}}, &e)
	if p := out.parcels; len(p) != 1 || p[0].route != toDelay || p[0].msg.Delay != 4*time.Minute {
		t.Errorf("%+v to be sent; want one message that is delayed for four minutes", p)
	}
}
