package reading

import (
	"context"
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/store"
)

// Read returns the turns of an execution, and reads each execution once.
func (v *View) Read(ctx context.Context, execution int64) ([]store.Turn, error) {
	if turns, ok := v.histories[execution]; ok {
		return turns, nil
	}
	turns, err := v.Tail(ctx, execution, 1)
	if missing := v.missing(execution, turns, err); missing != nil {
		err = v.Confirm(ctx, missing)
	}
	if err != nil {
		return nil, fmt.Errorf("host: history of instance %q execution %d: %w", v.Instance, execution, err)
	}
	if len(turns) > 0 {
		// Nothing is no answer to keep: the start may be committed meanwhile.
		if v.histories == nil {
			v.histories = map[int64][]store.Turn{}
		}
		v.histories[execution] = turns
	}
	return turns, nil
}

// Tail reads the turns of an execution from an event on, which is the first of one of
// them, and makes them plain.
func (v *View) Tail(ctx context.Context, execution, from int64) ([]store.Turn, error) {
	began := v.source.Clock.Now()
	turns, err := v.source.Store.Read(ctx, v.Instance, execution, from)
	if err == nil {
		err = v.source.Codecs.OpenTurns(turns)
	}
	v.source.Observer.Timing(host.TimeRead, v.source.Clock.Now().Sub(began))
	return turns, err
}

// Wrote keeps the histories that were read up to date: what is sent again for
// another message of this group must not take for open what this turn closed.
func (v *View) Wrote(turns []store.Turn) {
	for _, added := range turns {
		read, ok := v.histories[added.ExecutionID]
		switch {
		case ok && len(read) > 0 && read[len(read)-1].Last()+1 == added.First():
			v.histories[added.ExecutionID] = append(slices.Clip(read), added)
		case ok:
			delete(v.histories, added.ExecutionID)
		}
	}
}

// EventsOf returns the events of turns.
func EventsOf(turns []store.Turn) []history.Event {
	if len(turns) == 1 {
		return turns[0].Events
	}
	events := make([]history.Event, 0, EventCount(turns))
	for i := range turns {
		events = append(events, turns[i].Events...)
	}
	return events
}

// EventCount is how many they are.
func EventCount(turns []store.Turn) (n int) {
	for i := range turns {
		n += len(turns[i].Events)
	}
	return n
}

// ContinuedAsNew reports whether turns end as an execution that another follows.
func ContinuedAsNew(turns []store.Turn) bool {
	if len(turns) == 0 {
		return false
	}
	last := &turns[len(turns)-1]
	return last.Events[len(last.Events)-1].Kind == history.OrchestrationContinuedAsNew
}

// Event returns an event of an execution; store.ErrConflict if it is not among those
// read.
func (v *View) Event(ctx context.Context, execution, eventID int64) (*history.Event, error) {
	turns, err := v.Read(ctx, execution)
	if err != nil {
		return nil, err
	}
	for i := range turns {
		if turn := &turns[i]; eventID <= turn.Last() {
			return &turn.Events[eventID-turn.First()], nil
		}
	}
	return nil, fmt.Errorf("%w: event %d of instance %q execution %d is not among those read", store.ErrConflict, eventID, v.Instance, execution)
}
