package orchestrator

import (
	"context"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

const day = 24 * time.Hour

// a pending activity is checked when it becomes pending and when its time limit is over, even
// if it has completed by then.
func TestA13AThirtyDayApprovalIsCheckedTwice(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		completed             time.Duration
		limit                 time.Duration
		schedules, delayed    int
		pending, late, hopped int
	}{
		"completed":                    {completed: 10 * day, limit: 30 * day, schedules: 1, pending: 1, late: 1},
		"never completed":              {limit: 30 * day, schedules: 1, pending: 1},
		"within ten minutes":           {completed: time.Minute, limit: 10 * time.Minute, delayed: 1, pending: 1, late: 1, hopped: 1},
		"not within ten minutes":       {limit: 10 * time.Minute, delayed: 1, pending: 1, hopped: 1},
		"without a limit, in 400 days": {completed: 400 * day},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Main", once(&history.Retry{TotalTimeoutMS: c.limit.Milliseconds()}))
			var token string
			w.activityFunc("Work", func(ctx context.Context, _ []byte) ([]byte, error) {
				info, _ := activities.InfoFrom(ctx)
				token = info.CompletionToken
				return nil, activities.ErrPending
			})
			sent := w.counting()
			w.start("a", "Main", "1")
			w.runFor(time.Second)
			startedAt := w.clock.Now()
			if c.completed > 0 {
				w.runFor(c.completed)
				w.byToken(wire.ActivityCompleted, token, `,"result":"done"`)
				w.runFor(time.Second)
				w.expectOutput("a", `"done"`)
			}
			w.idle = 500 * day
			w.run()
			w.expectStatus("a", store.StatusCompleted)
			if c.completed == 0 {
				w.expectHistory("a", 1, "Started Act(Work) Failed(total_timeout)←2 Completed")
				if took := w.clock.Now().Sub(startedAt); took > c.limit+time.Second {
					t.Errorf("it failed after %s", took)
				}
			}
			if got, want := *sent, (sends{c.schedules, c.delayed}); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
			w.expectCount(host.CountMessages, "pending", c.pending)
			w.expectCount(host.CountMessages, "late", c.late)
			w.expectCount(host.CountForwarded, string(wire.ActivityPending), c.hopped)
			w.expectQuiet()
			w.expectDead()
		})
	}
}

// a pending activity with a heartbeat timeout is checked once per heartbeat timeout, however
// many heartbeats it sends.
func TestA11APendingActivityIsCheckedOncePerHeartbeatTimeout(t *testing.T) {
	t.Parallel()
	w, tokens := pendingWorld(t, &history.Retry{HeartbeatTimeoutMS: (2 * time.Hour).Milliseconds()})
	sent := w.counting()
	for range 100 * 6 { // 100 hours
		w.runFor(10 * time.Minute)
		w.byToken(wire.ActivityHeartbeat, (*tokens)[0], "")
	}
	w.expectStatus("a", store.StatusRunning)
	if sent.schedules < 50 || sent.schedules > 55 || sent.delayed != 0 {
		t.Errorf("%+v in 50 heartbeat timeouts", *sent)
	}
	w.expectCount(host.CountMessages, "pending", 1+sent.schedules)
	last := w.clock.Now()
	w.run()
	w.expectHistory("a", 1, "Started Act(Work) Failed(heartbeat_timeout)←2 Completed")
	if took := w.clock.Now().Sub(last); took < 2*time.Hour || took > 2*time.Hour+time.Second {
		t.Errorf("it failed %s after the last heartbeat", took)
	}
	w.expectQuiet()
}

// A-13, W: the process dies at each of its calls, from the start on.
func TestA13AScheduledLimitSurvivesEveryCrash(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		for _, after := range []bool{false, true} {
			w := newWorld(t, nil)
			w.orchestration("Main", once(&history.Retry{TotalTimeoutMS: day.Milliseconds()}))
			w.activityFunc("Work", func(context.Context, []byte) ([]byte, error) { return nil, activities.ErrPending })
			p := w.process()
			p.faults.killAt, p.faults.after = n, after
			w.start("a", "Main", "1")
			w.idle = 10 * day
			w.run()
			w.expectOutput("a", `"total_timeout 1 activity \"Work\" did not complete within its TotalTimeout of 24h0m0s"`)
			w.expectHistory("a", 1, "Started Act(Work) Failed(total_timeout)←2 Completed")
			w.expectQuiet()
			w.expectDead()
			if t.Failed() {
				t.Fatalf("crash at call %d (after: %t)", n, after)
			}
			if p.faults.calls < n {
				return // it dies no more: every call has been tried
			}
		}
	}
}

// A time limit that is already over by the timer service's clock is checked at once.
func TestA13ALimitThatTheTimerServiceConsidersPast(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", once(&history.Retry{TotalTimeoutMS: time.Hour.Milliseconds()}))
	w.activityFunc("Work", func(context.Context, []byte) ([]byte, error) { return nil, activities.ErrPending })
	s := &sends{}
	w.change(func(cfg *Config) {
		cfg.Services.Timer = pastTimer{countedTimer{w.timer, s}}
		cfg.Services.Queues.Delay = countedQueue{cfg.Services.Queues.Delay, s}
	})
	w.start("a", "Main", "1")
	w.run()
	w.expectHistory("a", 1, "Started Act(Work) Failed(total_timeout)←2 Completed")
	if s.schedules != 1 || s.delayed == 0 {
		t.Errorf("%+v", *s)
	}
	w.expectQuiet()
	w.expectDead()
}
