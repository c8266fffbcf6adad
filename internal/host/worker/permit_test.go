package worker_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/limits"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// sendLimited puts a message of an attempt of event n into the queue.
func (h *hanging) sendLimited(t *testing.T, n int64, retry history.Retry) {
	t.Helper()
	now := time.Now().UnixMilli()
	body, err := (&wire.Item{Kind: wire.ActivityExecute, Instance: "i", ExecutionID: 1, SchedulingEventID: n, Name: "Hang", Attempt: 1,
		Token: "t", Input: []byte("1"), ScheduledAtMS: now, SentMS: now, Retry: &retry}).Encode()
	if err == nil {
		err = h.activities.Send(t.Context(), queue.Outgoing{Body: string(body)})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// takeAll takes what is in the queue, and whatever becomes visible within this time.
func (h *hanging) takeAll(t *testing.T, within time.Duration) {
	for end := time.Now().Add(within); ; time.Sleep(100 * time.Millisecond) {
		for h.activities.Counts().Visible > 0 {
			go h.take(t)
			synctest.Wait()
		}
		if !time.Now().Before(end) {
			return
		}
	}
}

func TestAnAttemptWithoutAPermitWaitsForOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHanging(t, 10*time.Minute)
		counts := permitCounts{of: map[string]int{}}
		h.Observer = &counts
		for n := range int64(3) {
			h.sendLimited(t, n+1, history.Retry{LimitKey: "k", Limit: 2})
		}
		h.takeAll(t, time.Minute)
		h.want(t, 2, 3, 0)
		h.let <- nil // One gives its permit back, and the third gets it soon.
		h.takeAll(t, time.Minute)
		h.want(t, 3, 2, 1)
		h.let <- nil
		h.let <- nil
		synctest.Wait()
		h.want(t, 3, 0, 3)
		if counts.of["taken"] != 3 || counts.of["returned"] != 3 || counts.of["waits"] == 0 {
			t.Errorf("counted is %v, three have taken a permit and returned it, and one has waited", counts.of)
		}
	})
}

// permitCounts counts what happens to permits.
type permitCounts struct {
	host.NoObserver
	mu sync.Mutex
	of map[string]int
}

func (c *permitCounts) Count(of host.Counter, reason string, n int) {
	if of != host.CountPermits {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of[reason] += n
}

// A worker that has died leaves a permit that nobody gives back: it is free when its
// time is over, and not before.
func TestThePermitOfADeadWorkerIsFreeWhenItsTimeIsOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHanging(t, 10*time.Minute)
		dead, a, _ := limits.State{}.Ask(limits.Who{Attempt: 1}, "dead", 1, time.Now(), time.Now().Add(90*time.Second))
		if _, written, err := limits.Write(t.Context(), h.Stops, "k", &dead, time.Now(), time.Hour); err != nil || !written || a != limits.Taken {
			t.Fatal(a, written, err)
		}
		h.sendLimited(t, 1, history.Retry{LimitKey: "k", Limit: 1})
		h.takeAll(t, 89*time.Second)
		h.want(t, 0, 1, 0)
		h.takeAll(t, 25*time.Second)
		h.want(t, 1, 1, 0)
		h.let <- nil
		synctest.Wait()
		h.want(t, 1, 0, 1)
	})
}

// An attempt of a build that declares fewer permits has them count, also if the line of the limit is full.
func TestTheLowerNumberCountsThoughTheLineIsFull(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHanging(t, 10*time.Minute)
		full := limits.State{}
		for n := range 3 + limits.MaxLine {
			full, _, _ = full.Ask(limits.Who{ActivityKey: store.ActivityKey{EventID: int64(n)}, Attempt: 1}, fmt.Sprint(n), 3, time.Now(), time.Now().Add(time.Hour))
		}
		full.Version = 1
		if _, written, err := limits.Write(t.Context(), h.Stops, "k", &full, time.Now(), time.Hour); err != nil || !written || len(full.Line) != limits.MaxLine {
			t.Fatal(written, err, len(full.Line))
		}
		h.sendLimited(t, 1, history.Retry{LimitKey: "k", Limit: 1})
		h.takeAll(t, time.Millisecond)
		h.want(t, 0, 1, 0)
		if s, err := limits.Read(t.Context(), h.Stops, "k"); err != nil || s.Permits() != 1 || s.Other.N != 3 || len(s.Line) != limits.MaxLine || len(s.Held) != 3 {
			t.Errorf("%d permits, %v: %+v", s.Permits(), err, s)
		}
	})
}

