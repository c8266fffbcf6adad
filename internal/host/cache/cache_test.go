package cache

import (
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/clock"
)

// cached returns a cache with room for the given number of empty instances.
func cached(most int) *Cache {
	x := engine.New(engine.Config{})
	size, _ := x.Size()
	one := &Entry{Instance: "i-000", X: x}
	s := host.DefaultSettings().Cache
	s.Bytes = most * (size + one.besides())
	return New(s, clock.Wall{}, host.NoObserver{})
}

// A few more instances than fit take turns one after another. If the cache evicted the least
// recently used instance, each would be evicted before its next turn.
func TestAFewInstancesTooManyAreNotAllRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		instances int
		most      float64 // share of the turns whose instance is not cached
	}{{500, 0}, {525, 0.12}, {600, 0.36}, {1000, 0.82}} {
		kept, missed, turns := cached(500), 0, 0
		for round := range 20 {
			for i := range c.instances {
				e := kept.Take(fmt.Sprintf("i-%03d", i%1000))
				if round > 9 {
					turns++
					if e == nil {
						missed++
					}
				}
				if e == nil {
					e = &Entry{Instance: fmt.Sprintf("i-%03d", i%1000), X: engine.New(engine.Config{})}
				}
				kept.Put(e)
			}
		}
		if kept.bytes > kept.settings.Bytes || kept.order.Len() != len(kept.entries) || len(kept.places) != len(kept.entries) {
			t.Errorf("%d bytes of %d, %d, %d and %d instances", kept.bytes, kept.settings.Bytes, kept.order.Len(), len(kept.places), len(kept.entries))
		}
		share := float64(missed) / float64(turns)
		t.Logf("%d instances where 500 fit: %.0f of 100 turns are cold", c.instances, 100*share)
		if share > c.most {
			t.Errorf("%d instances where 500 fit: %.0f of 100 turns are cold, want at most %.0f", c.instances, 100*share, 100*c.most)
		}
		kept.Clear()
		if kept.Len() != 0 || kept.bytes != 0 || kept.coroutines != 0 {
			t.Errorf("%d instances, %d bytes and %d coroutines are left", kept.Len(), kept.bytes, kept.coroutines)
		}
	}
}

func TestExpiredEntriesAreEvictedFirst(t *testing.T) {
	t.Parallel()
	w := &virtual{now: time.Unix(0, 0)}
	kept := cached(10)
	kept.clock = w
	for i := range 5 {
		kept.Put(&Entry{Instance: fmt.Sprintf("a-%03d", i), X: engine.New(engine.Config{})})
	}
	w.now = w.now.Add(11 * time.Minute)
	for i := range 10 {
		kept.Put(&Entry{Instance: fmt.Sprintf("b-%03d", i), X: engine.New(engine.Config{})})
	}
	for i := range 10 {
		if kept.Take(fmt.Sprintf("b-%03d", i)) == nil {
			t.Errorf("b-%03d has gone, and what nobody can use had not", i)
		}
	}
}

// virtual is a clock that is set.
type virtual struct {
	clock.Wall
	now time.Time
}

func (v *virtual) Now() time.Time { return v.now }

// An instance that exceeds the limit alone is not kept, and does not permanently displace others.
func TestAnInstanceLargerThanTheCacheIsNotKept(t *testing.T) {
	t.Parallel()
	kept := cached(1)
	kept.settings.Bytes /= 2
	kept.Put(&Entry{Instance: "i-000", X: engine.New(engine.Config{})})
	if len(kept.entries) != 0 || kept.bytes != 0 || kept.order.Len() != 0 {
		t.Errorf("%d instances, %d bytes are kept", len(kept.entries), kept.bytes)
	}
}

// W-12: the age of a cached instance is measured with the wall clock. Go measures with the
// monotonic clock if a time has such a reading, but that clock stands still while the machine is
// frozen.
func TestW12TheAgeOfAnEntryIsByTheWallClock(t *testing.T) {
	t.Parallel()
	kept := cached(1)
	kept.Put(&Entry{Instance: "i-000", X: engine.New(engine.Config{})})
	e := kept.entries["i-000"]
	if e == nil {
		t.Fatal("the instance is not in the cache")
	}
	if used := e.used; used != used.Round(0) {
		t.Errorf("used at %s, with a reading of the monotonic clock", used)
	}
}
