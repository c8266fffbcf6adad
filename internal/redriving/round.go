package redriving

import "github.com/turnstile-go/turnstile/history"

// failedAt returns the number of events before the point at which an execution failed.
// That is usually the start of the round that ended it. If that round has no failure of
// its own, it is an earlier round with a failure, provided that the code has scheduled
// nothing since: for example, the code waits for three activities together, the first
// fails, the others complete, and then the code gives up.
//
// A forced termination is not part of a round. Then the last round is kept, unless it has
// only arrivals, which the code may not have seen.
func failedAt(events []history.Event) int {
	end := len(events) - 1
	if events[end].Forced != "" {
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

// roundOf returns the number of events before the round that contains an event.
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

// lastRound returns the number of events before the last round. A round is one or more
// arrivals followed by the scheduling events that the code made in response (rule 2).
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

// fails reports whether a round contains a failure or a cancel.
func fails(round []history.Event) bool {
	for i := range round {
		switch k := round[i].Kind; {
		case k == history.OrchestrationCancelRequested, k.Completes() != history.KindUnknown && !Succeeds(k) && !retries(&round[i]):
			return true
		}
	}
	return false
}

// asksForNothing reports whether the scheduling events of a round have no effect outside,
// so that nothing is lost when the code schedules them again.
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

// Succeeds reports whether a kind is a completion that a redrive never repeats.
func Succeeds(k history.Kind) bool {
	return k == history.ActivityCompleted || k == history.TimerFired || k == history.SubOrchestrationCompleted
}

// Stoppable reports whether a kind schedules an operation outside that can be stopped.
func Stoppable(k history.Kind) bool {
	return k == history.ActivityScheduled || k == history.TimerCreated || k == history.SubOrchestrationScheduled
}