func TestARateIsNotExceededInAnySpan(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHanging(t, 10*time.Minute)
		close(h.let) // Nobody waits, so that permits come from the rate alone.
		for n := range int64(7) {
			h.sendLimited(t, n+1, history.Retry{RateKey: "k", Rate: 3, RateMS: 60_000})
		}
		var begun []int32
		for range 6 {
			h.takeAll(t, 59*time.Second)
			begun = append(begun, h.begun.Load())
			time.Sleep(time.Second)
		}
		for i, before := 0, int32(0); i < len(begun); before, i = begun[i], i+1 {
			if begun[i]-before > 3 {
				t.Errorf("begun by minutes: %v, at most 3 a minute", begun)
			}
		}
		if begun[0] != 3 || begun[5] != 7 {
			t.Errorf("begun by minutes: %v, want 3 in the first and 7 in the end", begun)
		}
	})
}

// Stores keep whole milliseconds, and no permit is free again a part of one too early.
func TestARateIsNotExceededByAPartOfAMillisecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHanging(t, 10*time.Minute)
		close(h.let)
		try := func(n int64, begun int32) {
			h.sendLimited(t, n, history.Retry{RateKey: "k", Rate: 1, RateMS: 60_000})
			h.takeAll(t, 0)
			if got := h.begun.Load(); got != begun {
				t.Errorf("%d attempts have begun, want %d", got, begun)
			}
		}
		time.Sleep(600 * time.Microsecond)
		try(1, 1)
		time.Sleep(time.Minute - 300*time.Microsecond)
		try(2, 1)
		h.takeAll(t, time.Minute)
		if got := h.begun.Load(); got != 2 {
			t.Errorf("%d attempts have begun in two minutes, want 2", got)
		}
	})
}

// What an operator has set counts within half a minute, and who waits is seen.
func TestARateIsAsAnOperatorHasSetIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHanging(t, 10*time.Minute)
		close(h.let)
		set := func(n int, span time.Duration) {
			t.Helper()
			s, err := limits.Read(t.Context(), h.Stops, limits.OfRate("k"))
			next := s.WithSetRate(n, span, "ada", time.Now())
			if err == nil {
				_, _, err = limits.Write(t.Context(), h.Stops, limits.OfRate("k"), &next, time.Now(), time.Hour)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		stands := func() limits.State {
			t.Helper()
			s, err := limits.Read(t.Context(), h.Stops, limits.OfRate("k"))
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		for n := range int64(4) {
			h.sendLimited(t, n+1, history.Retry{RateKey: "k", Rate: 1, RateMS: 3_600_000})
		}
		h.takeAll(t, time.Minute)
		h.want(t, 1, 3, 1)
		if s := stands(); s.N != 1 || s.PerMS != 3_600_000 || len(s.Line) != 3 || s.Listed == 0 || s.Line[0].Since > s.Line[1].Since {
			t.Errorf("of three that wait for a rate stands %+v", s)
		}
		set(limits.Closed, 0)
		for n := range int64(3) {
			h.sendLimited(t, n+5, history.Retry{RateKey: "k", Rate: 1, RateMS: 3_600_000})
		}
		h.takeAll(t, 2*time.Hour)
		h.want(t, 1, 6, 1)
		set(2, 5*time.Minute)
		h.takeAll(t, time.Minute)
		h.want(t, 3, 4, 3)
		h.takeAll(t, 6*time.Minute)
		h.want(t, 5, 2, 5)
		h.takeAll(t, 6*time.Minute)
		h.want(t, 7, 0, 7)
		if s := stands(); len(s.Line) != 0 {
			t.Errorf("after all have begun, these wait: %+v", s.Line)
		}
	})
}

