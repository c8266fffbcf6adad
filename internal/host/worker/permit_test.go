package worker_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/limits"
	"github.com/turnstile-go/turnstile/internal/limits/limitstest"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// sendLimited puts the message of an attempt of event n into the queue.
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

// takeAll takes the messages in the queue, and those that become visible within this time.
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
		h.let <- nil // One returns its permit, and the third gets it soon.
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

// A worker that has died leaves a permit that is never returned. The permit becomes free only when
// it expires.
func TestThePermitOfADeadWorkerIsFreeWhenItsTimeIsOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHanging(t, 10*time.Minute)
		limitstest.Put(t, h.Stops, "k", limitstest.Limit{N: 1, Held: make([]limits.Who, 1), Lasts: 90 * time.Second}, time.Now())
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

// An attempt of a build that declares fewer permits lowers the limit even if the waiting list is full.
func TestTheLowerNumberAppliesEvenIfTheWaitingListIsFull(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHanging(t, 10*time.Minute)
		full := limits.State{}.Declares(3, 0, time.Now())
		for n := range 1 + limits.MaxWaitingGroups {
			full = full.With(limits.Holding{Token: fmt.Sprint(n), Want: 3, Within: time.Hour}, time.Now())
		}
		full.Version = 1
		if _, written, err := limits.Write(t.Context(), h.Stops, "k", &full, time.Now(), time.Hour); err != nil || !written {
			t.Fatal(written, err)
		}
		h.sendLimited(t, 1, history.Retry{LimitKey: "k", Limit: 1})
		h.takeAll(t, time.Millisecond)
		h.want(t, 0, 1, 0)
		if s, err := limits.Read(t.Context(), h.Stops, "k"); err != nil || s.Permits() != 1 || s.Other.N != 3 || len(s.Groups) != 1+limits.MaxWaitingGroups || s.Held() != 3 {
			t.Errorf("%d permits, %v: %+v", s.Permits(), err, s)
		}
	})
}

func TestARateIsNotExceededInAnyWindow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHanging(t, 10*time.Minute)
		close(h.let) // No attempt waits for a result, so only the rate limits them.
		for n := range int64(7) {
			h.sendLimited(t, n+1, history.Retry{RateKey: "k", Rate: 3, RateMS: 60_000})
		}
		var started []int32
		for range 6 {
			h.takeAll(t, 59*time.Second)
			started = append(started, h.started.Load())
			time.Sleep(time.Second)
		}
		for i, before := 0, int32(0); i < len(started); before, i = started[i], i+1 {
			if started[i]-before > 3 {
				t.Errorf("begun by minutes: %v, at most 3 a minute", started)
			}
		}
		if started[0] != 3 || started[5] != 7 {
			t.Errorf("begun by minutes: %v, want 3 in the first and 7 in the end", started)
		}
	})
}

// Stores keep whole milliseconds, but no permit becomes free a fraction of a millisecond too early.
func TestARateIsNotExceededByAPartOfAMillisecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHanging(t, 10*time.Minute)
		close(h.let)
		time.Sleep(600 * time.Microsecond)
		for n := range int64(3) {
			h.sendLimited(t, n+1, history.Retry{RateKey: "k", Rate: 1, RateMS: 60_000})
			h.takeAll(t, 500*time.Millisecond+time.Duration(n)*300*time.Microsecond)
		}
		h.takeAll(t, 4*time.Minute)
		for i, started := range h.times {
			if i > 0 && started.Sub(h.times[i-1]) < time.Minute {
				t.Errorf("attempts have begun within %s", started.Sub(h.times[i-1]))
			}
		}
		h.want(t, 3, 0, 3)
	})
}

// The number that an operator has set applies within half a minute, and waiting attempts are shown.
func TestTheRateThatAnOperatorSetsApplies(t *testing.T) {
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
		waiting := func() (listed []limits.Waiting) {
			t.Helper()
			names, err := limits.ReadNames(t.Context(), h.Stops, limits.OfRate("k"))
			if err != nil {
				t.Fatal(err)
			}
			return slices.DeleteFunc(names.Waiting, func(w limits.Waiting) bool { return w.Gone(time.Now()) })
		}
		for n := range int64(4) {
			h.sendLimited(t, n+1, history.Retry{RateKey: "k", Rate: 1, RateMS: 3_600_000})
		}
		h.takeAll(t, time.Minute)
		h.want(t, 1, 3, 1)
		if s, err := limits.Read(t.Context(), h.Stops, limits.OfRate("k")); err != nil || s.N != 1 || s.PerMS != 3_600_000 || s.Listed == 0 {
			t.Errorf("of a rate stands %+v, %v", s, err)
		}
		if listed := waiting(); len(listed) != 3 || listed[0].Since > listed[1].Since {
			t.Errorf("named of three attempts that wait for a rate: %+v", listed)
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
		h.takeAll(t, time.Hour)
		if listed := waiting(); len(listed) != 0 {
			t.Errorf("named as waiting after all have started: %+v", listed)
		}
	})
}

