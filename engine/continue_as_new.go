package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/header"
	"github.com/turnstile-go/turnstile/internal/redriving"
)

// continueAsNew is the error that an orchestration returns to end its execution and start
// the next.
type continueAsNew struct {
	version   string
	input     []byte
	normalize Normalizer
	// headers for the next execution, in addition to those of the start.
	headers map[string]string
}

func (e *continueAsNew) Error() string {
	return "continue as new (return this error from the orchestration)"
}

// ContinueAsNew returns an error that the orchestration must return to end this execution and start
// the next with the given input. An empty version means the newest version that is registered when
// the next execution starts. The call alone does nothing: if the orchestration calls it and then
// completes without returning the error, the instance is stuck.
func (c *Context) ContinueAsNew(version string, input []byte, normalize Normalizer) error {
	if x := c.x; x.owned() && !x.current.unwinding {
		x.continues, x.continuedAt = true, x.caller()
	}
	return &continueAsNew{version: version, input: input, normalize: normalize, headers: c.headers}
}

// carried implements rule 13: continue-as-new loses nothing. It returns the first
// arrivals of the next execution, in order:
//
//   - external events that the code did not receive, because no wait took them or because
//     the code never awaited the wait that took them;
//   - events, cancels, suspends and resumes that were not visited when the code ended;
//   - all attached parents, because they wait for the last execution.
//
// Completions are not carried over, nor is a cancel that the code has seen. A wait for a
// permit of a limit is over, so it is not carried over either.
func (x *Execution) carried(unvisited []history.Event) []history.Event {
	next := x.unconsumed()
	visited := x.events.len()
	if len(unvisited) > 0 {
		visited = int(unvisited[0].EventID) - 1
	}
	for i := range visited {
		if e := x.events.at(i); e.Kind == history.ParentAttached {
			next = append(next, *e)
		}
	}
	for _, e := range unvisited {
		switch e.Kind {
		case history.OrchestrationSuspended:
			if e.LimitKey != "" {
				continue // The execution already has its permit. The next one keeps it and does not request another.
			}
			next = append(next, e)
		case history.ExternalEvent:
			if !x.known.asked[e.EventID] {
				next = append(next, e)
			}
		case history.OrchestrationCancelRequested, history.ParentAttached, history.OrchestrationResumed:
			if !redriving.Releases(&e) {
				next = append(next, e)
			}
		}
	}
	// An answer to an update that this execution has sent is of no use to the next.
	next = slices.DeleteFunc(next, func(e history.Event) bool { return strings.HasPrefix(e.Name, history.AnswerPrefix) })
	slices.SortStableFunc(next, func(a, b history.Event) int { return cmp.Compare(a.EventID, b.EventID) })
	return next
}

// carry moves an arrival that came after the end into the next execution.
func (x *Execution) carry(a *Arrival, next *[]history.Event) Verdict {
	if a.ExecutionID != 0 && a.ExecutionID != x.cfg.ExecutionID || a.Suspend != 0 {
		return x.ledger.judge(a) // An arrival that names a suspend is also for the execution that has ended.
	}
	a = x.attaching(a)
	id := rememberedAs(&a.Event)
	switch a.Event.Kind {
	case history.OrchestrationCancelRequested:
		// This execution may already have processed a cancel. A further cancel is for the next
		// execution, as if it had arrived one turn later.
		if at, ok := x.ledger.senders[id]; ok {
			return Verdict{Kind: Duplicate, EventID: at}
		}
		for _, e := range *next {
			if e.Kind == history.OrchestrationCancelRequested {
				return Verdict{Kind: Duplicate}
			}
		}
	default:
		v := x.ledger.judge(a)
		over := a.Event.Kind == history.ExternalEvent || a.Event.Kind == history.OrchestrationSuspended || a.Event.Kind == history.OrchestrationResumed
		if !(v.Kind == Late && over) && !(v.Kind == Exists && a.Event.Kind == history.ParentAttached) {
			return v
		}
	}
	if id != "" {
		x.ledger.sent(id, 0)
	}
	*next = append(*next, a.Event)
	return Verdict{Kind: Recorded}
}

// nextExecution returns the first events of the next execution.
func (x *Execution) nextExecution(carried []history.Event) []history.Event {
	was, end := x.events.at(0), x.end.next
	version := end.version
	if version == "" {
		if o, err := x.cfg.Registry.Newest(was.Name); err == nil {
			version = o.Version
		}
	}
	start := history.Start{ExecutionID: x.cfg.ExecutionID + 1, States: x.encodedStates(), SearchAttributes: x.search, SenderIDs: x.senderIDs(carried)}
	if was.Start != nil {
		start.StartID, start.Parent = was.Start.StartID, was.Start.Parent
		start.FairnessGroup = was.Start.FairnessGroup
		start.LimitKey, start.Limit = was.Start.LimitKey, was.Start.Limit
		start.Headers = header.Merge(was.Start.Headers, end.headers)
	}
	events := append([]history.Event{{
		Kind: history.OrchestrationStarted, Name: was.Name, Version: version, Payload: end.input, Actor: was.Actor, Start: &start,
	}}, carried...)
	for i := range events {
		events[i].EventID, events[i].AtMS, events[i].WithPrevious = int64(i)+1, x.run.nowMS, i > 0
	}
	return events
}

// senderIDs returns the most recent sender ids, oldest first, without those of the events
// that are carried over, because the next execution has these events.
func (x *Execution) senderIDs(carried []history.Event) []string {
	over := make(map[string]bool, len(carried))
	for i := range carried {
		over[rememberedAs(&carried[i])] = true
	}
	var ids []string
	if s := x.ledger.start; s != nil {
		ids = append(ids, s.SenderIDs...)
	}
	for i := range x.events.len() {
		if id := rememberedAs(x.events.at(i)); id != "" && !over[id] {
			ids = append(ids, id)
		}
	}
	if extra := len(ids) - maxCarriedSenderIDs; extra > 0 {
		ids = ids[extra:]
	}
	return ids
}

// maxCarriedSenderIDs is the maximum number of sender ids that the next execution gets.
const maxCarriedSenderIDs = 256
