package memory_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile/internal/timer"
	"github.com/turnstile-go/turnstile/internal/timer/memory"
	"github.com/turnstile-go/turnstile/internal/timer/timertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		refusePast bool
	}{{"the past is delivered at once", false}, {"the past is refused", true}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			timertest.Run(t, timertest.Harness{
				Within: synctest.Test,
				Soon:   3 * time.Minute,
				Open: func(t *testing.T) timertest.Opened {
					delivered := make(chan timer.Schedule, 1000)
					tm := open(t, memory.Options{
						RefusePast: c.refusePast,
						Deliver: func(_ context.Context, s timer.Schedule) error {
							delivered <- s
							return nil
						},
					})
					return timertest.Opened{Timer: tm, Next: func(wait time.Duration) (body, group string, ok bool) {
						select {
						case s := <-delivered:
							return s.Body, s.Group, true
						case <-time.After(max(wait, 5*time.Minute)):
							return "", "", false
						}
					}}
				},
			})
		})
	}
}

func open(t *testing.T, opts memory.Options) *memory.Timer {
	t.Helper()
	tm, err := memory.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tm.Close)
	return tm
}

func schedule(t *testing.T, tm *memory.Timer, name string, due time.Time) {
	t.Helper()
	if err := tm.Schedule(t.Context(), timer.Schedule{Name: name, Due: due, Body: name}); err != nil {
		t.Fatal(err)
	}
}

func names(schedules []timer.Schedule) []string {
	var out []string
	for _, s := range schedules {
		out = append(out, s.Name)
	}
	return out
}

func TestADeliverFunctionIsRequired(t *testing.T) {
	t.Parallel()
	if _, err := memory.New(memory.Options{}); err == nil {
		t.Error("no error")
	}
}

func TestDeliveriesComeInTheOrderOfDueTimesThenOfCreation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var got []string
		tm := open(t, memory.Options{Deliver: func(_ context.Context, s timer.Schedule) error {
			got = append(got, s.Name)
			return nil
		}})
		now := time.Now()
		schedule(t, tm, "later", now.Add(time.Hour))
		schedule(t, tm, "z", now.Add(time.Minute))
		schedule(t, tm, "a", now.Add(time.Minute))
		schedule(t, tm, "soon", now.Add(time.Second))
		want := []string{"soon", "z", "a", "later"}
		if got := names(tm.Pending()); !slices.Equal(got, want) {
			t.Errorf("pending %q, want %q", got, want)
		}
		if due, ok := tm.NextDue(); !ok || !due.Equal(now.Add(time.Second)) {
			t.Errorf("next due %v, %t", due, ok)
		}
		<-time.After(time.Hour + 1)
		synctest.Wait()
		if !slices.Equal(got, want) {
			t.Errorf("delivered %q, want %q", got, want)
		}
		if _, ok := tm.NextDue(); ok || len(tm.Pending()) > 0 {
			t.Errorf("still pending: %q", names(tm.Pending()))
		}
	})
}

func TestAFailedDeliveryIsTriedAgainUntilItSucceeds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var tries []time.Duration
		var reported int
		delivered := make(chan struct{})
		tm := open(t, memory.Options{
			Deliver: func(context.Context, timer.Schedule) error {
				tries = append(tries, time.Since(start))
				if len(tries) < 9 {
					return errors.New("queue is down")
				}
				close(delivered)
				return nil
			},
			Failed: func(timer.Schedule, error) { reported++ },
		})
		schedule(t, tm, "it", start)
		<-delivered
		var want []time.Duration
		for _, s := range []int{0, 1, 3, 7, 15, 31, 63, 123, 183} {
			want = append(want, time.Duration(s)*time.Second)
		}
		if !slices.Equal(tries, want) {
			t.Errorf("tried after %v, want %v", tries, want)
		}
		if reported != 8 {
			t.Errorf("%d failures reported, want 8", reported)
		}
	})
}

func TestAScheduleIsPendingUntilItHasBeenDelivered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		entered, leave := make(chan struct{}), make(chan struct{})
		tm := open(t, memory.Options{Deliver: func(context.Context, timer.Schedule) error {
			close(entered)
			<-leave
			return nil
		}})
		schedule(t, tm, "it", time.Now())
		<-entered
		if got := names(tm.Pending()); !slices.Equal(got, []string{"it"}) {
			t.Errorf("pending during delivery: %q, want it", got)
		}
		// Too late to stop it; the timer forgets it all the same.
		if err := tm.Cancel(t.Context(), "it"); err != nil {
			t.Fatal(err)
		}
		close(leave)
		synctest.Wait()
		if got := names(tm.Pending()); len(got) > 0 {
			t.Errorf("pending afterwards: %q", got)
		}
	})
}

func TestCloseEndsTheDeliveryUnderWayAndDropsTheRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		entered := make(chan struct{})
		left := false
		tm := open(t, memory.Options{Deliver: func(ctx context.Context, _ timer.Schedule) error {
			close(entered)
			<-ctx.Done()
			left = true
			return ctx.Err()
		}})
		schedule(t, tm, "first", time.Now())
		schedule(t, tm, "second", time.Now())
		<-entered
		tm.Close()
		if !left {
			t.Error("Close did not wait for the delivery")
		}
		if err := tm.Schedule(t.Context(), timer.Schedule{Name: "n", Due: time.Now(), Body: "x"}); !errors.Is(err, memory.ErrClosed) {
			t.Errorf("Schedule: %v, want ErrClosed", err)
		}
		if err := tm.Cancel(t.Context(), "second"); !errors.Is(err, memory.ErrClosed) {
			t.Errorf("Cancel: %v, want ErrClosed", err)
		}
	})
}

// manual is a clock that stands still, with one alarm at most.
type manual struct {
	now   time.Time
	alarm func()
	due   time.Time
}

func (m *manual) Now() time.Time { return m.now }

func (m *manual) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	if m.alarm != nil {
		panic("a second alarm")
	}
	m.alarm, m.due = f, m.now.Add(d)
	return func() bool {
		was := m.alarm != nil
		m.alarm = nil
		return was
	}
}

func TestTheInjectedClockDecides(t *testing.T) {
	t.Parallel()
	clock := &manual{now: time.Unix(1_700_000_000, 0)}
	var got []string
	tm := open(t, memory.Options{Clock: clock, Deliver: func(_ context.Context, s timer.Schedule) error {
		got = append(got, s.Name)
		return nil
	}})
	ahead := func(d time.Duration) time.Time { return time.Unix(1_700_000_000, 0).Add(d) }
	expect := func(armed time.Time, delivered ...string) {
		t.Helper()
		if (clock.alarm != nil) == armed.IsZero() || !armed.IsZero() && !clock.due.Equal(armed) {
			t.Fatalf("alarm for %v, want %v", clock.due, armed)
		}
		if !slices.Equal(got, delivered) {
			t.Fatalf("delivered %q, want %q", got, delivered)
		}
	}
	ring := func() {
		f := clock.alarm
		clock.alarm, clock.now = nil, clock.due
		f()
	}
	schedule(t, tm, "b", ahead(2*time.Hour))
	schedule(t, tm, "a", ahead(time.Hour))
	expect(ahead(time.Hour))
	ring()
	expect(ahead(2*time.Hour), "a")
	schedule(t, tm, "c", ahead(3*time.Hour))
	if err := tm.Cancel(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	expect(ahead(3*time.Hour), "a")
	ring()
	expect(time.Time{}, "a", "c")
}
