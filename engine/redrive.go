package engine

import (
	"fmt"

	"github.com/turnstile-go/turnstile/history"
)

// A redrive goes on where an execution failed: the next one takes its history over up to
// the end of a round. What is completed there stays completed; what failed, or was open,
// is started anew; and the code, mended in the meantime, goes on from there.

// RedriveRequest says from where an execution is redriven, and for whom.
type RedriveRequest struct {
	// From is an event: its round, and all behind it, happens again. 0 for where the
	// execution failed: behind the last round in which the code asked for something
	// that was still to fail or to succeed.
	From int64
	// ExecutionID of the next execution, StartID of the message that begins it, Parent
	// that waits for it from now on; nil for none.
	ExecutionID int64
	StartID     string
	Parent      *history.Parent
	Actor       string
	Reason      string
	// Closed reports whether a scheduling event was cancelled by the code; nil where that
	// is not known: then it counts as open, until the code has been replayed.
	Closed func(eventID int64) bool
}

// Redriven is how the next execution begins.
type Redriven struct {
	// Prefix is what is taken over, to be fed. It is empty where the execution failed in
	// its first round, and begins from the beginning.
	Prefix []history.Event
	// Arrival is what the code goes on with: OrchestrationRedriven, and with it the
	// completions and external events behind the prefix that stay.
	Arrival Arrival
	// Failed are the scheduling events of the prefix that had failed, and Open those that
	// were open: both are started anew. Forgotten are those behind it: the code is to ask
	// for them again. All are ids of the execution before.
	Failed, Open, Forgotten []int64
}

// RedriveError says why an execution cannot be redriven from an event.
type RedriveError struct {
	Instance    string
	ExecutionID int64
	// EventID that was asked for; 0 for where the execution failed.
	EventID int64
	Problem string
}

func (e *RedriveError) Error() string {
	from := "where it failed"
	if e.EventID != 0 {
		from = fmt.Sprintf("event %d", e.EventID)
	}
	return fmt.Sprintf("instance %q execution %d cannot be redriven from %s: %s", e.Instance, e.ExecutionID, from, e.Problem)
}

// Redrive returns how the next execution begins. It runs no code.
//
// Errors: [*RedriveError].
func (x *Execution) Redrive(r RedriveRequest) (*Redriven, error) {
	events := x.events.slice(0, x.events.len())
	return RedriveOf(x.cfg.Instance, x.cfg.ExecutionID, events, r)
}

