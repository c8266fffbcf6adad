package rehearsal_test

import (
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/rehearsal"
	"github.com/turnstile-go/turnstile/store"
)

func registry(t *testing.T, code engine.Func) *engine.Registry {
	t.Helper()
	r, err := engine.NewRegistry(engine.Orchestration{Name: "Main", Func: code, Source: "here"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func started() history.Event {
	return history.Event{EventID: 1, AtMS: 1, Kind: history.OrchestrationStarted, Name: "Main", Start: &history.Start{ExecutionID: 1}}
}

// Who asks is not held up by code that blocks; the replay counts as under way until the
// code goes on.
func TestCodeThatBlocksIsLeftToItself(t *testing.T) {
	t.Parallel()
	unblock, released := make(chan struct{}), make(chan struct{})
	r := registry(t, func(*engine.Context, []byte) ([]byte, error) {
		<-unblock
		return nil, nil
	})
	if got, err := rehearsal.Places(r, "i", 1, []history.Event{started()}, time.Millisecond, func() { close(released) }); !errors.Is(err, rehearsal.ErrBlocked) || got != nil {
		t.Errorf("%+v, %v", got, err)
	}
	select {
	case <-released:
		t.Error("the replay is over while its code blocks")
	default:
	}
	close(unblock)
	<-released
}

func TestWhyItIsNotKnownWhereTheCodeWaits(t *testing.T) {
	t.Parallel()
	r := registry(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		return c.Await(c.Activity(engine.ActivityCall{Name: "A"}))
	})
	released := 0
	of := func(events ...history.Event) error {
		_, err := rehearsal.Places(r, "i", 1, events, time.Minute, func() { released++ })
		return err
	}
	if err := of(); err != nil {
		t.Error(err)
	}
	encoded := started()
	encoded.Codec = "aesgcm:1"
	if err, is := errors.AsType[*rehearsal.EncodedError](of(encoded)); !is || err.EventID != 1 || err.Codec != "aesgcm:1" {
		t.Errorf("sealed: %v", err)
	}
	if released != 2 {
		t.Errorf("%d of 2 were released", released)
	}
	if err := of(started(), history.Event{EventID: 2, AtMS: 1, Kind: history.ActivityScheduled, Name: "B"}); !isStuck(err) {
		t.Errorf("code that disagrees: %v", err)
	}
	if err, is := errors.AsType[*engine.CorruptionError](of(started(), started())); !is {
		t.Errorf("a damaged history: %v", err)
	}
}

func isStuck(err error) bool {
	_, is := errors.AsType[*engine.StuckError](err)
	return is
}

func TestProcessedEventsAreThoseThatWereNotOnlyRecorded(t *testing.T) {
	t.Parallel()
	turn := func(parked bool, first, last int64) store.Turn {
		t := store.Turn{Instance: "i", ExecutionID: 1, Parked: parked}
		for id := first; id <= last; id++ {
			t.Events = append(t.Events, history.Event{EventID: id, Kind: history.ExternalEvent})
		}
		return t
	}
	for _, c := range []struct {
		turns []store.Turn
		want  int
	}{{nil, 0}, {[]store.Turn{turn(false, 1, 3)}, 3}, {[]store.Turn{turn(false, 1, 3), turn(true, 4, 5), turn(true, 6, 6)}, 3}, {[]store.Turn{turn(false, 1, 3), turn(true, 4, 5), turn(false, 6, 7)}, 7}, {[]store.Turn{turn(true, 1, 1)}, 0}} {
		if got := rehearsal.Ran(c.turns); len(got) != c.want {
			t.Errorf("of %d turns code has gone by %d events, want %d", len(c.turns), len(got), c.want)
		}
	}
}
