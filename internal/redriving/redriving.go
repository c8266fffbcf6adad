// Package redriving plans how the next execution of an instance continues where the
// previous one failed. The next execution copies the history of the previous one up to
// the end of a round. Operations that completed there stay completed; operations that
// failed or were open are started again; and the code, fixed in the meantime, continues
// from there. The package reads events only and runs no code.
package redriving

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile/history"
)

// Request says where a redrive continues, and the properties of the next execution.
type Request struct {
	// From is an event: the round that contains it, and everything after it, is run
	// again. 0 means where the execution failed: after the last round in which the code
	// scheduled an operation that had not yet failed or completed.
	From int64
	// Completed allows a completed execution to continue too if From is 0: its last round
	// is run again. So is that of a child that completed, if the fork of its parent has
	// not received the result.
	Completed bool
	// Instance that continues: another one for a fork, which leaves the original
	// unchanged; empty for the same instance.
	Instance string
	// ExecutionID of the next execution, StartID of the message that starts it, and
	// Parent that waits for it from now on; nil for none.
	ExecutionID int64
	StartID     string
	Parent      *history.Parent
	Actor       string
	Reason      string
	// Cancelled has the commits of the execution that cancelled operations.
	Cancelled []Cancelled
	// LimitKey and Limit are the limit whose permit it waits for; empty for none.
	LimitKey string
	Limit    int
}

// Cancelled has the operations that a commit cancelled, and the id of its last event.
type Cancelled struct {
	Events []int64
	By     int64
}

// Plan describes how the next execution starts.
type Plan struct {
	// Prefix has the copied events, to be fed to the engine. It is empty if the execution
	// failed in its first round and starts from the beginning.
	Prefix []history.Event
	// Event is the arrival with which the code continues: OrchestrationRedriven, or
	// OrchestrationStarted if there is no prefix. With has the later completions and
	// external events that are kept.
	Event history.Event
	With  []history.Event
	// Failed are the scheduling events of the prefix that had failed, and Open those that
	// were open: all of them are started again. Forgotten are the scheduling events after
	// the prefix, which the code will schedule again if it needs them. All are ids in the
	// previous execution.
	Failed, Open, Forgotten []int64
	// Closed are the scheduling events of the prefix that its commits cancelled.
	Closed []int64
}

// Error says why an execution cannot be redriven from an event.
type Error struct {
	Instance    string
	ExecutionID int64
	// EventID that was requested; 0 for where the execution failed.
	EventID int64
	Problem string
}

func (e *Error) Error() string {
	from := "where it failed"
	if e.EventID != 0 {
		from = fmt.Sprintf("event %d", e.EventID)
	}
	return fmt.Sprintf("instance %q execution %d cannot be redriven from %s: %s", e.Instance, e.ExecutionID, from, e.Problem)
}

