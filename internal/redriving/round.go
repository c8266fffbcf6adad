package redriving

import "github.com/turnstile-go/turnstile/history"

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
		case k == history.OrchestrationCancelRequested, k.Completes() != history.KindUnknown && !Succeeds(k) && !retries(&round[i]):
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

// Succeeds reports whether a kind is a completion that no redrive makes anew.
func Succeeds(k history.Kind) bool {
	return k == history.ActivityCompleted || k == history.TimerFired || k == history.SubOrchestrationCompleted
}

// Stoppable reports whether a kind asks for something outside that can be stopped.
func Stoppable(k history.Kind) bool {
	return k == history.ActivityScheduled || k == history.TimerCreated || k == history.SubOrchestrationScheduled
}