// What the limit refuses is no attempt: the same one begins later, and a stop that
// was asked for meanwhile is seen.
func TestWhoWaitsForAPermitSeesAStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHanging(t, 10*time.Minute)
		for n := range int64(2) {
			h.sendLimited(t, n+1, history.Retry{LimitKey: "k", Limit: 1, MaxAttempts: 1})
			h.takeAll(t, 0)
		}
		h.want(t, 1, 2, 0)
		if err := h.Stops.RequestStop(t.Context(), store.ActivityKey{Instance: "i", ExecutionID: 1, EventID: 2}, "enough", time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		h.takeAll(t, 30*time.Second)
		h.want(t, 1, 1, 1)
		h.let <- nil
		synctest.Wait()
	})
}

// The time of all attempts together goes on while one waits for a permit.
func TestTheTotalTimeEndsAWaitForAPermit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHanging(t, 10*time.Minute)
		h.sendLimited(t, 1, history.Retry{LimitKey: "k", Limit: 1})
		h.takeAll(t, 0)
		h.sendLimited(t, 2, history.Retry{LimitKey: "k", Limit: 1, TotalTimeoutMS: 10_000})
		h.takeAll(t, 9*time.Second)
		h.want(t, 1, 2, 0)
		h.takeAll(t, 2*time.Second)
		h.want(t, 1, 1, 1)
		h.let <- nil
		synctest.Wait()
	})
}

// However an attempt ends, its permit is the next one's at once.
func TestAnAttemptThatEndsWithoutAResultFreesItsPermit(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(h *hanging){
		"failed": func(h *hanging) { h.let <- errors.New("declined") },
		"out of time": func(*hanging) {
			time.Sleep(30 * time.Second)
			synctest.Wait()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := newHanging(t, 10*time.Minute)
				h.sendLimited(t, 1, history.Retry{LimitKey: "k", Limit: 1, MaxAttempts: 1, TimeoutMS: 30_000})
				h.takeAll(t, 0)
				h.sendLimited(t, 2, history.Retry{LimitKey: "k", Limit: 1, MaxAttempts: 1})
				h.takeAll(t, 0)
				h.want(t, 1, 2, 0)
				end(h)
				h.takeAll(t, time.Second)
				h.want(t, 2, 1, 1)
				close(h.let)
				synctest.Wait()
			})
		})
	}
}

// Code that gives no heartbeat hears of a stop all the same, as far as it has a permit.
func TestAnAttemptWithAPermitHearsOfAStopWithoutAHeartbeat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHanging(t, 10*time.Minute)
		h.heeds = true
		h.sendLimited(t, 1, history.Retry{LimitKey: "k", Limit: 1, MaxAttempts: 1})
		h.takeAll(t, 0)
		h.sendLimited(t, 2, history.Retry{LimitKey: "k", Limit: 1, MaxAttempts: 1})
		h.sendLimited(t, 3, history.Retry{MaxAttempts: 1}) // It has no limit, and nobody waits for its end.
		h.takeAll(t, 0)
		h.want(t, 2, 3, 0)
		for _, n := range []int64{1, 3} {
			if err := h.Stops.RequestStop(t.Context(), store.ActivityKey{Instance: "i", ExecutionID: 1, EventID: n}, "enough", time.Now().Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
		h.takeAll(t, 11*time.Second)
		h.want(t, 3, 2, 1)
		close(h.let)
		synctest.Wait()
	})
}

// A limit that was set to 0 lets nobody begin, whatever becomes free, until it is reset.
func TestAClosedLimitLetsNobodyBegin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHanging(t, 10*time.Minute)
		set := func(n int) {
			t.Helper()
			s, err := limits.Read(t.Context(), h.Stops, "k")
			if err != nil {
				t.Fatal(err)
			}
			next := s.WithSet(n, "ops", time.Now())
			if _, written, err := limits.Write(t.Context(), h.Stops, "k", &next, time.Now(), time.Hour); err != nil || !written {
				t.Fatal(written, err)
			}
		}
		for n := range int64(2) {
			h.sendLimited(t, n+1, history.Retry{LimitKey: "k", Limit: 1})
			h.takeAll(t, 0)
		}
		set(limits.Closed)
		h.let <- nil // What runs ends, and its permit is nobody's.
		h.takeAll(t, time.Hour)
		h.want(t, 1, 1, 1)
		set(0)
		h.takeAll(t, 31*time.Second)
		h.want(t, 2, 1, 1)
		h.let <- nil
		synctest.Wait()
	})
}