// From plans the next execution of an instance, given the whole history of the previous
// one. It runs no code.
//
// Errors: [*Error].
func From(instance string, executionID int64, events []history.Event, r Request) (*Plan, error) {
	refused := func(format string, args ...any) error {
		return &Error{Instance: instance, ExecutionID: executionID, EventID: r.From, Problem: fmt.Sprintf(format, args...)}
	}
	n := len(events)
	if n == 0 || !events[n-1].Kind.Terminal() {
		return nil, refused("it has not ended; terminate it first")
	}
	last := int64(n) - 1 // the event after it is the end
	forks := r.Instance != "" && r.Instance != instance
	var begin int
	switch {
	case r.From > last:
		return nil, refused("the last event before its end is %d", last)
	case r.From > 0:
		begin = roundOf(events, int(r.From))
	case events[n-1].Kind == history.OrchestrationCompleted && r.Completed:
		begin = lastRound(events[:n-1])
	case events[n-1].Kind != history.OrchestrationFailed:
		return nil, refused("it has completed; name the event to continue from")
	default:
		begin = failedAt(events)
	}
	d := &Plan{Prefix: events[:begin:begin]}
	from := int64(begin)
	failed, unsure := map[int64]bool{}, map[int64]bool{}
	later := laterAttempts(events[begin:last])
	for _, e := range events[begin:last] {
		switch source := e.SourceEventID; {
		case e.Kind == history.ExternalEvent:
			d.With = append(d.With, e)
		case Succeeds(e.Kind) && source <= from && e.EventID != r.From:
			d.With = append(d.With, e)
			failed[source] = false
		case e.Kind.Completes() != history.KindUnknown && source <= from:
			failed[source], unsure[source] = true, isUnsure(e.Failure)
			if retries(&e) {
				keeps, followed := later[firstOf(events, source)]
				unsure[source] = keeps || !followed
			}
		case e.Kind.Scheduling():
			d.Forgotten = append(d.Forgotten, e.EventID)
		}
	}
	started := events[0]
	start := history.Start{}
	if started.Start != nil {
		start = *started.Start
	}
	before := start.Origin
	start.ExecutionID, start.StartID, start.Parent, start.Secret, start.Origin = r.ExecutionID, r.StartID, r.Parent, "", nil
	start.States = numbered(start.States, r.ExecutionID)
	started.Start = &start
	if begin == 0 {
		// Everything is run again.
		d.Event, d.Prefix = started, nil
		d.queue(&r)
		if forks {
			start.Origin = &history.Origin{Instance: instance, ExecutionID: executionID}
		}
		return d, nil
	}
	d.reopen(failed, r.Cancelled)
	kept := slices.Clone(d.Open)
	for _, id := range d.Failed {
		if unsure[id] {
			kept = append(kept, id)
		}
	}
	kept = append(kept, firstAttempts(d.Prefix, kept, later)...)
	slices.Sort(kept)
	kept = slices.Compact(kept)
	start.Origin = &history.Origin{Instance: instance, ExecutionID: executionID, EventID: from, FirstExecutionID: executionID, Carried: carriedOn(kept, before, instance, executionID)}
	if before != nil && before.FirstExecutionID != 0 {
		start.Origin.FirstExecutionID, start.Origin.FirstInstance, start.Origin.ForkedExecutionID = before.FirstExecutionID, before.FirstInstance, before.ForkedExecutionID
	}
	if forks {
		start.Origin.FirstInstance, start.Origin.ForkedExecutionID = cmp.Or(start.Origin.FirstInstance, instance), r.ExecutionID
	}
	d.Prefix = append([]history.Event{started}, d.Prefix[1:]...)
	d.Event = history.Event{Kind: history.OrchestrationRedriven, SenderID: r.StartID, Actor: r.Actor, Reason: r.Reason,
		Start: &history.Start{ExecutionID: r.ExecutionID}}
	if start.Origin.FirstInstance != "" {
		d.Event.Instance = cmp.Or(r.Instance, instance)
	}
	if forks {
		d.fork(&r)
	}
	d.queue(&r)
	return d, nil
}

// numbered returns the states that a start carries with a number in front of its first event, so that
// no number of the instance is lower than one that a reader has seen, and none is another instance's.
func numbered(states []byte, executionID int64) []byte {
	all, err := history.DecodeStates(states)
	if err != nil {
		return states // The replay says that the history is corrupt.
	}
	for i := range all {
		all[i].ExecutionID, all[i].EventID = executionID, 0
	}
	return history.EncodeStates(all)
}

// reopen determines which operations of the prefix are started again. failed has the
// operations that are completed after the prefix: true if they failed.
func (d *Plan) reopen(failed map[int64]bool, cancelled []Cancelled) {
	completed, closed := map[int64]bool{}, map[int64]bool{}
	for _, c := range cancelled {
		for _, id := range c.Events {
			// If the commit extends beyond the prefix, the code may have cancelled the
			// operation after the prefix.
			closed[id] = closed[id] || c.By <= int64(len(d.Prefix))
		}
	}
	for i := range d.Prefix {
		if e := &d.Prefix[i]; e.Kind.Completes() != history.KindUnknown {
			completed[e.SourceEventID] = true
		}
	}
	for i := range d.Prefix {
		e := &d.Prefix[i]
		switch {
		case !Stoppable(e.Kind) || completed[e.EventID]:
			continue
		case closed[e.EventID]:
			d.Closed = append(d.Closed, e.EventID)
			continue
		}
		switch hasFailed, stands := failed[e.EventID]; {
		case !stands:
			d.Open = append(d.Open, e.EventID)
		case hasFailed:
			d.Failed = append(d.Failed, e.EventID)
		}
	}
}

