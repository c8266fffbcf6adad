package sweep

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/store"
)

// slowly takes a second for each record that it reads.
type slowly struct {
	store.Store
	clock *clock.Virtual
	reads int
}

func (s *slowly) Describe(ctx context.Context, instance string) (store.Record, error) {
	s.reads++
	s.clock.Advance(time.Second)
	return s.Store.Describe(ctx, instance)
}

// O-11: an execution that has started more children than an invocation has time to check is kept,
// and the invocation ends in time.
func TestAnExecutionWithTooManyChildrenIsKept(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	events := []history.Event{{EventID: 1, Kind: history.OrchestrationStarted, Start: &history.Start{}}}
	for i := range 100 {
		events = append(events, history.Event{EventID: int64(i + 2), Kind: history.SubOrchestrationScheduled, Instance: fmt.Sprint("child-", i)})
	}
	events = append(events, history.Event{EventID: 102, Kind: history.OrchestrationContinuedAsNew})
	turns := []store.Turn{{Instance: "loop", ExecutionID: 1, Events: events}}
	at := clock.NewVirtual(now)
	read := &slowly{Store: memory.New(), clock: at}
	settings := host.DefaultSettings()
	k := &Keeper{Settler: &inbox.Settler{Clock: at, Settings: &settings}, Store: read}

	ctx, cancel := context.WithDeadline(t.Context(), now.Add(10*time.Second+settings.Dispatch.MinRemaining))
	defer cancel()
	if stays, err := k.spared(ctx, turns, now); err == nil || read.reads > 11 {
		t.Errorf("it stays: %v, after %d reads: %v", stays, read.reads, err)
	}
	read.reads = 0
	if stays, err := k.spared(t.Context(), turns, now); stays || err != nil || read.reads != 100 {
		t.Errorf("with the time that it takes it stays: %v, after %d reads: %v", stays, read.reads, err)
	}
}

// listed stores nothing, and records the executions that it receives.
type listed []int64

func (l *listed) Keep(_ context.Context, _ string, n int64, _ []byte) error {
	*l = append(*l, n)
	return nil
}

// O-11: the archive skips pruned executions even if the record says again that they are kept. A
// missing execution between others is not skipped.
func TestTheArchiveSkipsPrunedExecutions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		there, archived []int64
		fails           bool
	}{
		{there: []int64{1, 2, 3, 4}, archived: []int64{1, 2, 3, 4}},
		{there: []int64{3, 4}, archived: []int64{3, 4}},
		{there: []int64{4}, archived: []int64{4}},
		{there: []int64{1, 2, 4}, archived: []int64{1, 2}, fails: true},
		{there: []int64{1, 2, 3}, archived: []int64{1, 2, 3}, fails: true},
		{fails: true},
	} {
		t.Run(fmt.Sprint(c.there), func(t *testing.T) {
			t.Parallel()
			kept := memory.New()
			for _, n := range c.there {
				err := kept.Commit(t.Context(), store.Commit{Turns: []store.Turn{{Instance: "loop", ExecutionID: n, Token: "t", Events: []history.Event{
					{EventID: 1, Kind: history.OrchestrationStarted, Start: &history.Start{}}, {EventID: 2, Kind: history.OrchestrationCompleted}}}}})
				if err != nil {
					t.Fatal(err)
				}
			}
			settings, archive := host.DefaultSettings(), listed{}
			s := &Sweeper{Keeper: Keeper{Settler: &inbox.Settler{Clock: clock.NewVirtual(time.Now()), Settings: &settings}, Store: kept, Archive: &archive}}
			s.Together = func(_ int, f func()) { f() }
			a := archiving{by: s, errs: make([]error, 1)}
			err := a.keep(t.Context(), 0, &store.Record{Instance: "loop", FirstExecution: 1, ExecutionID: 4}, false)
			a.put(t.Context())
			if (err != nil) != c.fails || !slices.Equal(archive, c.archived) {
				t.Errorf("the archive has %d, want %d: %v", archive, c.archived, err)
			}
		})
	}
}