// RedriveOf is [Execution.Redrive] for the whole history of an execution.
func RedriveOf(instance string, executionID int64, events []history.Event, r RedriveRequest) (*Redriven, error) {
	refused := func(format string, args ...any) error {
		return &RedriveError{Instance: instance, ExecutionID: executionID, EventID: r.From, Problem: fmt.Sprintf(format, args...)}
	}
	n := len(events)
	if n == 0 || !events[n-1].Kind.Terminal() {
		return nil, refused("it has not ended; terminate it first")
	}
	last := int64(n) - 1 // what is behind it is the end
	var begin int
	switch {
	case r.From > last:
		return nil, refused("the last event ahead of its end is %d", last)
	case r.From > 0:
		begin = roundOf(events, int(r.From))
	case events[n-1].Kind != history.OrchestrationFailed:
		return nil, refused("it has completed; name the event from which it is to go on")
	default:
		begin = failedAt(events)
	}
	d := &Redriven{Prefix: events[:begin:begin]}
	from := int64(begin)
	failed := map[int64]bool{}
	for _, e := range events[begin:last] {
		switch source := e.SourceEventID; {
		case e.Kind == history.ExternalEvent:
			d.Arrival.With = append(d.Arrival.With, e)
		case succeeds(e.Kind) && source <= from && e.EventID != r.From:
			d.Arrival.With = append(d.Arrival.With, e)
			failed[source] = false
		case e.Kind.Completes() != history.KindUnknown && source <= from:
			failed[source] = true
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
		d.Arrival.Event, d.Prefix = started, nil
		return d, nil
	}
	d.reopen(failed, r.Closed)
	start.Origin = &history.Origin{Instance: instance, ExecutionID: executionID, EventID: from, Carried: carriedOn(d.Open, before, executionID)}
	d.Prefix = append([]history.Event{started}, d.Prefix[1:]...)
	d.Arrival.Event = history.Event{Kind: history.OrchestrationRedriven, SenderID: r.StartID, Actor: r.Actor, Reason: r.Reason}
	return d, nil
}

// reopen finds out what of the prefix is started anew. failed has what is completed behind
// the prefix: true for what failed.
func (d *Redriven) reopen(failed map[int64]bool, closed func(int64) bool) {
	completed := map[int64]bool{}
	for i := range d.Prefix {
		if e := &d.Prefix[i]; e.Kind.Completes() != history.KindUnknown {
			completed[e.SourceEventID] = true
		}
	}
	for i := range d.Prefix {
		e := &d.Prefix[i]
		if !stoppable(e.Kind) || completed[e.EventID] || closed != nil && closed(e.EventID) {
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

// carriedOn are the events that were open, each with the execution since which it is.
func carriedOn(open []int64, before *history.Origin, executionID int64) []history.Carried {
	if len(open) == 0 {
		return nil
	}
	since := map[int64]int64{}
	if before != nil {
		for _, c := range before.Carried {
			since[c.EventID] = c.ExecutionID
		}
	}
	carried := make([]history.Carried, len(open))
	for i, id := range open {
		carried[i] = history.Carried{EventID: id, ExecutionID: executionID}
		if first := since[id]; first != 0 {
			carried[i].ExecutionID = first
		}
	}
	return carried
}

// failedAt returns how many events stand ahead of where an execution failed. That is the
// round that ended it. Where that one brought no failure itself, it is an earlier one
// that did, if the code has asked for nothing since: three activities are waited for
// together, the first fails, the others complete, and then the code gives up.
//
// An end that was imposed is no part of a round: the last one stays as it is, but for
// arrivals without answers, which the code may not have seen.
func failedAt(events []history.Event) int {
	end := len(events) - 1
	if events[end].Imposed != "" {
		if begin := lastRound(events[:end]); !answered(events[begin:end]) {
			return begin
		}
		return end
	}
	begin := lastRound(events[:end])
	for at, cut := begin, end; ; at, cut = lastRound(events[:at]), at {
		switch round := events[at:cut]; {
		case at < begin && !asksForNothing(round):
			return begin
		case fails(round):
			return at
		case at == 0:
			return begin
		}
	}
}

// roundOf returns how many events stand ahead of the round of an event.
func roundOf(events []history.Event, eventID int) int {
	n := eventID
	for n < len(events) && events[n-1].Kind.Arrival() && events[n].Kind.Arrival() {
		n++
	}
	for n < len(events) && events[n].Kind.Scheduling() {
		n++
	}
	return lastRound(events[:n])
}

// lastRound returns how many events stand ahead of the last round: a run of arrivals and
// the answers behind them (rule 2).
func lastRound(events []history.Event) int {
	n := len(events)
	for n > 0 && !events[n-1].Kind.Arrival() {
		n--
	}
	for n > 0 && events[n-1].Kind.Arrival() {
		n--
	}
	return n
}

func answered(round []history.Event) bool {
	return len(round) > 0 && !round[len(round)-1].Kind.Arrival()
}

// fails reports whether a round has brought a failure, or a cancel.
func fails(round []history.Event) bool {
	for i := range round {
		switch k := round[i].Kind; {
		case k == history.OrchestrationCancelRequested, k.Completes() != history.KindUnknown && !succeeds(k):
			return true
		}
	}
	return false
}

// asksForNothing reports whether the answers of a round have an effect on nobody, so that
// nothing is lost when the code asks for them again.
func asksForNothing(round []history.Event) bool {
	for i := range round {
		switch e := &round[i]; {
		case !e.Kind.Scheduling(), e.Kind == history.ExternalSubscribed, e.Kind == history.ExternalRejected, e.Kind == history.TimerCreated:
		case e.Kind == history.SystemCall && (e.Op == history.OpNow || e.Op == history.OpTrace):
		default:
			return false
		}
	}
	return true
}

func succeeds(k history.Kind) bool {
	return k == history.ActivityCompleted || k == history.TimerFired || k == history.SubOrchestrationCompleted
}

func stoppable(k history.Kind) bool {
	return k == history.ActivityScheduled || k == history.TimerCreated || k == history.SubOrchestrationScheduled
}

// takeOver notes, when the code comes to OrchestrationRedriven for the first time, what it
// has set and cancelled so far: the record of the new execution has none of it yet, and
// nobody has sent anything for this one.
func (x *Execution) takeOver(e *history.Event) {
	if !x.cursor.live || x.run.quiet {
		return
	}
	x.run.statusSet = x.run.statusSet || x.status != nil
	if own := x.events.at(0).Start; own != nil || len(x.search) > 0 {
		x.run.searchSet = SearchSetBoth(x.run.searchSet, x.search)
		if own != nil {
			for name := range own.SearchAttributes {
				if _, stays := x.search[name]; !stays {
					x.run.searchSet = SearchSetBoth(x.run.searchSet, history.SearchAttributes{name: {}})
				}
			}
		}
	}
	x.ledger.open(func(id int64, kind history.Kind, inline bool) {
		if op := x.operation(id); id < e.EventID && stoppable(kind) && !inline && (op == nil || op.state != open) {
			x.run.cancelled = append(x.run.cancelled, id)
		}
	})
}