// isUnsure reports whether a failed activity may nevertheless have had its effect,
// because the outcome of its last attempt is not known. It keeps its idempotency key,
// like an activity that was open.
func isUnsure(f *history.Failure) bool {
	if f == nil {
		return false
	}
	switch f.Kind {
	case history.FailureTimeout, history.FailureTotalTimeout, history.FailureHeartbeatTimeout, history.FailureInterrupted, history.FailureLost:
		return true
	}
	return false
}

// retries reports whether an event is the failure of an inline activity that the code
// retries: a timer and another scheduling event, which names the first one, follow it.
func retries(e *history.Event) bool {
	return e.Kind == history.ActivityFailed && e.Failure != nil && e.Failure.RetryAfterMS > 0
}

// firstOf returns the first scheduling event of the activity to which an attempt belongs.
// It differs from id if an inline activity is retried after timers. All attempts use the
// idempotency key of the first.
func firstOf(events []history.Event, id int64) int64 {
	if r := events[id-1].Retry; r != nil && r.FirstEventID > 0 {
		return r.FirstEventID
	}
	return id
}

// laterAttempts returns the inline activities that have further attempts, each with its
// own scheduling event, among these events. The key is the first event of the activity;
// the value is true if it keeps its idempotency key, because the last attempt is open or
// its outcome is not known.
func laterAttempts(events []history.Event) map[int64]bool {
	var keeps map[int64]bool
	var first map[int64]int64 // by the scheduling event of an attempt
	for i := range events {
		e := &events[i]
		switch of := first[e.SourceEventID]; {
		case e.Kind == history.ActivityScheduled && e.Retry != nil && e.Retry.FirstEventID > 0:
			if keeps == nil {
				keeps, first = map[int64]bool{}, map[int64]int64{}
			}
			keeps[e.Retry.FirstEventID], first[e.EventID] = true, e.Retry.FirstEventID
		case of != 0 && e.Kind.Completes() != history.KindUnknown:
			keeps[of] = isUnsure(e.Failure) || retries(e)
		}
	}
	return keeps
}

// firstAttempts returns the first scheduling events of inline activities whose retry is
// in progress: its timer is open, or the next attempt is in kept. later has the outcome
// of the attempts after the prefix.
func firstAttempts(prefix []history.Event, kept []int64, later map[int64]bool) (first []int64) {
	var waits map[int64]bool
	for i := range prefix {
		switch e := &prefix[i]; {
		case retries(e):
			if waits == nil {
				waits = map[int64]bool{}
			}
			waits[firstOf(prefix, e.SourceEventID)] = true
		case len(waits) > 0 && e.Kind == history.ActivityScheduled:
			delete(waits, firstOf(prefix, e.EventID))
		}
	}
	for id := range waits {
		if keeps, followed := later[id]; keeps || !followed {
			first = append(first, id)
		}
	}
	for _, id := range kept {
		if prefix[id-1].Kind == history.ActivityScheduled {
			first = append(first, firstOf(prefix, id))
		}
	}
	return first
}

// CarriedSince returns the execution of an instance from which on a success completes an
// event that its current execution has copied. For an operation that was open in the
// instance that this one was forked from, that is the first execution of the fork.
func CarriedSince(o *history.Origin, instance string, c history.Carried) int64 {
	if c.Instance != "" || o.Instance != instance {
		return o.ForkedExecutionID
	}
	return c.ExecutionID
}

// carriedOn returns the events that keep their idempotency key, each with the execution
// since which it has been open.
func carriedOn(open []int64, before *history.Origin, instance string, executionID int64) []history.Carried {
	if len(open) == 0 {
		return nil
	}
	since := map[int64]history.Carried{}
	if before != nil {
		for _, c := range before.Carried {
			if c.Instance == "" && before.Instance != instance {
				c.Instance = before.Instance
			}
			since[c.EventID] = c
		}
	}
	carried := make([]history.Carried, len(open))
	for i, id := range open {
		first, is := since[id]
		if !is {
			first = history.Carried{EventID: id, ExecutionID: executionID}
		}
		carried[i] = first
	}
	return carried
}
