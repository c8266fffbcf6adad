package attempt

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/store"
)

// an attempt that sends heartbeats is alive even if the table rejects them. Its message stays hidden; otherwise
// another worker would start the same attempt concurrently.
func TestAHeartbeatThatCannotBeRecordedKeepsTheMessageHidden(t *testing.T) {
	t.Parallel()
	virtual := clock.NewVirtual(time.Unix(1_900_000_000, 0))
	startedAt := virtual.Now()
	refused := func(at time.Duration) bool { return at >= 10*time.Second && at < 60*time.Second }
	var recorded, extended []time.Duration
	p := &Pulse{Interval: 10 * time.Second, of: made{Attempt: &Attempt{Clock: virtual}},
		Record: func(context.Context, []byte) (store.ActivityState, error) {
			at := virtual.Now().Sub(startedAt)
			if refused(at) {
				return store.ActivityState{}, store.ErrUnavailable
			}
			recorded = append(recorded, at)
			return store.ActivityState{}, nil
		},
		Extend: func(context.Context) { extended = append(extended, virtual.Now().Sub(startedAt)) },
		Logger: slog.New(slog.DiscardHandler)}
	for range 17 { // every five seconds
		if err := p.beat(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		virtual.Advance(5 * time.Second)
	}
	seconds := func(all ...int) (d []time.Duration) {
		for _, s := range all {
			d = append(d, time.Duration(s)*time.Second)
		}
		return d
	}
	if want := seconds(0, 60, 70, 80); !slices.Equal(recorded, want) {
		t.Errorf("recorded at %v, want %v", recorded, want)
	}
	if want := seconds(0, 10, 20, 30, 40, 50, 60, 70, 80); !slices.Equal(extended, want) {
		t.Errorf("extended at %v, want %v", extended, want)
	}
}

// a check that is due while a heartbeat is being recorded does not wait for it, and is repeated.
func TestACheckDoesNotWaitForAHeartbeatThatIsBeingRecorded(t *testing.T) {
	t.Parallel()
	virtual := clock.NewVirtual(time.Unix(1_900_000_000, 0))
	looks := 0
	p := &Pulse{Interval: 10 * time.Second,
		Look:   func(context.Context) (store.ActivityState, error) { looks++; return store.ActivityState{}, nil },
		Extend: func(context.Context) {}, Logger: slog.New(slog.DiscardHandler)}
	p.Record = func(context.Context, []byte) (store.ActivityState, error) {
		virtual.Advance(15 * time.Second) // The first check is due within this time.
		return store.ActivityState{}, nil
	}
	p.start(t.Context(), made{Attempt: &Attempt{Clock: virtual, Info: activities.Info{Deadline: virtual.Now().Add(time.Hour)}}})
	if err := p.beat(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if looks != 0 {
		t.Errorf("it has looked %d times while a heartbeat was recorded", looks)
	}
	if virtual.Advance(time.Minute); looks == 0 {
		t.Error("it does not look any more")
	}
}
