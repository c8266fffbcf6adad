package rehearsal

import (
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// ErrBlocked says that the code has not come to rest within the limit.
var ErrBlocked = errors.New("the code does not come to rest: it blocks outside of durable calls")

// EncodedError says that a payload is needed that cannot be opened.
type EncodedError struct {
	EventID int64
	Codec   string
}

func (e *EncodedError) Error() string {
	return fmt.Sprintf("event %d is encoded by %s, and its payload is needed to replay it", e.EventID, e.Codec)
}

// Ran returns the events that code has gone by: what was recorded since without running
// it, and what a suspended instance records, is left out, because a replay would run it
// for the first time.
func Ran(turns []store.Turn) []history.Event {
	n := len(turns)
	for n > 0 && turns[n-1].Parked {
		n--
	}
	var events []history.Event
	for i := range turns[:n] {
		events = append(events, turns[i].Events...)
	}
	return engine.Runnable(events)
}

// Places replays events that code has gone by, on a goroutine of its own, and returns where
// it waits, by file and line. release is called once when the replay is over: before Places returns, or long after it
// has returned ErrBlocked. Other errors: *EncodedError, *engine.StuckError and
// *engine.CorruptionError, as a replay returns them.
func Places(code *engine.Registry, instance string, execution int64, events []history.Event, limit time.Duration, release func()) ([]engine.Place, error) {
	if len(events) == 0 {
		release()
		return nil, nil
	}
	for i := range events {
		if e := &events[i]; e.Codec != "" {
			release()
			return nil, &EncodedError{e.EventID, e.Codec}
		}
	}
	type result struct {
		places []engine.Place
		err    error
	}
	replay := func() result {
		x := engine.New(engine.Config{Instance: instance, ExecutionID: execution, Registry: code})
		defer x.Close()
		if err := x.Feed(events, false); err != nil {
			return result{err: err}
		}
		turn, err := x.Run(engine.Input{NowMS: events[len(events)-1].AtMS})
		if err == nil && turn.Stuck != nil {
			err = turn.Stuck
		}
		return result{x.Places(), err}
	}
	done := make(chan result, 1)
	go func() {
		r := replay()
		release()
		done <- r
	}()
	over := time.NewTimer(limit)
	defer over.Stop()
	select {
	case r := <-done:
		return r.places, r.err
	case <-over.C:
		return nil, ErrBlocked
	}
}
