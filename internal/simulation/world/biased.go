package world

import (
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// The effects of the biases of bias.go.

// markIsLate reports whether a change of a record is to take effect late.
func (w *World) markIsLate(p *Process, c *class) bool {
	return w.has(lateMarks) && c == tellingWrite && !p.Dead && !w.calm && w.Choices.OneIn(w.How(fault.LandsLate), 2)
}

// commitIsLate reports whether a commit is to take effect late: its process dies, or is
// told that nobody knows.
func (w *World) commitIsLate(p *Process) bool {
	if !w.has(lateCommits) || p.Dead || w.calm {
		return false
	}
	wakes := slices.ContainsFunc(p.Running.Batch, func(m Delivered) bool {
		item, err := w.Item(m.Body)
		return err == nil && item.Kind == wire.Wake
	})
	return wakes && w.Choices.OneIn(w.How(fault.CrashLate), 2)
}

// endIsLate reports whether a commit that ends an execution, or changes a mark, is
// to take effect late.
func (w *World) endIsLate(p *Process, c *class) bool {
	// What two processes have is no promise (docs/internal/rare.md).
	if w.has(redrives) && c.commits && !p.Dead && !w.calm && !p.Running.Twin && w.someIs(p.Running.Batch, redrive) && w.Choices.OneIn(w.Choices.At(w.How(fault.LandsLate), "redrive"), 4) {
		return true
	}
	return w.has(lateEnds) && (c == tellingCommit || c == tellingWrite) && !p.Dead && !w.calm && w.Choices.OneIn(w.How(fault.LandsLate), 2)
}

// diesBehindCommit reports whether a process is to die after a commit that ends an
// execution, or changes a mark, or that follows from a message which came back.
func (w *World) diesBehindCommit(p *Process, c *class) bool {
	if p.Dead || w.calm {
		return false
	}
	how := w.Choices.At(w.How(fault.CrashAfter), "end")
	if w.has(overtaken) && c.commits && slices.ContainsFunc(p.Running.Batch, func(m Delivered) bool { return m.ReceiveCount > 1 }) && w.Choices.OneIn(how, 2) {
		return true
	}
	if c.commits && w.diesBesideTwin(p.Running) {
		return true
	}
	if c != tellingCommit && c != tellingWrite {
		return false
	}
	if w.has(shortInvocations) && w.Choices.OneIn(how, 3) {
		return true
	}
	return w.has(purges) && w.hasPurge(p.Running) && w.Choices.OneIn(how, 2)
}

// Limited reports whether most activities are to have a limit over instances.
func (w *World) Limited() bool { return w.has(limited) }

// WorksUnderLimit is how long an activity takes in a run with many limits, in which
// attempts are to meet. It may end its process, and more often if the activity runs at most once.
func (p *Process) WorksUnderLimit(instance string, once bool) time.Duration {
	w := p.W
	if !w.has(limited) || p.Worker == nil {
		return 0
	}
	at, oneIn := w.Choices.At(w.Choices.At(choice.OfDelivery, "limited"), instance), 12
	if once {
		oneIn = 3
	}
	if !w.calm && w.Choices.OneIn(w.Choices.At(at, "dies"), oneIn) {
		w.faulted(fault.CrashBefore)
		p.Die("crash in an attempt")
		return 0
	}
	d := time.Duration(w.Choices.IntN(at, 20)) * time.Second
	if w.Clock.Now().Add(d + time.Minute).After(p.Running.Deadline) {
		return 0 // It would be out of time.
	}
	return d
}

// losesWord reports whether the acknowledgement of a message is lost because it says that nothing
// was heard of an attempt: it comes again, and the next attempt may have its result by then.
func (w *World) losesWord(m Delivered) bool {
	if !w.has(limited) || w.calm {
		return false
	}
	item, err := w.Item(m.Body)
	if err != nil || item.Kind != wire.ActivityFailed || item.Details == nil || item.Details.Kind != history.FailureInterrupted ||
		!w.Choices.OneIn(w.Choices.At(w.How(fault.AckLost), "unheard"), 2) {
		return false
	}
	w.faulted(fault.AckLost)
	return true
}

func (w *World) hasPurge(inv *Invocation) bool {
	return w.someIs(inv.Batch, func(i *wire.Item) bool { return i.Kind == wire.PurgeInstance && i.UpToExecution == 0 })
}

// someIs reports whether a message of a batch is such an item.
func (w *World) someIs(batch []Delivered, such func(*wire.Item) bool) bool {
	return slices.ContainsFunc(batch, func(m Delivered) bool {
		item, err := w.Item(m.Body)
		return err == nil && such(item)
	})
}

// redrive reports whether an item is a start that redrives.
func redrive(item *wire.Item) bool { return item.OnConflict.Redrives() }

// RedrivesMuch reports whether the run is about instances that are redriven.
func (w *World) RedrivesMuch() bool { return w.has(redrives) }

// Redrives decides how often somebody redrives an instance, whichever, besides what is purged.
func (w *World) Redrives(at choice.Spot) int {
	if !w.has(redrives) {
		return 0
	}
	return 5 + w.Choices.IntN(at, 15)
}

// StopsSoon decides whether somebody terminates what was just redriven.
func (w *World) StopsSoon(at choice.Spot) bool {
	if w.has(redrives) {
		return w.Choices.Even(at)
	}
	return w.Choices.OneIn(at, 4)
}

// PurgesOther decides whether it is an instance that no client starts which is
// purged: most of these have a parent that waits for them.
func (w *World) PurgesOther(at choice.Spot) bool {
	if w.has(purges) {
		return !w.Choices.OneIn(at, 8)
	}
	return w.Choices.OneIn(at, 3)
}

// Forced decides whether a purge of an instance that runs is one with force.
func (w *World) Forced(at choice.Spot) bool {
	if w.has(purges) {
		return !w.Choices.OneIn(at, 4)
	}
	return w.Choices.OneIn(at, 4)
}

// RefusedFirst decides whether a purge without force is sent before one with force.
func (w *World) RefusedFirst(at choice.Spot) bool { return w.has(purges) && w.Choices.OneIn(at, 3) }

// Suspends decides how often clients suspend an instance.
func (w *World) Suspends(at choice.Spot) int {
	if w.has(suspends) {
		return w.Choices.IntN(at, 4)
	}
	if !w.Choices.OneIn(at, 8) {
		return 0
	}
	return 1 + w.Choices.IntN(at, 2)
}

// Forks decides how often somebody forks an instance.
func (w *World) Forks(at choice.Spot) int {
	if w.has(forks) {
		return w.Choices.IntN(at, 3)
	}
	if !w.Choices.OneIn(at, 40) {
		return 0
	}
	return 1
}

// MeetsRedrive deploys code that does not work beside a redrive, at times.
func (w *World) MeetsRedrive(at choice.Spot) {
	if w.has(redrives) && !w.calm && w.Choices.OneIn(at, 6) {
		w.deployAtOnce()
	}
}

// MeetsFork deploys code that does not work beside a fork, at times.
func (w *World) MeetsFork(at choice.Spot) {
	if w.has(forks) && !w.calm && w.Choices.OneIn(at, 12) {
		w.deployAtOnce()
	}
}

// diesInBias reports whether a process dies at a call because it has in hand what the run is to
// see cut short: the start of a fork or a redrive, or a request that prunes.
func (w *World) diesInBias(p *Process) bool {
	if w.calm || p.Running == nil {
		return false
	}
	has := func(such func(*wire.Item) bool) bool { return w.someIs(p.Running.Batch, such) }
	if w.has(redrives) && has(redrive) && w.Choices.OneIn(w.Choices.At(w.How(fault.CrashAfter), "redrive"), 16) {
		return true
	}
	if w.has(forks) && has(Forks) && w.Choices.OneIn(w.Choices.At(w.How(fault.CrashAfter), "fork"), 16) {
		return true
	}
	return w.has(prunes) && has(func(i *wire.Item) bool { return i.UpToExecution > 0 }) && w.Choices.OneIn(w.Choices.At(w.How(fault.CrashAfter), "prune"), 6)
}

// Gated reports whether the run is one of instances under a limit.
func (w *World) Gated(at choice.Spot) bool { return w.has(gates) || w.Choices.OneIn(at, 32) }

// Scheduled reports whether the run is one of a schedule.
func (w *World) Scheduled(at choice.Spot) bool { return w.has(schedules) || w.Choices.OneIn(at, 16) }

// BeginsAgain decides whether a client lets a root begin again beside an event that may end it: often
// where many messages come to two processes, of which one may meet the run and the other its end.
func (w *World) BeginsAgain(at choice.Spot) bool {
	if w.has(twins) {
		return w.Choices.OneIn(at, 3)
	}
	return w.Choices.OneIn(at, 25)
}

// BeginsAhead decides whether, and how long, ahead of the end of a root a client sends the start that is to
// begin it again: seconds, where many messages come to two processes. One of these meets the run, and the
// other one its end.
func (w *World) BeginsAhead(at choice.Spot) (ahead time.Duration, begins bool) {
	if !w.has(twins) || !w.Choices.Even(at) {
		return 0, false
	}
	return time.Duration(w.Choices.IntN(at, 20_000)) * time.Millisecond, true
}

// ShortGates decides after how many events a gate continues as new; 0 for as many as it needs.
func (w *World) ShortGates(at choice.Spot) int64 {
	return []int64{0, 1, 12, 24, 40}[w.Choices.IntN(at, 5)]
}

// Keeps decides how many executions of an instance the programs of a run keep; 0 for all.
func (w *World) Keeps(at choice.Spot) int {
	if !w.has(prunes) && !w.Choices.OneIn(at, 24) {
		return 0
	}
	w.Settings.Purge.Page = []int{0, 1, 3, 7}[w.Choices.IntN(at, 4)]
	return 2 + w.Choices.IntN(at, 3)
}

// SoLate is how much later than others a client sends something.
func (w *World) SoLate(at choice.Spot) time.Duration {
	if !w.has(prunes) || !w.Choices.OneIn(at, 5) {
		return 0
	}
	return time.Duration(1+w.Choices.IntN(at, 20*24)) * time.Hour
}

// Unrest lets faults happen again for a few hours, where they had stopped.
func (w *World) Unrest(at choice.Spot) {
	w.plan.left = max(w.plan.left, []int{1, 3, 10, 30}[w.Choices.IntN(at, 4)])
	if w.has(prunes) {
		w.plan.left = max(w.plan.left, 10)
	}
	if until := w.Clock.Now().Add(time.Duration(1+w.Choices.IntN(at, 12)) * time.Hour); until.After(w.plan.until) {
		w.plan.until = until
	}
	if w.calm {
		w.Log("FAULTS AGAIN")
		w.calm, w.Calmed = false, time.Time{}
		w.ghosts = nil // No queue has anything so old.
	}
}

// Forks reports whether an item is a start that forks another instance.
func Forks(item *wire.Item) bool {
	return item.Kind == wire.StartOrchestration && item.Origin != nil && item.Origin.Instance != item.Instance
}

// SeldomSuspends says that one start in so many begins later.
func (w *World) SeldomSuspends() int {
	if w.has(suspends) {
		return 3
	}
	return 10
}

// receivedTwice decides whether a batch of a standard queue is visible again as soon as
// it has been received.
func (w *World) receivedTwice(worker bool) bool {
	if w.has(purges) && !w.calm && !worker && w.Choices.OneIn(w.Choices.At(w.How(fault.Expired), "purges"), 5) {
		w.faulted(fault.Expired)
		return true
	}
	return w.hit(fault.Expired)
}

// mostAtOnce is how many messages an orchestrator receives at most.
func (w *World) mostAtOnce(at choice.Spot) int {
	if w.has(overtaken) && w.Choices.Even(at) {
		return 1 + w.Choices.IntN(at, 3)
	}
	// As many as there may be in half of the cases.
	return min(1+w.Choices.IntN(at, 20), 10)
}

// drawPace decides how long each call of the run takes at least.
func (w *World) drawPace() time.Duration {
	if !w.has(slowCalls) {
		return 0
	}
	return []time.Duration{25, 100, 250, 500}[w.Choices.IntN(w.Choices.At(choice.OfWorld, "pace"), 4)] * time.Millisecond
}

// CallsAreSlow reports whether each call takes a while.
func (w *World) CallsAreSlow() bool { return w.pace > 0 }

// drawRoom decides how many events a commit holds in the run; 0 for as many as are in it.
func (w *World) drawRoom() int {
	if !w.has(smallCommits) {
		return 0
	}
	return []int{4, 5, 6, 8}[w.Choices.IntN(w.Choices.At(choice.OfWorld, "room"), 4)]
}

// drawAhead decides how many bytes of what a redrive takes over are written ahead at once; 0 for as
// many as in production.
func (w *World) drawAhead() int {
	if !w.has(smallCommits) {
		return 0
	}
	return []int{1, 400, 1000}[w.Choices.IntN(w.Choices.At(choice.OfWorld, "ahead"), 3)]
}

// fits returns the error of a commit that is too large, as the stores do: before they read
// anything.
func (w *World) fits(c *store.Commit) error {
	n := 0
	for i := range c.Turns {
		n += len(c.Turns[i].Stored())
	}
	if w.Room == 0 || n <= w.Room {
		return nil
	}
	t := &c.Turns[0]
	return &store.TooLargeError{Instance: t.Instance, ExecutionID: t.ExecutionID, EventID: t.First(), What: "first of too many (simulated)",
		Limit: Plural(w.Room, "event")}
}
