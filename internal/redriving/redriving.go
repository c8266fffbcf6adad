// Package redriving finds out how the next execution of an instance goes on where the one
// before failed: it takes the history of that one over up to the end of a round. What is
// completed there stays completed; what failed, or was open, is started anew; and the code,
// mended in the meantime, goes on from there. It looks at events alone.
package redriving

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile/history"
)

// Request says from where an execution is redriven, and for whom.
type Request struct {
	// From is an event: its round, and all behind it, happens again. 0 for where the
	// execution failed: behind the last round in which the code asked for something
	// that was still to fail or to succeed.
	From int64
	// Completed lets one that has completed go on too, where From is 0: its last round happens
	// again. So does the child of a fork that has not heard of its end.
	Completed bool
	// Instance that goes on: another one for a fork, which leaves the instance as it is;
	// empty for the same.
	Instance string
	// ExecutionID of the next execution, StartID of the message that begins it, Parent
	// that waits for it from now on; nil for none.
	ExecutionID int64
	StartID     string
	Parent      *history.Parent
	Actor       string
	Reason      string
	// Cancelled are the commits of the execution that cancelled something.
	Cancelled []Cancelled
	// LimitKey and Limit are the limit of instances under which it waits for its turn; empty for none.
	LimitKey string
	Limit    int
}

// Cancelled is what a commit cancelled, and its last event.
type Cancelled struct {
	Events []int64
	By     int64
}

// Plan is how the next execution begins.
type Plan struct {
	// Prefix is what is taken over, to be fed. It is empty where the execution failed in
	// its first round, and begins from the beginning.
	Prefix []history.Event
	// Event is what the code goes on with: OrchestrationRedriven, or OrchestrationStarted
	// where there is no prefix. With are the completions and external events behind the
	// prefix that stay.
	Event history.Event
	With  []history.Event
	// Failed are the scheduling events of the prefix that had failed, and Open those that
	// were open: both are started anew. Forgotten are those behind it: the code is to ask
	// for them again. All are ids of the execution before.
	Failed, Open, Forgotten []int64
	// Closed are those of the prefix that its commits cancelled.
	Closed []int64
}

// Error says why an execution cannot be redriven from an event.
type Error struct {
	Instance    string
	ExecutionID int64
	// EventID that was asked for; 0 for where the execution failed.
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

// From returns how the next execution of an instance begins, by the whole history of the
// one before. It runs no code.
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
	last := int64(n) - 1 // what is behind it is the end
	forks := r.Instance != "" && r.Instance != instance
	var begin int
	switch {
	case r.From > last:
		return nil, refused("the last event ahead of its end is %d", last)
	case r.From > 0:
		begin = roundOf(events, int(r.From))
	case events[n-1].Kind == history.OrchestrationCompleted && r.Completed:
		begin = lastRound(events[:n-1])
	case events[n-1].Kind != history.OrchestrationFailed:
		return nil, refused("it has completed; name the event from which it is to go on")
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
	started.Start = &start
	if begin == 0 {
		// All of it happens again.
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

// reopen finds out what of the prefix is started anew. failed has what is completed behind
// the prefix: true for what failed.
func (d *Plan) reopen(failed map[int64]bool, cancelled []Cancelled) {
	completed, closed := map[int64]bool{}, map[int64]bool{}
	for _, c := range cancelled {
		for _, id := range c.Events {
			// What a commit cancelled that goes beyond the prefix may have been cancelled
			// behind it.
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

// isUnsure reports whether an activity may have had its effect although it failed: nobody knows
// what became of its last attempt. It keeps its idempotency key, like one that was open.
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

// retries reports whether an event is the failure of an inline activity that the code tries
// again: a timer and another scheduling event, which names the first one, follow it.
func retries(e *history.Event) bool {
	return e.Kind == history.ActivityFailed && e.Failure != nil && e.Failure.RetryAfterMS > 0
}

// firstOf is the first scheduling event of the activity whose attempt an event is: of an inline
// one that is tried again over timers, another event. Every attempt has the key of the first.
func firstOf(events []history.Event, id int64) int64 {
	if r := events[id-1].Retry; r != nil && r.FirstEventID > 0 {
		return r.FirstEventID
	}
	return id
}

// laterAttempts are the inline activities of which further attempts, each with a scheduling event
// of its own, are among these events, by the first event of each: true for those that keep
// their key, because the last attempt is open or nobody knows what became of it.
func laterAttempts(events []history.Event) map[int64]bool {
	var keeps map[int64]bool
	var first map[int64]int64 // of an attempt
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

// firstAttempts are the first scheduling events of inline activities whose retry is under way:
// its timer is open, or the next attempt among kept. later has what became of the attempts behind
// the prefix.
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

// CarriedSince returns the execution of an instance since which a success counts for an event
// that its current execution has taken over. For what was open in the instance from which this
// one was forked, that is the first execution of the fork.
func CarriedSince(o *history.Origin, instance string, c history.Carried) int64 {
	if c.Instance != "" || o.Instance != instance {
		return o.ForkedExecutionID
	}
	return c.ExecutionID
}

// carriedOn are the events that keep their key, each with the execution since which it is.
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