// A permit that is not granted starts no attempt: the same attempt starts later, and sees a stop that was requested in
// the meantime.
func TestAnAttemptThatWaitsForAPermitSeesAStop(t *testing.T) {
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

// The total timeout continues while an attempt waits for a permit.
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

// However an attempt ends, the next one gets its permit immediately.
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

// Code that sends no heartbeat still learns of a stop if it has a permit.
func TestAnAttemptWithAPermitIsNotifiedOfAStopWithoutAHeartbeat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHanging(t, 10*time.Minute)
		h.heeds = true
		h.sendLimited(t, 1, history.Retry{LimitKey: "k", Limit: 1, MaxAttempts: 1})
		h.takeAll(t, 0)
		h.sendLimited(t, 2, history.Retry{LimitKey: "k", Limit: 1, MaxAttempts: 1})
		h.sendLimited(t, 3, history.Retry{MaxAttempts: 1}) // It has no limit, and no attempt waits for its end.
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

// While a limit is set to 0, no attempt starts, whatever becomes free, until the setting is reset.
func TestAClosedLimitLetsNoAttemptStart(t *testing.T) {
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
		h.takeAll(t, 5*time.Second) // A process that passes permits on reads the new number within this time.
		h.let <- nil                // The running attempt ends, and no attempt gets its permit.
		h.takeAll(t, time.Hour)
		h.want(t, 1, 1, 1)
		set(0)
		h.takeAll(t, 31*time.Second)
		h.want(t, 2, 1, 1)
		h.let <- nil
		synctest.Wait()
	})
}

// A process passes its permit on to an attempt only if the permit lasts as long as the attempt may. Otherwise the
// process first extends it in the item of the limit.
func TestAPermitIsPassedOnOnlyWithinItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHanging(t, 10*time.Minute)
		for n := range int64(2) {
			h.sendLimited(t, n+1, history.Retry{LimitKey: "k", Limit: 1, TimeoutMS: 60_000})
		}
		both, err := h.activities.Receive(t.Context(), 2, 0)
		if err != nil || len(both) != 2 {
			t.Fatal(both, err)
		}
		done := make(chan []string)
		go func() {
			done <- h.Handle(t.Context(), []platform.Delivery{{Message: both[0], Source: platform.SourceActivity}, {Message: both[1], Source: platform.SourceActivity}})
		}()
		for _, after := range []time.Duration{0, 40 * time.Second} {
			time.Sleep(after)
			if after > 0 {
				h.let <- nil
			}
			time.Sleep(time.Second)
			s, err := limits.Read(t.Context(), h.Stops, "k")
			if err != nil || len(s.Groups) != 1 || s.Held() != 1 || time.UnixMilli(s.Groups[0].Until).Sub(time.Now()) < 80*time.Second {
				t.Errorf("%s after its time began an attempt of a minute has %+v, %v", time.Second, s, err)
			}
		}
		h.let <- nil
		if failed := <-done; len(failed) > 0 {
			t.Errorf("%v come again", failed)
		}
		h.want(t, 2, 2, 2)
	})
}

// After a process has read that a limit was lowered, it does not pass on permits above the limit.
func TestAPermitOfALoweredLimitIsNotPassedOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHanging(t, 10*time.Minute)
		for n := range int64(3) {
			h.sendLimited(t, n+1, history.Retry{LimitKey: "k", Limit: 2})
		}
		all, err := h.activities.Receive(t.Context(), 3, 0)
		if err != nil || len(all) != 3 {
			t.Fatal(all, err)
		}
		var batch []platform.Delivery
		for _, m := range all {
			batch = append(batch, platform.Delivery{Message: m, Source: platform.SourceActivity})
		}
		done := make(chan []string)
		go func() { done <- h.Handle(t.Context(), batch) }()
		time.Sleep(time.Second)
		s, err := limits.Read(t.Context(), h.Stops, "k")
		next := s.WithSet(1, "ops", time.Now())
		if err == nil {
			_, _, err = limits.Write(t.Context(), h.Stops, "k", &next, time.Now(), time.Hour)
		}
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		for want := int32(2); want <= 3; want++ {
			h.let <- nil
			time.Sleep(5 * time.Second)
			if n := h.started.Load(); n != want {
				t.Errorf("%d attempts have begun, want %d: one runs at a time", n, want)
			}
		}
		h.let <- nil
		<-done
	})
}

// A permit of a rate may be taken up to a second in advance. The attempt starts when it is valid.
func TestAnAttemptWaitsForTheTimeOfItsPermit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHanging(t, 10*time.Minute)
		close(h.let)
		startedAt := time.Now()
		for n := range int64(4) {
			h.sendLimited(t, n+1, history.Retry{RateKey: "k", Rate: 2, RateMS: 800})
		}
		h.takeAll(t, 2*time.Second)
		h.want(t, 4, 0, 4)
		for i, started := range h.times {
			if i >= 2 && (started.Sub(h.times[i-2]) < 800*time.Millisecond || started.Sub(startedAt) > 900*time.Millisecond) {
				t.Errorf("attempt %d has begun after %s, and %s after that two before it", i, started.Sub(startedAt), started.Sub(h.times[i-2]))
			}
		}
	})
}
