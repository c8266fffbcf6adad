package host

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// withKey lets other processes take over, which have that key alone.
func (w *world) withKey(id string) {
	w.Helper()
	w.codecs = setOf(w, keyOf(w, id))
	w.restart()
}

// What deletes a hidden history needs not read it.
func TestHistoryThatNobodyCanReadIsDeleted(t *testing.T) {
	t.Parallel()
	for _, receives := range []int{1, 2} {
		for name, from := range map[string]Source{"fifo": SourceOrchestrator, "delay": SourceOrchestrator} {
			t.Run(name, func(t *testing.T) {
				w := livesWorld(t)
				w.withKey("a")
				w.fifoBatch(1, lifeStart("s1"), lifePurge("p"))
				w.clock.Advance(2 * time.Hour)
				w.withKey("b") // The key is given up.
				item := wire.Item{Kind: wire.PurgeInstance, Instance: "a", ID: "delete-1", UpToExecution: 1, NotBeforeMS: 1}
				w.process().o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, []Delivery{{queue.Message{ID: "d", Body: w.body(item), Group: "a", ReceiveCount: receives}, from}})
				w.idle = 100 * time.Hour
				w.runFor(72 * time.Hour)
				turns, err := w.store.Read(t.Context(), "a", 1, 1)
				if len(turns) > 0 {
					t.Errorf("receives %d: %d turns are left behind three days, %v; %v", receives, len(turns), err, w.observer.counts)
				}
				w.expectQuiet()
			})
		}
	}
}

// Purged when it had ended long ago, it is deleted through the delay queue, and
// another life begins where its key is away.
func TestStartBehindAHistoryThatNobodyCanRead(t *testing.T) {
	t.Parallel()
	w := livesWorld(t)
	w.withKey("a")
	w.fifoBatch(1, lifeStart("s1"), lifeEvent("e"))
	w.expectOutput("a", `"s1"`)
	w.clock.Advance(24 * time.Hour)
	purge := lifePurge("p")
	purge.Force = false
	w.fifoBatch(1, purge)
	w.withKey("b") // The key is given up.
	w.runFor(72 * time.Hour)
	if turns, err := w.store.Read(t.Context(), "a", 1, 1); len(turns) > 0 {
		t.Errorf("%d turns are left behind three days, %v", len(turns), err)
	}
	w.sendStandard(lifeStart("s2"))
	w.runFor(72 * time.Hour)
	if r, _ := w.store.Describe(t.Context(), "a"); r.StartID != "s2" || r.Status != store.StatusRunning {
		t.Errorf("three days behind its start: %+v, %v", r, w.observer.counts)
	}
	w.expectQuiet()
}

// What has ended can be purged where its key is away.
func TestAnEndedInstanceWhoseKeyIsLostCanBePurged(t *testing.T) {
	t.Parallel()
	w := livesWorld(t)
	w.withKey("a")
	w.fifoBatch(1, lifeStart("s1"), lifeEvent("e"))
	w.withKey("b")
	w.fifoBatch(1, lifePurge("p"))
	w.runFor(72 * time.Hour)
	r, err := w.store.Describe(t.Context(), "a")
	if !r.Purged {
		t.Errorf("%+v %v %v", r, err, w.observer.counts)
	}
}

// One that may not have dispatched all of its turn waits for the key, but not for
// ever.
func TestAPurgeOfWhatNobodyCanReadIsMadeAfterAWhile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		receives int
		from     Source
		wait     time.Duration
		mark     map[string]string
	}{
		"comes again":          {2, SourceOrchestrator, 0, nil},
		"standard, just ended": {1, SourceOrchestrator, 0, nil},
		"standard, long ended": {1, SourceOrchestrator, time.Hour, nil},
		"redriven":             {1, SourceOrchestrator, time.Hour, map[string]string{RedriveAttribute: "1"}},
		"redriven standard":    {1, SourceOrchestrator, time.Hour, map[string]string{RedriveAttribute: "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := livesWorld(t)
			w.withKey("a")
			w.fifoBatch(1, lifeStart("s1"), lifeEvent("e"))
			w.clock.Advance(c.wait)
			w.withKey("b")
			w.idle = 100 * time.Hour
			w.give(Delivery{queue.Message{ID: "m-p", Body: w.body(lifePurge("p")), Group: "a", ReceiveCount: c.receives, Attributes: c.mark}, c.from})
			w.runFor(72 * time.Hour)
			r, err := w.store.Describe(t.Context(), "a")
			if !r.Purged {
				t.Errorf("%+v %v %v", r, err, w.observer.counts)
			}
		})
	}
}

// The start behind it goes round with it.
func TestAPurgeThatGoesRoundIsNotOvertakenByTheStartBehindIt(t *testing.T) {
	t.Parallel()
	for _, second := range []int{1, 2} {
		w := livesWorld(t)
		w.withKey("a")
		w.fifoBatch(1, lifeStart("s1"), lifePurge("p1"))
		w.withKey("b")
		w.idle = 100 * time.Hour
		batch := append(lifeBatch(w, 2, SourceOrchestrator, lifePurge("p")), lifeBatch(w, second, SourceOrchestrator, lifeStart("s2"))...)
		w.give(batch...)
		w.runFor(72 * time.Hour)
		r, err := w.store.Describe(t.Context(), "a")
		if r.StartID != "s2" || r.Purged || r.Status != store.StatusRunning {
			t.Errorf("second %d: the life behind the purge is gone: %+v %v %v", second, r, err, w.observer.counts)
		}
	}
}

func TestAPurgeForANewerBuildIsNotOvertakenByTheStartBehindIt(t *testing.T) {
	t.Parallel()
	w := livesWorld(t)
	w.fifoBatch(1, lifeStart("s1"), lifePurge("p1"))
	w.restart()
	w.newer = true
	w.idle = 100 * time.Hour
	w.give(append(lifeBatch(w, 2, SourceOrchestrator, lifePurge("p")), lifeBatch(w, 1, SourceOrchestrator, lifeStart("s2"))...)...)
	w.newer = false
	w.restart()
	w.runFor(72 * time.Hour)
	if r, _ := w.store.Describe(t.Context(), "a"); r.StartID != "s2" || r.Purged || r.Status != store.StatusRunning {
		t.Errorf("%+v %v", r, w.observer.counts)
	}
}

func TestAStartBehindAPurgeForANewerBuildBegins(t *testing.T) {
	t.Parallel()
	w := livesWorld(t)
	w.fifoBatch(1, lifeStart("s1"), lifeEvent("e"))
	w.restart()
	w.newer = true
	w.idle = 100 * time.Hour
	w.give(append(lifeBatch(w, 2, SourceOrchestrator, lifePurge("p")), lifeBatch(w, 1, SourceOrchestrator, lifeStart("s2"))...)...)
	w.newer = false
	w.restart()
	w.runFor(72 * time.Hour)
	if r, _ := w.store.Describe(t.Context(), "a"); r.StartID != "s2" || r.Purged || r.Status != store.StatusRunning {
		t.Errorf("%+v %v", r, w.observer.counts)
	}
}
